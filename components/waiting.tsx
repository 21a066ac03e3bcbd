import type { QueuePlace } from '../lib/lock-page/read';

/** As many are named as a sentence bears; the queue names all. */
const NAMED = 3;

/** Who waits, and why, as a sentence for the holder. Nothing where nobody waits. */
export function Waiting({ queue }: { queue: readonly Pick<QueuePlace, 'principal' | 'reason'>[] }) {
  if (queue.length === 0) return null;
  const named = queue.slice(0, NAMED).map((q) => `${q.principal.name}, because “${q.reason}”`);
  const more = queue.length - named.length;
  return (
    <p className="text-ink-soft">
      {queue.length === 1 ? 'One waits' : `${queue.length} wait`}: {named.join('; ')}
      {more > 0 && (
        <>
          ; and{' '}
          <a href="#queue" className="link">
            {more} more in the queue
          </a>
        </>
      )}
      .
    </p>
  );
}
