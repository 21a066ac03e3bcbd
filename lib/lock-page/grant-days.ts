/** Grants summed by day, for a time line on which single ones would be too close to tell apart. Pure. */
import { HOUR, instant, micros, SECOND, type Instant, type Micros } from '../time';
import type { GrantEnd, GrantSpan } from './grants';

/** One day (UTC) of a lock: how long it was held and how long its holder was silent, in seconds, how grants ended on it, and the last grant on it. */
export type GrantDay = { from: Instant; until: Instant; grants: number; heldSeconds: number; silentSeconds: number; ended: Record<GrantEnd, number>; lastGrant: number | null };

const DAY: Micros = 24 * HOUR;
const overlap = (from: Micros, until: Micros, day: [Micros, Micros]): Micros => Math.max(0, Math.min(until, day[1]) - Math.max(from, day[0]));
const within = (at: Micros, day: [Micros, Micros]): boolean => day[0] <= at && at < day[1];

/** The days from `since` to `now`, the first and the last of them in part. A grant counts on each day that it touches. */
export function byDay(spans: readonly GrantSpan[], since: Instant, now: Instant): GrantDay[] {
  const end = micros(now);
  const measured = spans.map((span) => ({ grant: span.grant, end: span.end, begins: micros(span.from), lapses: micros(span.heldUntil), ends: micros(span.until) }));
  const days: GrantDay[] = [];
  for (let from = micros(since); from < end; ) {
    const until = Math.min(end, (Math.floor(from / DAY) + 1) * DAY);
    const day: [Micros, Micros] = [from, until === end ? end + 1 : until];
    const ended: Record<GrantEnd, number> = { released: 0, cleared: 0, superseded: 0, held: 0, silent: 0 };
    let [grants, held, silent, last] = [0, 0, 0, 0];
    for (const { begins, lapses, ends, grant, end: how } of measured) {
      if (begins >= day[1] || ends < day[0]) continue;
      grants++;
      last = Math.max(last, grant);
      held += overlap(begins, lapses, [from, until]);
      silent += overlap(lapses, ends, [from, until]);
      if (within(ends, day)) ended[how]++;
    }
    days.push({ from: instant(from), until: instant(until), grants, heldSeconds: held / SECOND, silentSeconds: silent / SECOND, ended, lastGrant: last || null });
    from = until;
  }
  return days;
}
