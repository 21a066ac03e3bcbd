'use client';

import { useEffect } from 'react';
import { takeOffset } from './clock';

/** Sets the browser's idea of the server's time (T-3) for every time on the page. Shows nothing. */
export function ServerClock({ now }: { now: string }) {
  useEffect(() => takeOffset(now), [now]);
  return null;
}
