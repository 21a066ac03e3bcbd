'use client';

import { useEffect } from 'react';
import { takeOffset, useReached, useServerNow } from './clock';
import { durationText, exactText } from './duration';
import { refreshWithin } from './live/refresher';

/** The page is read again so soon after zero, in milliseconds: not by all watchers at once. */
const AFTER_ZERO_MS = 500;

/**
 * What is left until `until`, counted from the server's time (T-3). At zero it shows `over`
 * and has the page read again, because badge and turns change by time alone.
 * @param now the server's instant at which the page was made
 */
export function Countdown({ until, now, over = 'over' }: { until: string; now: string; over?: string }) {
  const ticking = useServerNow(1_000);
  useEffect(() => takeOffset(now), [now]);

  const isOver = useReached(until, now);
  const wasOpen = now < until;
  useEffect(() => {
    if (wasOpen && isOver) refreshWithin(AFTER_ZERO_MS);
  }, [wasOpen, isOver]);

  return (
    <time role="timer" dateTime={until} title={exactText(until)} className="whitespace-nowrap tabular-nums">
      {isOver ? over : durationText(Date.parse(until) - (ticking ?? Date.parse(now)))}
    </time>
  );
}
