import { TriangleAlert } from 'lucide-react';
import type { Instant } from '../lib/time';
import { Time } from './time';

/** LP-10: what readers are told from the moment a holder fell silent until a push and a release. */
export function Caution({ since, grant }: { since: Instant; grant: number }) {
  return (
    <aside aria-label="Caution" data-testid="caution" className="flex gap-3 rounded-xl border border-caution-line bg-caution-soft p-4 text-[0.9375rem] text-caution">
      <TriangleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0">
        <p className="font-semibold">Caution: work may be unfinished here</p>
        <p className="mt-0.5">
          The holder of grant <span className="font-mono font-medium">{grant}</span> fell silent <Time at={since} />. Nothing that it still holds can land. This stays until
          a holder has pushed and released.
        </p>
      </div>
    </aside>
  );
}
