/** What a lead has set for its heartbeats in this browser, and when somebody last touched a page of ours here. */
import { store, storedText } from '../storage';

const IDLE_KEY = 'holdfast.heartbeat.idle';
const TOUCHED_KEY = 'holdfast.touched';
const offKey = (slug: string, grant: number) => `holdfast.heartbeat.off.${slug}.${grant}`;

/** The choices, in seconds. */
export const IDLE_CHOICES = [900, 1_800, 3_600, 7_200, 14_400] as const;
const DEFAULT_IDLE = 3_600;
/** Touches are told to the browser's other tabs so often at most, in milliseconds. */
const TOLD_MS = 1_000;

export function idleSeconds(): number {
  const set = Number(storedText(IDLE_KEY));
  return set > 0 ? set : DEFAULT_IDLE;
}

export const setIdleSeconds = (seconds: number): void => store(IDLE_KEY, String(seconds));

export const isOff = (slug: string, grant: number): boolean => storedText(offKey(slug, grant)) !== null;

export const setOff = (slug: string, grant: number, off: boolean): void => store(offKey(slug, grant), off ? 'yes' : undefined);

let touched = 0;

/** When somebody last touched a page of ours in this browser, in milliseconds since 1970. */
export function touchedAt(): number {
  const now = Date.now();
  // A clock that was set back: nobody has touched a page later than now.
  touched = Math.min(touched, now);
  const told = Number(storedText(TOUCHED_KEY));
  return told > now + TOLD_MS ? touched : Math.max(touched, told);
}

/** Somebody touches this page. */
export function touch(): void {
  const now = Date.now();
  if (Math.abs(now - touched) < TOLD_MS) return;
  touched = now;
  store(TOUCHED_KEY, String(now));
}
