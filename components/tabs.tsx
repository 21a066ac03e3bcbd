'use client';

import clsx from 'clsx';
import { usePathname } from 'next/navigation';
import { Link } from './link';

const TABS = [
  ['Overview', ''],
  ['Lock', '/lock'],
  ['Collaboration', '/collaboration'],
  ['Register', '/register'],
  ['Drafts', '/drafts'],
  ['Grid', '/grid'],
  ['Passes', '/passes'],
  ['Amendments', '/amendments'],
] as const;

/** The pages of one container. An entry belongs to the overview, a history to its page. */
export function Tabs({ slug }: { slug: string }) {
  const base = `/c/${slug}`;
  const path = usePathname();
  const inside = path.startsWith(`${base}/entries/`) ? '' : `/${path.slice(base.length).split('/')[1] ?? ''}`.replace(/\/$/, '');
  return (
    <nav aria-label="Container" className="-mx-4 overflow-x-auto px-4 sm:mx-0 sm:px-0">
      <ul className="flex w-max min-w-full gap-1 border-b border-line sm:gap-2">
        {TABS.map(([label, at]) => (
          <li key={at}>
            <Link
              href={`${base}${at}`}
              aria-current={at === inside ? 'page' : undefined}
              className={clsx(
                '-mb-px block border-b-2 px-2.5 py-2.5 text-[0.9375rem] whitespace-nowrap -outline-offset-2 sm:px-3',
                at === inside ? 'border-accent font-medium text-ink' : 'border-transparent text-ink-soft hover:border-line-strong hover:text-ink',
              )}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
