import type { LockView } from '../lib/lock-page/read';
import { Countdown } from './countdown';
import { Facts } from './facts';
import { Principal } from './principal';
import { Time } from './time';

/** The lock page's fields (section 3). */
export function LockFacts({ lock }: { lock: LockView }) {
  const silent = lock.badge === 'HOLDER SILENT';
  const grant = <span className="font-mono">{lock.grant === 0 ? 'none yet' : lock.grant}</span>;
  if (!lock.holder) {
    return (
      <Facts
        facts={[
          { label: 'Holder', value: 'nobody' },
          { label: 'Available since', value: lock.availableSince && <Time at={lock.availableSince} /> },
          { label: 'Last grant', value: grant },
          { label: 'Next grant', value: <span className="font-mono">{lock.nextGrant}</span> },
        ]}
      />
    );
  }
  return (
    <Facts
      facts={[
        { label: 'Holder', value: <Principal principal={lock.holder} /> },
        { label: 'Reason', value: lock.reason ? <bdi>{lock.reason}</bdi> : <span className="text-ink-faint">none given</span> },
        { label: 'Grant', value: grant },
        { label: 'Since', value: lock.grantedAt && <Time at={lock.grantedAt} /> },
        {
          label: silent ? 'Expired' : 'Until',
          value: lock.expiresAt && (
            <>
              <Time at={lock.expiresAt} relative={silent} />
              {!silent && (
                <>
                  {' '}
                  <span className="inline-block text-ink-soft">
                    in <Countdown until={lock.expiresAt} now={lock.now} over="no time" />
                  </span>
                </>
              )}
            </>
          ),
        },
        { label: 'Last heartbeat', value: lock.lastBeatAt && <Time at={lock.lastBeatAt} /> },
        { label: 'Longest possible', value: lock.capAt && <Time at={lock.capAt} relative={false} /> },
        { label: 'Pushes under this grant', value: lock.pushes },
      ]}
    />
  );
}
