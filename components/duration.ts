/** Durations and times as people read them. Pure. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const two = (n: number): string => String(n).padStart(2, '0');

/** How much is left: `1 d 3 h`, `3 h 12 min`, `12 min 05 s`, `42 s`. Rounded up, so that it reads 0 only when it is over. */
export function durationText(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / SECOND)) * SECOND;
  const [d, h, m, s] = [Math.floor(left / DAY), Math.floor((left % DAY) / HOUR), Math.floor((left % HOUR) / MINUTE), Math.floor((left % MINUTE) / SECOND)];
  if (d > 0) return `${d} d ${h} h`;
  if (h > 0) return `${h} h ${two(m)} min`;
  if (m > 0) return `${m} min ${two(s)} s`;
  return `${s} s`;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

/** `5 minutes ago`, `in 2 hours`, `just now`. */
export function relativeText(at: number, now: number): string {
  const difference = at - now;
  for (const [unit, length] of STEPS) {
    if (Math.abs(difference) >= length) return relative.format(Math.trunc(difference / length), unit);
  }
  if (Math.abs(difference) < 10 * SECOND) return 'just now';
  return difference < 0 ? 'less than a minute ago' : 'in less than a minute';
}

const utc = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' });

/** `30 Nov 2026, 10:59 UTC`: the same on every server and in every browser. */
export const utcText = (instant: string): string => `${utc.format(Date.parse(instant))} UTC`;

/** The whole instant: `2026-11-30 10:59:28.123456 UTC`. */
export const exactText = (instant: string): string => instant.replace('T', ' ').replace('Z', ' UTC');
