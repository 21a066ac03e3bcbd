import clsx from 'clsx';
import { ArrowRightLeft, HeartOff, Lock, LockOpen, type LucideIcon } from 'lucide-react';
import type { Badge as BadgeText } from '../lib/lock-page/badge';

const LOOKS: Record<BadgeText, { icon: LucideIcon; className: string }> = {
  OPEN: { icon: LockOpen, className: 'badge-open' },
  HANDOVER: { icon: ArrowRightLeft, className: 'badge-handover' },
  HELD: { icon: Lock, className: 'badge-held' },
  'HOLDER SILENT': { icon: HeartOff, className: 'badge-holder-silent' },
};

/** The state of a lock (section 3). Its text is exactly one of the four badges. */
export function Badge({ badge, large = false }: { badge: BadgeText; large?: boolean }) {
  const { icon: Icon, className } = LOOKS[badge];
  return (
    <span role="status" data-testid="badge" className={clsx('badge', className, large && 'badge-large')}>
      <Icon aria-hidden className="size-[1.15em] shrink-0" strokeWidth={2.25} />
      {badge}
    </span>
  );
}
