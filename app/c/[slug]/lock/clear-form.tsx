import { Form } from '@/components/form';
import { TextArea } from '@/components/text-area';
import { Time } from '@/components/time';
import { TimedSubmit } from '@/components/timed-submit';
import type { LockView } from '@/lib/lock-page/read';
import { clearLock } from './actions';

type Held = Pick<LockView, 'holder' | 'grant' | 'revision' | 'expiresAt' | 'lastBeatAt' | 'now'>;

/**
 * LP-7: the operator's one intervention. It names the grant that it clears, demands a reason,
 * and is there while the lock is held too: it says when a clear becomes possible.
 */
export function ClearForm({ slug, lock }: { slug: string; lock: Held }) {
  const silent = lock.expiresAt! <= lock.now;
  return (
    <Form action={clearLock} label={`Clear grant ${lock.grant} of ${slug}`} base={lock.revision} hidden={{ slug, grant: lock.grant }} keep={`clear.${slug}.${lock.grant}`} labels={{ reason: 'Reason' }}>
      <p className="text-[0.9375rem] break-words">
        Clear grant <span className="font-mono font-medium">{lock.grant}</span> of <strong>{lock.holder?.name}</strong>
        {silent ? (
          <>
            , silent since <Time at={lock.expiresAt!} />
            {lock.lastBeatAt && (
              <>
                , last heartbeat <Time at={lock.lastBeatAt} />
              </>
            )}
            . The grant can never land again, and the caution stays until the next push and release.
          </>
        ) : (
          '. While it holds, nobody can take the lock from it: only a holder that lets its expiry pass can be cleared. A heartbeat puts that off.'
        )}
      </p>
      <TextArea name="reason" label="Reason" required maxLength={1000} rows={2} hint="It stands in the audit line on the lock page." />
      <TimedSubmit command={`Clear grant ${lock.grant}`} from={lock.expiresAt!} now={lock.now} whenPossible={`Grant ${lock.grant} can be cleared now.`}>
        Clear grant {lock.grant}
      </TimedSubmit>
    </Form>
  );
}
