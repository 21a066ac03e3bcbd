import { Bell } from 'lucide-react';
import type { PrincipalRef, Role } from '../lib/roles';
import { AccountMenu } from './account-menu';
import { PaletteButton } from './commands/palette-button';
import { Link } from './link';
import { Logo } from './logo';
import { NavLink, SignInLink } from './nav-link';
import type { Theme } from './theme';
import { ThemeToggle } from './theme-toggle';
import { Tip } from './tip';

type Props = {
  viewer: (PrincipalRef & { role: Role }) | undefined;
  /** Notices that the viewer has not read. */
  notices: number;
  theme: Theme;
  setTheme: (data: FormData) => Promise<void>;
  signOut: () => Promise<void>;
};

function Notices({ count }: { count: number }) {
  return (
    <Tip label="Notices">
      <Link href="/notices" className="icon-button relative">
        <Bell aria-hidden className="size-5" strokeWidth={1.75} />
        <span className="sr-only">Notices: {count} unread</span>
        {count > 0 && (
          <span aria-hidden className="absolute top-0.5 right-0.5 min-w-4.5 rounded-full bg-accent px-1 text-center text-[0.6875rem] leading-4.5 font-semibold text-on-accent">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </Link>
    </Tip>
  );
}

/** The head of every page. */
export function Header({ viewer, notices, theme, setTheme, signOut }: Props) {
  return (
    <header className="site-header border-b border-line bg-surface">
      <div className="page-width flex min-h-14 flex-wrap items-center gap-x-1 sm:gap-x-2">
        <Link href="/" className="-ml-1 flex min-h-10 items-center gap-2 rounded-md p-1 font-semibold tracking-tight">
          <Logo className="size-6 text-accent" />
          <span className="max-sm:sr-only">Holdfast</span>
        </Link>
        <nav aria-label="Main" className="flex items-center sm:ml-3 sm:gap-1">
          <NavLink href="/" exact>
            Board
          </NavLink>
          {viewer?.role === 'operator' && <NavLink href="/admin">Admin</NavLink>}
        </nav>
        <div className="ml-auto flex items-center gap-0.5 sm:gap-1.5">
          <PaletteButton />
          {viewer ? (
            <>
              <Notices count={notices} />
              <AccountMenu viewer={viewer} notices={notices} theme={theme} setTheme={setTheme} signOut={signOut} />
            </>
          ) : (
            <>
              <Tip label={`Theme: ${theme}`}>
                <ThemeToggle theme={theme} action={setTheme} />
              </Tip>
              <SignInLink />
            </>
          )}
        </div>
      </div>
    </header>
  );
}
