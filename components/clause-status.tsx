import clsx from 'clsx';
import { Circle, CircleCheck, CircleDashed, CircleHelp, CircleX, Hourglass, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ClauseStatus as Status } from '../lib/engine/moves';

const LOOKS: Record<Status, { icon: LucideIcon; className: string }> = {
  pending: { icon: Circle, className: 'text-ink-faint' },
  running: { icon: LoaderCircle, className: 'text-accent' },
  pass: { icon: CircleCheck, className: 'text-good' },
  fail: { icon: CircleX, className: 'text-danger' },
  'awaiting-attestation': { icon: Hourglass, className: 'text-caution' },
  'insufficient-basis': { icon: CircleHelp, className: 'text-caution' },
  unevaluated: { icon: CircleDashed, className: 'text-ink-soft' },
};

/** A clause's state, told by icon, colour and word. */
export function ClauseStatus({ status }: { status: Status }) {
  const { icon: Icon, className } = LOOKS[status];
  return (
    <span className={clsx('inline-flex items-center gap-1.5 text-[0.875rem] font-medium', className)}>
      <Icon aria-hidden className="size-4 shrink-0" />
      {status}
    </span>
  );
}
