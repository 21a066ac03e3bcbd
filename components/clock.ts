'use client';

/**
 * The server's time in the browser (T-3): an offset taken when a page's `now` arrives, and one
 * tick a second for everything that shows a time.
 */
import { useCallback, useSyncExternalStore } from 'react';

/** Milliseconds to add to this browser's clock to get the server's. */
let offset = 0;
let taken = false;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

const tell = () => listeners.forEach((listener) => listener());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tell, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** Milliseconds since 1970 on the server, as well as the browser can tell. */
export const serverNow = (): number => Date.now() + offset;

/** Takes the offset from a page's `now`. The first comes with the document, which was sent before its scripts ran. */
export function takeOffset(now: string): void {
  const [navigation] = taken ? [] : (performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]);
  const received = navigation ? performance.timeOrigin + navigation.responseStart : Date.now();
  taken = true;
  offset = Date.parse(now) - received;
  tell();
}

const onServer = () => undefined;

/**
 * The server's time in steps of `step` milliseconds, or undefined before scripts run.
 * A component that shows minutes renders once a minute.
 */
export const useServerNow = (step: number): number | undefined =>
  useSyncExternalStore(subscribe, () => Math.floor(serverNow() / step) * step, onServer);

const MINUTE = 60_000;

/**
 * Whether the server's time has reached `at`: true from that very moment on, with no request.
 * @param now the server's instant at which the page was made
 */
export function useReached(at: string, now: string): boolean {
  // The browser's milliseconds drop the rest of an instant: one more is past it.
  const left = useCallback(() => Date.parse(at) + 1 - serverNow(), [at]);
  const follow = useCallback(
    (listener: () => void) => {
      let due: ReturnType<typeof setTimeout>;
      const look = () => {
        clearTimeout(due);
        listener();
        if (left() > 0) due = setTimeout(look, Math.min(left(), MINUTE));
      };
      // Each second too: the offset may change, and a sleeping browser's timers are late.
      const stop = subscribe(look);
      due = setTimeout(look, Math.max(0, Math.min(left(), MINUTE)));
      return () => {
        clearTimeout(due);
        stop();
      };
    },
    [left],
  );
  return useSyncExternalStore(follow, () => now >= at || left() <= 0, () => now >= at);
}

const nothing = () => () => undefined;

/** True once scripts run. */
export const useHydrated = (): boolean => useSyncExternalStore(nothing, () => true, () => false);
