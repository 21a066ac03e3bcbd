import { inGate } from '../db/gate';
import { row, rows, statement, type Db } from '../db/pool';
import { availableFrom, readQueue } from '../lock-page/queue';
import { layTurns } from '../lock-page/turns';
import { writeNotice } from '../notices/write';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';
import { emitIn } from '../webhooks/emit';

// Containers that nobody holds, with somebody waiting who was not told since they became available.
const AVAILABLE = statement(`
  SELECT c.slug FROM container c JOIN lock_page l ON l.container_id = c.id
  WHERE c.archived_at IS NULL AND (l.holder_id IS NULL OR l.expires_at <= clock_timestamp())
    AND EXISTS (
      SELECT 1 FROM petition t WHERE t.container_id = c.id AND t.state = 'waiting'
        AND (t.told_at IS NULL OR t.told_at < CASE WHEN l.holder_id IS NULL THEN l.available_since ELSE l.expires_at END))`);
const STATE = statement(`
  SELECT clock_timestamp() AS now, holder_id AS "holderId", available_since AS "availableSince", expires_at AS "expiresAt", window_seconds AS "windowSeconds",
    "grant", principal_ref(holder_id) AS holder
  FROM lock_page WHERE container_id = $1 AND (holder_id IS NULL OR expires_at <= clock_timestamp())`);
const TELL = statement(`
  UPDATE petition SET told_at = $2 WHERE id = $1 AND state = 'waiting' AND (told_at IS NULL OR told_at < $3) RETURNING id`);

type State = { now: Instant; holderId: string | null; availableSince: Instant | null; expiresAt: Instant | null; windowSeconds: number; grant: number; holder: PrincipalRef | null };

/**
 * tells each waiter once that its turn has begun, in every handover. Time alone brings a
 * turn, so instances look every few seconds; whichever marks the petition first tells.
 * @returns how many were told
 */
export async function tellTurns(db: Db): Promise<number> {
  let told = 0;
  for (const { slug } of await rows<{ slug: string }>(db, AVAILABLE)) told += await tellIn(db, slug);
  return told;
}

const tellIn = (db: Db, slug: string): Promise<number> =>
  inGate(db, slug, 'shared', async (client, { id: containerId }) => {
    const page = await row<State>(client, STATE, [containerId]);
    if (!page) return 0;
    const t0 = availableFrom(page);
    let told = 0;
    for (const { waiter, begin } of layTurns(t0, page.windowSeconds, await readQueue(client, containerId, t0)).slots) {
      if (begin > page.now || !(await row(client, TELL, [waiter.id, page.now, t0]))) continue;
      await writeNotice(client, { principalId: waiter.principalId, containerId, kind: 'turn-begun', details: { petition: waiter.id, turnAt: begin }, at: page.now });
      const { id, principal, reason } = waiter;
      await emitIn(client, containerId, { type: 'turn.begun', at: page.now, grant: page.grant, holder: page.holder, data: { petition: id, principal, reason, turnAt: begin } });
      told++;
    }
    return told;
  });
