'use client';

import clsx from 'clsx';
import { usePathname } from 'next/navigation';
import type { ReactNode } from 'react';
import { Link } from './link';

/** A link of the header; it knows when one is there. */
export function NavLink({ href, exact = false, children }: { href: string; exact?: boolean; children: ReactNode }) {
  const path = usePathname();
  const here = exact ? path === href : path === href || path.startsWith(`${href}/`);
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className={clsx('rounded-md px-2.5 py-1.5 text-[0.9375rem] hover:bg-sunken hover:text-ink', here ? 'font-medium text-ink' : 'text-ink-soft')}
    >
      {children}
    </Link>
  );
}

/** To the sign-in page, and back here. */
export function SignInLink() {
  const path = usePathname();
  if (path === '/sign-in') return null;
  return (
    <Link href={path === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(path)}`} className="button button-small">
      Sign in
    </Link>
  );
}
