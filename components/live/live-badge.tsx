'use client';

import { useEffect } from 'react';
import type { LockFace } from '../../lib/live/snapshot';
import { Badge } from '../badge';
import { Caution } from '../caution';
import { CautionMark } from '../caution-mark';
import { useReached } from '../clock';
import { refreshWithin } from './refresher';
import { useFace, useLive } from './use-live';
import { Unknown } from './unknown';

/** What a badge needs of a container, as it stood at `now`. */
export type Faced = { slug: string } & Pick<LockFace, 'badge' | 'now' | 'expiresAt' | 'grant' | 'caution' | 'cautionSince' | 'cautionGrant'>;

/** The page is read again so soon after a time has come, in milliseconds: not by all watchers at once. */
const AFTER_TIME_MS = 500;

/** A lock's face as it is now: by what was heard, and by the time that has come (T-3, LP-10). */
function usePresent(made: Faced): Omit<Faced, 'slug'> {
  const face = useFace(made.slug, made);
  const over = useReached(face.expiresAt, face.now) && face.badge === 'HELD';
  useEffect(() => {
    if (over) refreshWithin(AFTER_TIME_MS);
  }, [over]);
  if (!over) return face;
  const caution = face.caution ? {} : { caution: true, cautionSince: face.expiresAt, cautionGrant: face.grant };
  return { ...face, badge: 'HOLDER SILENT', ...caution };
}

const useUnsure = () => useLive((live) => live.status === 'stale' || live.status === 'signed-out' || live.status === 'gone');

/** The badge, live. Where the server is not heard it claims no state. */
export function LiveBadge({ made, large = false }: { made: Faced; large?: boolean }) {
  const { badge } = usePresent(made);
  return useUnsure() ? <Unknown last={badge} large={large} /> : <Badge badge={badge} large={large} />;
}

/** The caution in short, live. */
export function LiveCautionMark({ made }: { made: Faced }) {
  return usePresent(made).caution && <CautionMark />;
}

/** The caution on a container's pages, live. */
export function LiveCaution({ made }: { made: Faced }) {
  const { caution, cautionSince, cautionGrant } = usePresent(made);
  if (!caution || cautionSince === null || cautionGrant === null) return null;
  return (
    <div className="mb-4">
      <Caution since={cautionSince} grant={cautionGrant} />
    </div>
  );
}
