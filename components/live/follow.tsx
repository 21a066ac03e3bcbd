'use client';

import { useEffect, useRef } from 'react';
import type { Topic, Versions } from '../../lib/live/snapshot';
import { refreshWithin } from './refresher';
import { current, spread, subscribe, watch } from './store';

/** What a page shows of a container: the versions that stood at `now`, before it was read. */
export type Seen = { slug: string; now: string; versions: Partial<Versions> };

/** A reading that brought no newer page is tried again after so long, in milliseconds. */
const AGAIN_MS = 3_000;

/** What was heard of this page's containers that is not on the page yet. */
function behind(seen: readonly Seen[], board: string | undefined): string {
  const live = current();
  const news = seen.flatMap(({ slug, now, versions }) => {
    const heard = live.versions.get(slug) ?? {};
    return (Object.keys(versions) as Topic[]).flatMap((topic) => {
      const { [topic]: told } = heard;
      return told && told.now > now && told.version !== versions[topic] ? `${slug}.${topic}.${told.version}` : [];
    });
  });
  return [...news, ...(board !== undefined && live.board !== undefined && live.board !== board ? [`board.${live.board}`] : [])].join();
}

/** Has the page read again when something on it changed. Shows nothing. */
export function Follow({ seen, board }: { seen: readonly Seen[]; board?: string }) {
  const slugs = seen.map((s) => s.slug).join();
  const onBoard = board !== undefined;
  useEffect(() => watch(slugs === '' ? [] : slugs.split(','), onBoard), [slugs, onBoard]);

  const acted = useRef({ news: '', at: 0 });
  useEffect(() => {
    const look = () => {
      const news = behind(seen, board);
      if (news === '') return;
      const now = performance.now();
      if (news === acted.current.news && now - acted.current.at < AGAIN_MS) return;
      acted.current = { news, at: now };
      refreshWithin(spread());
    };
    look();
    return subscribe(look);
  }, [seen, board]);
  return null;
}
