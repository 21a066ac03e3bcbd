'use client';

import { ChevronDown, CircleUserRound } from 'lucide-react';
import { useState, type ComponentType } from 'react';
import type { PrincipalRef, Role } from '../lib/roles';
import type { AccountPopupProps } from './account-popup';
import { useHydrated } from './clock';
import { Link } from './link';
import { THEME_LABELS, THEMES, type Theme } from './theme';

export type AccountProps = {
  viewer: PrincipalRef & { role: Role };
  /** Notices that the viewer has not read. */
  notices: number;
  theme: Theme;
  setTheme: (data: FormData) => Promise<void>;
  signOut: () => Promise<void>;
};

const load = () => import('./account-popup').then((module) => module.AccountPopup);

/** The viewer's own menu. Before scripts run, and where its menu cannot be fetched, it unfolds in place: plain links and forms. */
export function AccountMenu(props: AccountProps) {
  const hydrated = useHydrated();
  const [Popup, setPopup] = useState<ComponentType<AccountPopupProps>>();
  const [unfolded, setUnfolded] = useState(() => typeof document !== 'undefined' && document.querySelector('details.account[open]') !== null);
  const face = <Face name={props.viewer.name} />;
  if (Popup) return <Popup {...props} face={face} />;
  if (!hydrated || unfolded) return <Unfolding {...props} />;
  const open = () =>
    load().then(
      (loaded) => setPopup(() => loaded),
      () => setUnfolded(true),
    );
  return (
    <button type="button" aria-haspopup="menu" aria-expanded={false} onPointerEnter={() => void load().catch(() => undefined)} onClick={() => void open()} className="account-button">
      {face}
    </button>
  );
}

function Face({ name }: { name: string }) {
  return (
    <>
      <CircleUserRound aria-hidden className="size-5 shrink-0 text-ink-faint" strokeWidth={1.75} />
      <span className="sr-only">Account: </span>
      <bdi className="max-w-40 truncate max-sm:sr-only">{name}</bdi>
      <ChevronDown aria-hidden className="size-4 shrink-0 text-ink-faint max-sm:hidden" />
    </>
  );
}

function Unfolding({ viewer, notices, theme, setTheme, signOut }: AccountProps) {
  return (
    <details className="account relative">
      <summary className="account-button list-none">
        <Face name={viewer.name} />
      </summary>
      <div className="menu absolute top-full right-0 z-30 mt-1.5">
        <WhoseMenu viewer={viewer} />
        <form action={setTheme} aria-label="Theme" className="border-b border-line py-1">
          {THEMES.map((each) => (
            <button key={each} type="submit" name="theme" value={each} aria-pressed={each === theme} className="choice">
              {THEME_LABELS[each]}
            </button>
          ))}
        </form>
        <Link href="/notices" className="choice">
          Notices
          {notices > 0 && <span className="ml-auto text-ink-soft">{notices} unread</span>}
        </Link>
        <form action={signOut}>
          <button type="submit" className="choice">
            Sign out
          </button>
        </form>
      </div>
    </details>
  );
}

/** The head of the menu: who one is here. */
export function WhoseMenu({ viewer }: { viewer: AccountProps['viewer'] }) {
  return (
    <div className="border-b border-line px-3 pt-1 pb-2.5">
      <bdi className="block font-medium break-words">{viewer.name}</bdi>
      <span className="text-[0.875rem] text-ink-soft">{viewer.role}</span>
    </div>
  );
}
