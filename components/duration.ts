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

// By hand: a formatter of the browser's takes longer to make than all of a page's texts.
const STEPS = [
  ['year', 365 * DAY, 'last year', 'next year'],
  ['month', 30 * DAY, 'last month', 'next month'],
  ['day', DAY, 'yesterday', 'tomorrow'],
  ['hour', HOUR, '1 hour ago', 'in 1 hour'],
  ['minute', MINUTE, '1 minute ago', 'in 1 minute'],
] as const;

/** `5 minutes ago`, `in 2 hours`, `yesterday`, `just now`. */
export function relativeText(at: number, now: number): string {
  const difference = at - now;
  for (const [unit, length, last, next] of STEPS) {
    const count = Math.floor(Math.abs(difference) / length);
    if (count === 1) return difference < 0 ? last : next;
    if (count > 1) return difference < 0 ? `${count} ${unit}s ago` : `in ${count} ${unit}s`;
  }
  if (Math.abs(difference) < 10 * SECOND) return 'just now';
  return difference < 0 ? 'seconds ago' : 'in seconds';
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * `30 Nov 2026, 10:59 UTC`: the same on every server and in every browser.
 * @param now milliseconds since 1970; the year is left out where it is this one's
 */
export function utcText(instant: string, now?: number): string {
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(instant)!;
  const thisYear = now !== undefined && new Date(now).getUTCFullYear() === Number(year);
  return `${Number(day)} ${MONTHS[Number(month) - 1]}${thisYear ? '' : ` ${year}`}, ${time} UTC`;
}

/** A day in UTC, from milliseconds since 1970: `30 Nov`. */
export function dayText(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** The whole instant: `2026-11-30 10:59:28.123456 UTC`. */
export const exactText = (instant: string): string => instant.replace('T', ' ').replace('Z', ' UTC');
