import { assertOpen, fence } from '../db/fence';
import type { Db } from '../db/pool';
import { write } from '../db/state';
import { GRANT_CAP, instant, micros, SECOND, type Instant } from '../time';
import { readLockWithin, type LockView } from './read';
import { assertBase, revise } from './revise';

/** What a heartbeat tells besides the lock: whether the 24 h cap is reached, and how many wait. */
export type HeartbeatView = LockView & { atCap: boolean; waiting: number };

/** LP-5: the expiry that a heartbeat at `now` gives, never earlier than the present one and never past 24 h from the grant. Pure. */
export function extend(page: { grantedAt: Instant; expiresAt: Instant; grantTermSeconds: number }, now: Instant): { expiresAt: Instant; atCap: boolean } {
  const cap = micros(page.grantedAt) + GRANT_CAP;
  const extended = Math.max(micros(page.expiresAt), Math.min(micros(now) + page.grantTermSeconds * SECOND, cap));
  return { expiresAt: instant(extended), atCap: extended >= cap };
}

/**
 * LP-5: extends the grant. Only who holds, with its grant; never past 24 h from the grant,
 * to the microsecond. At the cap it still succeeds and says so.
 * @param base the lock page's revision that the caller saw
 * @throws Problem a receipt of R-2, `edit-conflict`, `archived`, `container-closed`, and those of `write`
 */
export function heartbeat(db: Db, slug: string, callerId: string, base: number, input: { grant: number }): Promise<HeartbeatView> {
  return write(db, slug, callerId, 'exclusive', async (gated) => {
    const { client, state } = gated;
    const { now, page } = state;
    fence(state, input.grant);
    await assertBase(gated, base, 'heartbeat');
    assertOpen(state);
    const { expiresAt, atCap } = extend({ ...page, grantedAt: page.grantedAt!, expiresAt: page.expiresAt! }, now);
    await revise(gated, 'heartbeat', { expiresAt, lastBeatAt: now }, { summary: atCap ? 'Heartbeat, at the 24 h cap' : 'Heartbeat' });
    const view = await readLockWithin(client, state.container.id, now);
    return { ...view, atCap, waiting: view.queue.length };
  });
}
