'use client';

import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useRef, useState, type ComponentType } from 'react';
import type { Role } from '../../lib/roles';
import { announce } from '../live-region';
import { startPending } from '../pending';
import type { Theme } from '../theme';
import { isMac, onOverlay, type Overlay } from './open';
import type { PaletteProps } from './palette';
import { singleKeys } from './setting';
import type { SheetProps } from './sheet';
import { destination } from './shortcuts';

type Props = {
  role: Role | undefined;
  theme: Theme;
  setTheme: (data: FormData) => Promise<void>;
  signOut: () => Promise<void>;
};

/** How long `g` waits for its second key, in milliseconds. */
const SECOND_KEY_MS = 1_500;

const load = {
  palette: () => import('./palette').then((module) => module.Palette),
  sheet: () => import('./sheet').then((module) => module.Sheet),
};

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
const hasOverlay = (): boolean => document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;
const isChord = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'k' && !event.altKey && !event.shiftKey && (event.metaKey ? !event.ctrlKey : event.ctrlKey && !isMac());

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main [role=search] input:not([type=hidden])');
  field?.focus();
  field?.select();
  return field !== null;
}

/**
 * The page's keys: the palette by Ctrl or Command and K, and single keys that do nothing while
 * one types, with modifiers, or in a dialog. Palette and sheet are fetched when first asked for.
 */
export function Commands({ role, theme, setTheme, signOut }: Props) {
  const router = useRouter();
  const path = usePathname();
  const [shown, setShown] = useState<Overlay>();
  const [PaletteDialog, setPalette] = useState<ComponentType<PaletteProps>>();
  const [SheetDialog, setSheet] = useState<ComponentType<SheetProps>>();
  const [query, setQuery] = useState('');
  /** True from the chord until the palette has the focus: what is typed in between is meant for it. */
  const awaited = useRef(false);
  const prefix = useRef(-Infinity);

  useEffect(() => {
    const show = async (overlay: Overlay) => {
      awaited.current = overlay === 'palette';
      setQuery('');
      try {
        if (overlay === 'palette') {
          const loaded = await load.palette();
          setPalette(() => loaded);
        } else {
          const loaded = await load.sheet();
          setSheet(() => loaded);
        }
        setShown(overlay);
      } catch {
        awaited.current = false;
        announce('This could not be loaded. Check the connection and try again.');
      }
    };

    const single = (event: KeyboardEvent): boolean => {
      const second = event.timeStamp - prefix.current < SECOND_KEY_MS;
      prefix.current = -Infinity;
      if (second) {
        const to = destination(event.key, location.pathname);
        if (to === undefined) return false;
        if (to !== location.pathname) startPending(to);
        router.push(to);
        return true;
      }
      if (event.key === 'g') prefix.current = event.timeStamp;
      if (event.key === '/') return focusSearch();
      if (event.key !== '?') return false;
      void show('sheet');
      return true;
    };

    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if (isChord(event)) {
        event.preventDefault();
        if (!hasOverlay() && !awaited.current) void show('palette');
        return;
      }
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key === 'Escape' || (event.target instanceof Element && event.target.closest('[role=dialog]'))) awaited.current = false;
      if (awaited.current && plain) {
        event.preventDefault();
        if (event.key.length === 1) setQuery((current) => current + event.key);
        return;
      }
      if (!plain || event.repeat || isField(event.target) || hasOverlay() || !singleKeys()) return;
      if (single(event)) event.preventDefault();
    };

    const off = onOverlay((overlay) => void show(overlay));
    addEventListener('keydown', onKeyDown);
    return () => {
      off();
      removeEventListener('keydown', onKeyDown);
    };
  }, [router]);

  const onOpenChange = (overlay: Overlay) => (open: boolean) => {
    if (!open) awaited.current = false;
    setShown(open ? overlay : undefined);
  };
  return (
    <>
      {PaletteDialog && (
        <PaletteDialog
          open={shown === 'palette'}
          onOpenChange={onOpenChange('palette')}
          query={query}
          onQueryChange={setQuery}
          path={path}
          role={role}
          theme={theme}
          setTheme={setTheme}
          signOut={signOut}
        />
      )}
      {SheetDialog && <SheetDialog open={shown === 'sheet'} onOpenChange={onOpenChange('sheet')} />}
    </>
  );
}
