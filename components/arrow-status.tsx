import clsx from 'clsx';
import { CircleCheck, CircleDashed, CircleX, Hourglass, RotateCcw, type LucideIcon } from 'lucide-react';
import type { ArrowStatus as Status } from '../lib/engine/status';

const LOOKS: Record<Status, { icon: LucideIcon; className: string }> = {
  complete: { icon: CircleCheck, className: 'text-good' },
  provisional: { icon: Hourglass, className: 'text-caution' },
  unevaluated: { icon: CircleDashed, className: 'text-ink-soft' },
  blocked: { icon: CircleX, className: 'text-danger' },
  invalidated: { icon: RotateCcw, className: 'text-danger' },
};

/** An arrow's status (E-4), told by icon, colour and word. */
export function ArrowStatus({ status, conservative = false }: { status: Status; conservative?: boolean }) {
  const { icon: Icon, className } = LOOKS[status];
  return (
    <span className={clsx('inline-flex flex-wrap items-center gap-x-1.5 font-medium', className)}>
      <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
        <Icon aria-hidden className="size-4 shrink-0" />
        {status}
      </span>
      {conservative && <span className="font-normal text-ink-soft">(conservative)</span>}
    </span>
  );
}
