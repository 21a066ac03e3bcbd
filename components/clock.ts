'use client';

/**
 * The server's time in the browser (T-3): an offset taken when a page's `now` arrives, and one
 * tick a second for everything that shows a time.
 */
import { useCallback, useSyncExternalStore } from 'react';
import { instant, type Instant } from '../lib/time';

/** Milliseconds to add to this browser's clock to get the server's. */
let offset = 0;
let taken = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const tell = () => listeners.forEach((listener) => listener());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= next();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  };
}

/** Ticks as the server's seconds begin. */
function next(): ReturnType<typeof setTimeout> {
  return setTimeout(
    () => {
      timer = listeners.size > 0 ? next() : undefined;
      tell();
    },
    1_000 - (serverNow() % 1_000) + 5,
  );
}

/** An instant (T-2) of whole milliseconds since 1970. */
export const instantOf = (ms: number): Instant => instant(Math.floor(ms) * 1_000);

/** Milliseconds since 1970 on the server, as well as the browser can tell. */
export const serverNow = (): number => Date.now() + offset;

/** A sample that is older than this is outlived by any newer one, in milliseconds. */
const SAMPLE_MS = 300_000;
let sampledAt = -Infinity;

/**
 * Takes a sample of the offset from an instant that the server has just sent. What it took on
 * its way makes the sample too small, never too large, so that the largest of late is the best.
 * The first comes with the document, which was sent before its scripts ran.
 */
export function takeOffset(now: string): void {
  const [navigation] = taken ? [] : (performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]);
  const received = navigation ? performance.timeOrigin + navigation.responseStart : Date.now();
  const sample = Date.parse(now) - received;
  if (taken && sample <= offset && received - sampledAt < SAMPLE_MS) return;
  taken = true;
  offset = sample;
  sampledAt = received;
  tell();
}

/** The browser's clock may have been set: earlier samples say nothing any more. */
export function forgetOffset(): void {
  sampledAt = -Infinity;
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
export function useReached(at: string | null, now: string): boolean {
  // The browser's milliseconds drop the rest of an instant: one more is past it.
  const left = useCallback(() => (at === null ? Infinity : Date.parse(at) + 1 - serverNow()), [at]);
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
  const passed = at !== null && now >= at;
  return useSyncExternalStore(follow, () => passed || left() <= 0, () => passed);
}

const nothing = () => () => undefined;

/** True once scripts run. */
export const useHydrated = (): boolean => useSyncExternalStore(nothing, () => true, () => false);
