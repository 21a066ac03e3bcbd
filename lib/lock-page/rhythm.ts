/** What a silent holder's heartbeats were like, and which did not come. Pure. */
import { instant, micros, SECOND, type Instant } from '../time';

/** How often heartbeats were to be expected, in seconds; from the holder's own, or from the term where it gave too few. */
export type Rhythm = { seconds: number; from: 'beats' | 'term' };

/** Heartbeats that were expected and did not come: how many, and the first of them. */
export type MissedBeats = { count: number; at: Instant[] };

/** As many missed heartbeats as are named one by one. */
const NAMED = 200;

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * The holder's own rhythm: the median gap of its heartbeats under this grant, the beginning of
 * the grant counted as the first; with no gap to measure, a third of the term.
 * @param beats in the order in which they were accepted
 * @param termSeconds the grant's term
 */
export function rhythmOf(beats: readonly Instant[], termSeconds: number): Rhythm {
  const third = termSeconds / 3;
  if (beats.length < 2) return { seconds: third, from: 'term' };
  const gaps = beats.slice(1).map((at, i) => (micros(at) - micros(beats[i]!)) / SECOND);
  // Heartbeats in one burst are no rhythm: never more than one a second, save under the shortest terms.
  return { seconds: Math.max(median(gaps), Math.min(1, third)), from: 'beats' };
}

/**
 * The heartbeats that were to come after the last one while the grant could still be extended:
 * each one rhythm after the one before, all before the expiry. None where the grant ran to
 * its cap with heartbeats up to the end.
 */
export function missedBeats(lastBeatAt: Instant, expiresAt: Instant, rhythm: Rhythm): MissedBeats {
  const step = Math.max(1, rhythm.seconds * SECOND);
  // The last of three thirds is the expiry itself, however its decimals fall.
  const count = Math.max(0, Math.ceil((micros(expiresAt) - micros(lastBeatAt)) / step - 1e-6) - 1);
  const at = Array.from({ length: Math.min(count, NAMED) }, (_, i) => instant(micros(lastBeatAt) + Math.round((i + 1) * step)));
  return { count, at };
}
