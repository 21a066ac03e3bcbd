import { inGate } from '../db/gate';
import { liftGrants } from '../db/lift';
import { rows, statement, type Db } from '../db/pool';
import { writeNotice } from '../notices/write';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';
import { emitIn } from '../webhooks/emit';

const UNABLE = statement(`
  SELECT DISTINCT c.slug FROM petition t
  JOIN principal p ON p.id = t.principal_id JOIN container c ON c.id = t.container_id
  WHERE t.state = 'waiting' AND (NOT p.active OR p.role = 'reader')`);

const TAKE = statement(`UPDATE collaboration_page SET revision = revision WHERE container_id = $1`);

// One statement after the page's row is held: each petition gets a revision of its own and an audit line.
const WITHDRAW = statement(`
  WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
  unable AS (
    SELECT t.id, t.principal_id, t.reason, p.name, p.active, p.role, row_number() OVER (ORDER BY t.revision) AS n
    FROM petition t JOIN principal p ON p.id = t.principal_id
    WHERE t.container_id = $1 AND t.state = 'waiting' AND (NOT p.active OR p.role = 'reader')
  ),
  page AS (
    UPDATE collaboration_page SET revision = revision + (SELECT count(*) FROM unable)
    WHERE container_id = $1 AND EXISTS (SELECT 1 FROM unable) RETURNING revision - (SELECT count(*) FROM unable) AS base
  ),
  ended AS (UPDATE petition t SET state = 'withdrawn', ended_at = clock.now FROM unable, clock WHERE t.id = unable.id),
  history AS (
    INSERT INTO collaboration_revision (container_id, revision, kind, author_id, at, summary)
    SELECT $1, page.base + unable.n, 'withdraw', NULL, clock.now,
      'The petition of ' || unable.name || ' was withdrawn: ' || CASE WHEN unable.active THEN 'its role is now ' || unable.role ELSE 'it is deactivated' END
    FROM unable, page, clock
  ),
  audited AS (
    INSERT INTO audit_line (container_id, at, actor_id, action, target, details)
    SELECT $1, clock.now, NULL, 'petition-withdrawn', id::text,
      jsonb_build_object('of', jsonb_build_object('id', principal_id, 'name', name), 'reason', reason) FROM unable, clock
  )
  SELECT unable.id, unable.reason, clock.now AS at, principal_ref(unable.principal_id) AS principal, l."grant", principal_ref(l.holder_id) AS holder
  FROM unable, clock, lock_page l WHERE l.container_id = $1 ORDER BY unable.n`);

type Withdrawn = { id: string; reason: string; at: Instant; principal: PrincipalRef; grant: number; holder: PrincipalRef | null };

/**
 * P-1: withdraws the waiting petitions of principals that are deactivated or are readers now,
 * and tells them. One container a transaction (T-4). Idempotent: run after a principal was
 * changed, at boot and now and then, so that a crash in between leaves none.
 * @returns how many were withdrawn
 */
export async function withdrawPetitionsOfUnable(db: Db): Promise<number> {
  let withdrawn = 0;
  for (const { slug } of await rows<{ slug: string }>(db, UNABLE)) {
    await liftGrants(db, slug); // LP-4: before the first write of another life of the database
    withdrawn += await inGate(db, slug, 'shared', async (client, { id: containerId }) => {
      await rows(client, TAKE, [containerId]);
      const ended = await rows<Withdrawn>(client, WITHDRAW, [containerId]);
      for (const { id, reason, at, principal, grant, holder } of ended) {
        await writeNotice(client, { principalId: principal.id, containerId, kind: 'petition-withdrawn', details: { petition: id, by: null }, at });
        await emitIn(client, containerId, { type: 'petition.ended', at, grant, holder, data: { petition: id, principal, reason, state: 'withdrawn', by: null } });
      }
      return ended.length;
    });
  }
  return withdrawn;
}
