import clsx from 'clsx';
import { Link } from './link';

/** The pages of one part of the site. */
export function SubNav({ label, items, at }: { label: string; items: { label: string; href: string }[]; at: string }) {
  const first = Math.max(0, items.findIndex((item) => item.href === at) - 1);
  return (
    <nav aria-label={label} className="tab-strip mb-6">
      <ul className="tab-row">
        {items.map((item, i) => (
          <li key={item.href} className={clsx(i === first && 'tab-first')}>
            <Link href={item.href} aria-current={item.href === at ? 'page' : undefined} className={clsx('tab', item.href === at && 'tab-marked')}>
              {item.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
