'use client';

import { useServerNow } from './clock';
import { durationText } from './duration';

/** How long ago an instant was, counted on from the server's time (T-3). */
export function Elapsed({ since, now }: { since: string; now: string }) {
  const ticking = useServerNow(1_000);
  const from = Date.parse(since);
  return <span className="whitespace-nowrap tabular-nums">{durationText(Math.max(0, Math.max(ticking ?? 0, Date.parse(now)) - from))}</span>;
}
