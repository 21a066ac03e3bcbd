/** The badge and the caution: derived on read, never stored (section 3). Pure. */
import { isHeld } from '../db/fence';
import type { Instant } from '../time';

export type Badge = 'OPEN' | 'HANDOVER' | 'HELD' | 'HOLDER SILENT';
export const BADGES: readonly Badge[] = ['OPEN', 'HANDOVER', 'HELD', 'HOLDER SILENT'];

type Held = { holderId: string | null; expiresAt: Instant | null };

/** The badge of a page at `now`, with `waiting` petitions in its queue. */
export function badgeOf(page: Held, now: Instant, waiting: number): Badge {
  if (page.holderId === null) return waiting > 0 ? 'HANDOVER' : 'OPEN';
  return isHeld(page, now) ? 'HELD' : 'HOLDER SILENT';
}

export type Caution = { caution: boolean; cautionSince: Instant | null; cautionGrant: number | null };

/** LP-10: on from the moment a holder falls silent until a release; the first silent grant since is named. */
export function cautionOf(page: Held & { cautionSince: Instant | null; cautionGrant: number | null; grant: number }, now: Instant): Caution {
  if (page.cautionSince !== null) return { caution: true, cautionSince: page.cautionSince, cautionGrant: page.cautionGrant };
  if (page.holderId !== null && !isHeld(page, now)) return { caution: true, cautionSince: page.expiresAt, cautionGrant: page.grant };
  return { caution: false, cautionSince: null, cautionGrant: null };
}
