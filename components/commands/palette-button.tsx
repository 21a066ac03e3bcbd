'use client';

import { Search } from 'lucide-react';
import clsx from 'clsx';
import { useHydrated } from '../clock';
import { Keys } from '../keys';
import { isMac, openOverlay } from './open';

/** Opens the palette. It keeps its room but does not show before scripts run: without them there is none. */
export function PaletteButton() {
  const hydrated = useHydrated();
  return (
    <button
      type="button"
      onClick={() => openOverlay('palette')}
      aria-haspopup="dialog"
      className={clsx('palette-button', !hydrated && 'invisible')}
    >
      <Search aria-hidden className="size-5 sm:size-4" strokeWidth={1.75} />
      <span className="max-sm:sr-only">Go to…</span>
      <span aria-hidden className="ml-auto pl-4 max-sm:hidden">
        <Keys keys={hydrated && isMac() ? ['⌘', 'K'] : ['Ctrl', 'K']} />
      </span>
    </button>
  );
}

/** A hint of the sheet, at the foot of every page. */
export function SheetButton() {
  const hydrated = useHydrated();
  return (
    <button
      type="button"
      onClick={() => openOverlay('sheet')}
      aria-haspopup="dialog"
      className={clsx('button button-quiet button-small pointer-coarse:hidden', !hydrated && 'invisible')}
    >
      Keyboard shortcuts <Keys keys={['?']} />
    </button>
  );
}
