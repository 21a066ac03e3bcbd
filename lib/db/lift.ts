/**
 * LP-4: after a restore or a promotion the grants that the lost database gave out are
 * unknown, so the next one is lifted far above any that can have been given.
 */
import type pg from 'pg';
import { inGate } from './gate';
import { incarnationOf, type Incarnation } from './incarnation';
import { rows, statement, type Db } from './pool';

/** How far `nextGrant` is lifted. */
export const LIFT = 1000;

const LIFT_ONE = statement(`
  WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
  old AS (
    SELECT id, system_identifier, timeline FROM container
    WHERE id = $1 AND (system_identifier, timeline) IS DISTINCT FROM ($2, $3)
  ),
  marked AS (
    UPDATE container c SET system_identifier = $2, timeline = $3 FROM old WHERE c.id = old.id RETURNING c.id
  ),
  page AS (
    UPDATE lock_page l SET
      revision = greatest(l.revision, (SELECT max(v.revision) FROM lock_revision v WHERE v.container_id = l.container_id)) + 1,
      next_grant = l.next_grant + ${LIFT}
    FROM marked WHERE l.container_id = marked.id RETURNING l.*
  ),
  revision AS (
    INSERT INTO lock_revision (container_id, revision, kind, author_id, at, summary, edit_reason, holder_id, reason, "grant", next_grant,
      granted_at, expires_at, last_beat_at, available_since, caution_since, caution_grant, notes)
    SELECT page.container_id, page.revision, 'reopen', NULL, clock.now, 'Lifted the next grant to ' || page.next_grant, $4,
      page.holder_id, page.reason, page."grant", page.next_grant, page.granted_at, page.expires_at, page.last_beat_at,
      page.available_since, page.caution_since, page.caution_grant, NULL
    FROM page, clock
  )
  INSERT INTO audit_line (container_id, at, actor_id, action, target, "grant", reason, details)
  SELECT page.container_id, clock.now, NULL, 'reopen', 'lock', page."grant", $4,
    jsonb_build_object('nextGrant', page.next_grant, 'by', 'Holdfast itself',
      'was', jsonb_build_object('systemIdentifier', old.system_identifier, 'timeline', old.timeline),
      'is', jsonb_build_object('systemIdentifier', $2::text, 'timeline', $3::text))
  FROM page, clock, old
  RETURNING container_id`);

const REASON = 'The database was restored or promoted since it was last written here: grants that it lost must never be given again.';

async function lift(client: pg.PoolClient, containerId: string, incarnation: Incarnation): Promise<void> {
  await rows(client, LIFT_ONE, [containerId, incarnation.systemIdentifier, incarnation.timeline, REASON]);
}

/** Lifts one container's `nextGrant` if the database is not the one last recorded for it; does nothing otherwise. */
export function liftGrants(db: Db, slug: string): Promise<void> {
  return inGate(db, slug, 'exclusive', async (client, { id }) => lift(client, id, await incarnationOf(client)));
}

const STALE = statement(`SELECT slug FROM container WHERE (system_identifier, timeline) IS DISTINCT FROM ($1, $2) ORDER BY number`);

/** Lifts every container that another life of the database wrote last (at boot). Gives their slugs. */
export async function liftAllGrants(db: Db, incarnation: Incarnation): Promise<string[]> {
  const stale = await rows<{ slug: string }>(db, STALE, [incarnation.systemIdentifier, incarnation.timeline]);
  for (const { slug } of stale) await liftGrants(db, slug);
  return stale.map((s) => s.slug);
}
