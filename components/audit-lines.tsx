import type { AuditLine } from '../lib/audit/read';
import { Principal } from './principal';
import { Time } from './time';

type Detailed = { operator?: string; holder?: { name: string } | null; grantedAt?: string; lastBeatAt?: string; expiresAt?: string; nextGrant?: number };

function Story({ line }: { line: AuditLine }) {
  const details = line.details as Detailed;
  if (line.action === 'clear') {
    return (
      <>
        cleared grant <span className="font-mono">{line.grant}</span> of <strong>{details.holder?.name}</strong>, granted <Time at={details.grantedAt!} relative={false} />, last heartbeat{' '}
        <Time at={details.lastBeatAt!} relative={false} />, expired <Time at={details.expiresAt!} relative={false} />.
      </>
    );
  }
  return (
    <>
      lifted the next grant to <span className="font-mono">{details.nextGrant}</span>.
    </>
  );
}

/** The lock page's audit lines, newest first: each stands by itself (LP-7). */
export function AuditLines({ lines, empty }: { lines: AuditLine[]; empty: string }) {
  if (lines.length === 0) return <p className="px-4 pb-5 text-ink-soft sm:px-5">{empty}</p>;
  return (
    <ol aria-label="Audit lines" className="divide-y divide-line">
      {lines.map((line, i) => (
        <li key={`${line.at}-${i}`} className="px-4 py-3 sm:px-5">
          <p className="break-words">
            <Principal principal={line.actor} /> <Story line={line} />
          </p>
          {line.reason && <p className="mt-0.5 break-words">Reason: <bdi>{line.reason}</bdi></p>}
          <p className="mt-0.5 text-[0.875rem] text-ink-soft">
            <Time at={line.at} />
          </p>
        </li>
      ))}
    </ol>
  );
}
