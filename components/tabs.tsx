'use client';

import clsx from 'clsx';
import { usePathname } from 'next/navigation';
import { useLayoutEffect, useRef } from 'react';
import { Link } from './link';
import { usePendingPath } from './pending';

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

/** An entry belongs to the overview, a history to its page. */
const tabOf = (base: string, path: string): string => (path.startsWith(`${base}/entries/`) ? '' : `/${path.slice(base.length).split('/')[1] ?? ''}`.replace(/\/$/, ''));

/** The pages of one container. The one that was asked for is marked at once; on a phone the current one is in view. */
export function Tabs({ slug }: { slug: string }) {
  const base = `/c/${slug}`;
  const path = usePathname();
  const asked = usePendingPath();
  const here = tabOf(base, path);
  const marked = asked === base || asked?.startsWith(`${base}/`) ? tabOf(base, asked) : here;
  const first = Math.max(0, TABS.findIndex(([, at]) => at === here) - 1);
  const strip = useRef<HTMLElement>(null);
  // Where the browser does not start there by itself (`scroll-initial-target`).
  useLayoutEffect(() => {
    const [row, tab] = [strip.current, strip.current?.querySelector<HTMLElement>('[aria-current]')];
    if (!row || !tab) return;
    const [outer, inner] = [row.getBoundingClientRect(), tab.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right) row.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }, [here]);
  return (
    <nav ref={strip} aria-label="Container" className="tab-strip">
      <ul className="tab-row">
        {TABS.map(([label, at], i) => (
          <li key={at} className={clsx(i === first && 'tab-first')}>
            <Link href={`${base}${at}`} aria-current={at === here ? 'page' : undefined} className={clsx('tab', at === marked && 'tab-marked')}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
