'use client';

import { useEffect, useState } from 'react';
import type { Badge } from '../../lib/lock-page/badge';

export type FoundContainer = { slug: string; title: string; badge: Badge };

const LIMIT = 8;
/** Typing is answered when it pauses for this long, in milliseconds. */
const PAUSE_MS = 120;

/** What an answer was asked for, and the containers in it. */
export type Found = { query: string; items: FoundContainer[] };

/** The containers that match what is typed (GET /containers), as this browser's viewer may read them. Keeps the last answer until the next. */
export function useContainers(query: string): Found {
  const [found, setFound] = useState<Found>({ query: '', items: [] });
  useEffect(() => {
    const stop = new AbortController();
    const soon = setTimeout(
      async () => {
        try {
          const parameters = new URLSearchParams({ limit: String(LIMIT), ...(query ? { q: query } : {}) });
          const answer = await fetch(`/api/v1/containers?${parameters.toString()}`, {
            signal: stop.signal,
            headers: { accept: 'application/json' },
          });
          if (answer.ok) setFound({ query, items: ((await answer.json()) as { items: FoundContainer[] }).items });
        } catch {
          // Superseded by more typing, or no connection: the pages can still be gone to.
        }
      },
      query === '' ? 0 : PAUSE_MS,
    );
    return () => {
      clearTimeout(soon);
      stop.abort();
    };
  }, [query]);
  return found;
}
