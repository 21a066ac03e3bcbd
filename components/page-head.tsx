import type { ReactNode } from 'react';
import { Link } from './link';

/** The head of a page: where it stands, its title, its badge, and what can be done from here. */
export function PageHead({ title, crumbs = [], badge, intro, actions }: { title: ReactNode; crumbs?: { label: string; href: string }[]; badge?: ReactNode; intro?: ReactNode; actions?: ReactNode }) {
  return (
    <header className="mb-6">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-2 text-[0.875rem] text-ink-faint">
          <ol className="flex flex-wrap gap-x-1.5">
            {crumbs.map((crumb) => (
              <li key={crumb.href} className="after:ml-1.5 after:content-['/'] last:after:content-none">
                <Link href={crumb.href} className="hover:text-ink hover:underline">
                  {crumb.label}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 dir="auto" className="min-w-0 text-[1.625rem] font-semibold break-words sm:text-[1.875rem]">{title}</h1>
        {badge}
        {actions && <div className="ml-auto flex min-w-0 flex-wrap gap-2">{actions}</div>}
      </div>
      {intro && <div className="mt-2 max-w-[68ch] text-ink-soft">{intro}</div>}
    </header>
  );
}
