import type { LucideIcon } from 'lucide-react';
import { Inbox } from 'lucide-react';
import type { ReactNode } from 'react';

/** Nothing here yet: what would be, and how it comes about. */
export function Empty({ title, icon: Icon = Inbox, children, action }: { title: string; icon?: LucideIcon; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <Icon aria-hidden className="size-7 text-ink-faint" strokeWidth={1.5} />
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-[52ch] text-[0.9375rem] text-ink-soft">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  );
}
