'use client';

import { useSyncExternalStore } from 'react';
import type { LockFace } from '../../lib/live/snapshot';
import { current, onServer, subscribe, type Live } from './store';

/** One thing of what is known now; renders again only when it becomes another. */
export const useLive = <T>(select: (live: Live) => T): T => useSyncExternalStore(subscribe, () => select(current()), () => select(onServer()));

/** A lock's face: as the page was made, or as it was heard since. */
export function useFace<F extends { now: string }>(slug: string, made: F): F | LockFace {
  const heard = useLive((live) => live.faces.get(slug));
  return heard && heard.now > made.now ? heard : made;
}
