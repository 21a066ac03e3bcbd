'use client';

/**
 * The page that is on its way, so that a click is answered at once: a line at the top, then a
 * sketch of the page. (`loading.tsx` is not used: a streamed page has sent its status before it
 * knows it, and shows nothing at all without scripts. See decision 11.)
 */
import { useSyncExternalStore } from 'react';

/** A page that comes within this time, in milliseconds, comes without a sketch. */
const SHOW_AFTER_MS = 120;
/** After so long, in milliseconds, the page that one is on stands again. */
const GIVE_UP_MS = 15_000;

let pending: string | undefined;
let late = false;
let timers: ReturnType<typeof setTimeout>[] = [];
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Says that the page at `path` was asked for. */
export function startPending(path: string): void {
  endPending();
  pending = path;
  timers = [
    setTimeout(() => {
      late = true;
      tell();
    }, SHOW_AFTER_MS),
    setTimeout(endPending, GIVE_UP_MS),
  ];
  tell();
}

export function endPending(): void {
  timers.forEach(clearTimeout);
  timers = [];
  if (pending === undefined) return;
  pending = undefined;
  late = false;
  tell();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const nothing = () => undefined;

/** The path that was asked for, from the click on. */
export const usePendingPath = (): string | undefined => useSyncExternalStore(subscribe, () => pending, nothing);

/** The same, once it takes long enough to show a sketch of it. */
export const useLatePath = (): string | undefined => useSyncExternalStore(subscribe, () => (late ? pending : undefined), nothing);
