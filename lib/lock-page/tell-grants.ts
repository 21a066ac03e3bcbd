import { inGate } from '../db/gate';
import { row, rows, statement, type Db, type Queryable } from '../db/pool';
import { writeNotice } from '../notices/write';
import type { PrincipalRef } from '../roles';
import { GRANT_CAP, HOUR, instant, micros, type Instant } from '../time';
import { emitIn } from '../webhooks/emit';
import { tellSilence } from './tell-silence';

const CAP = `(l.granted_at + interval '${GRANT_CAP / HOUR} hours')`;

// What time alone has brought to a grant, as of `t.now`. An expiry at the cap cannot be moved by a
// heartbeat, so of it only the cap is told; and that once heartbeats have ceased to help, or half an hour before.
const DUE = `
    t.now, l."grant", principal_ref(l.holder_id) AS holder, l.granted_at AS "grantedAt", l.expires_at AS "expiresAt", l.last_beat_at AS "lastBeatAt",
    l.expires_at <= t.now AS silent,
    l.expires_at > t.now AND g.told_cap_at IS NULL
      AND (${CAP} - t.now < interval '30 minutes' OR (l.expires_at = ${CAP} AND l.last_beat_at > l.granted_at)) AS "capNear",
    l.expires_at > t.now AND l.expires_at < ${CAP} AND (g.told_ends_soon_at IS NULL OR g.told_ends_soon_at < l.last_beat_at)
      AND l.expires_at - t.now < least(interval '10 minutes', make_interval(secs => l.grant_term_seconds / 4.0)) AS "endsSoon"
  FROM (SELECT clock_timestamp() AS now OFFSET 0) t, lock_grant g
  JOIN lock_page l ON l.container_id = g.container_id AND l."grant" = g.number AND l.holder_id IS NOT NULL
  WHERE g.ended_at IS NULL AND g.told_silent_at IS NULL`;
const LOOK = statement(`
  SELECT c.slug FROM (SELECT l.container_id, ${DUE}) d JOIN container c ON c.id = d.container_id
  WHERE d.silent OR d."capNear" OR d."endsSoon"`);
const STATE = statement(`SELECT ${DUE} AND g.container_id = $1`);
const MARK_CAP = statement(`UPDATE lock_grant SET told_cap_at = $3 WHERE container_id = $1 AND number = $2 AND told_cap_at IS NULL RETURNING number`);
const MARK_ENDS = statement(`
  UPDATE lock_grant SET told_ends_soon_at = $3 WHERE container_id = $1 AND number = $2 AND (told_ends_soon_at IS NULL OR told_ends_soon_at < $4) RETURNING number`);

type Due = {
  now: Instant;
  grant: number;
  holder: PrincipalRef;
  grantedAt: Instant;
  expiresAt: Instant;
  lastBeatAt: Instant;
  silent: boolean;
  capNear: boolean;
  endsSoon: boolean;
};

/**
 * Tells holders that their grant ends soon (once for each expiry), that the 24 h cap is near
 * (once), and that it has run out; and every operator that a holder fell silent (once). Time
 * alone brings these, so instances look every few seconds; whichever marks the grant first
 * tells. A grant that ended otherwise by then is not told.
 * @returns how many grants were told of
 */
export async function tellGrants(db: Db): Promise<number> {
  let told = 0;
  for (const { slug } of await rows<{ slug: string }>(db, LOOK)) {
    if (await tellIn(db, slug)) told++;
  }
  return told;
}

const tellIn = (db: Db, slug: string): Promise<boolean> =>
  inGate(db, slug, 'shared', async (client, { id }) => {
    const due = await row<Due>(client, STATE, [id]);
    if (!due) return false;
    if (due.silent) return tellSilence(client, { containerId: id, ...due }, due.now);
    const capTold = due.capNear && (await tellCap(client, id, due));
    const endTold = due.endsSoon && (await tellEnd(client, id, due));
    return capTold || endTold;
  });

async function tellCap(q: Queryable, containerId: string, { grant, holder, grantedAt, expiresAt, now }: Due): Promise<boolean> {
  if (!(await row(q, MARK_CAP, [containerId, grant, now]))) return false;
  const capAt = instant(micros(grantedAt) + GRANT_CAP);
  await writeNotice(q, { principalId: holder.id, containerId, kind: 'cap-near', details: { grant, capAt, expiresAt }, at: now });
  await emitIn(q, containerId, { type: 'grant.ends-soon', at: now, grant, holder, data: { because: 'cap', expiresAt, capAt } });
  return true;
}

async function tellEnd(q: Queryable, containerId: string, { grant, holder, grantedAt, expiresAt, lastBeatAt, now }: Due): Promise<boolean> {
  if (!(await row(q, MARK_ENDS, [containerId, grant, now, lastBeatAt]))) return false;
  const capAt = instant(micros(grantedAt) + GRANT_CAP);
  await writeNotice(q, { principalId: holder.id, containerId, kind: 'grant-ends-soon', details: { grant, expiresAt }, at: now });
  await emitIn(q, containerId, { type: 'grant.ends-soon', at: now, grant, holder, data: { because: 'no-heartbeat', expiresAt, capAt } });
  return true;
}
