import clsx from 'clsx';
import { Link } from './link';

/** The pages of one part of the site. */
export function SubNav({ label, items, at }: { label: string; items: { label: string; href: string }[]; at: string }) {
  return (
    <nav aria-label={label} className="mb-6 overflow-x-auto">
      <ul className="flex w-max min-w-full gap-1 border-b border-line sm:gap-2">
        {items.map((item) => (
          <li key={item.href}>
            <Link
              href={item.href}
              aria-current={item.href === at ? 'page' : undefined}
              className={clsx(
                '-mb-px block border-b-2 px-2.5 py-2.5 text-[0.9375rem] whitespace-nowrap -outline-offset-2 sm:px-3',
                item.href === at ? 'border-accent font-medium text-ink' : 'border-transparent text-ink-soft hover:border-line-strong hover:text-ink',
              )}
            >
              {item.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
