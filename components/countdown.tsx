'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { takeOffset, useServerNow } from './clock';
import { durationText, exactText } from './duration';

/**
 * What is left until `until`, counted from the server's time (T-3). At zero it shows `over`
 * and has the page read again, because badge and turns change by time alone.
 * @param now the server's instant at which the page was made
 */
export function Countdown({ until, now, over = 'over' }: { until: string; now: string; over?: string }) {
  const router = useRouter();
  const ticking = useServerNow(1_000);
  useEffect(() => takeOffset(now), [now]);

  const left = Date.parse(until) - (ticking ?? Date.parse(now));
  const wasOpen = now < until;
  const isOver = left <= 0;
  useEffect(() => {
    if (!wasOpen || !isOver) return;
    const soon = setTimeout(() => router.refresh(), 250 + Math.random() * 750);
    return () => clearTimeout(soon);
  }, [wasOpen, isOver, router]);

  return (
    <time role="timer" dateTime={until} title={exactText(until)} className="whitespace-nowrap tabular-nums">
      {isOver ? over : durationText(left)}
    </time>
  );
}
