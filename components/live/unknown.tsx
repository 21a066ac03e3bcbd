import clsx from 'clsx';
import { CircleHelp } from 'lucide-react';
import type { Badge } from '../../lib/lock-page/badge';

/** In the place of a badge, while the page does not know: the last state that it heard of. */
export function Unknown({ last, large = false }: { last: Badge; large?: boolean }) {
  return (
    <span role="status" data-testid="badge-unknown" className={clsx('badge badge-unknown', large && 'badge-large')}>
      <CircleHelp aria-hidden className="size-[1.15em] shrink-0" strokeWidth={2.25} />
      <span>
        Unknown<span className="font-normal">, last {last}</span>
      </span>
    </span>
  );
}
