/** A past for a container that nobody has held yet: grants of the last weeks, as the lock page's own edits would have left them. */
import type { Db } from '../../lib/db/pool';

export type PastGrant = { who: string; daysAgo: number; heldHours: number; silentHours?: number; end: 'release' | 'clear' | 'silence'; pushes?: number; reason?: string };

const GRANTS = `
  INSERT INTO lock_grant (container_id, number, holder_id, reason, granted_at, ended_at, ended_by, pushes)
  SELECT c.id, p.number, p.who, p.reason, clock_timestamp() - make_interval(secs => p.days * 86400), clock_timestamp() - make_interval(secs => p.days * 86400 - (p.held + p.silent) * 3600), p.ended::grant_end, p.pushes
  FROM container c, jsonb_to_recordset($2) AS p(number bigint, who uuid, reason text, days float8, held float8, silent float8, ended text, pushes int) WHERE c.slug = $1`;
const REVISIONS = `
  INSERT INTO lock_revision (container_id, revision, kind, author_id, at, summary, holder_id, reason, "grant", next_grant, granted_at, expires_at, last_beat_at)
  SELECT g.container_id, g.number + 1, 'acquire', g.holder_id, g.granted_at, 'Acquired the lock with grant ' || g.number, g.holder_id, g.reason, g.number, g.number + 1, g.granted_at,
    g.granted_at + make_interval(secs => p.held * 3600 + CASE WHEN g.ended_by = 'release' THEN 600 ELSE 0 END), g.granted_at
  FROM container c JOIN lock_grant g ON g.container_id = c.id JOIN jsonb_to_recordset($2) AS p(number bigint, held float8) ON p.number = g.number WHERE c.slug = $1`;
const PAGE = `UPDATE lock_page SET revision = $2 + 1, "grant" = $2, next_grant = $2 + 1 WHERE container_id = (SELECT id FROM container WHERE slug = $1)`;
const BEGUN = `UPDATE container SET created_at = clock_timestamp() - interval '40 days' WHERE slug = $1`;

/** Gives a container the grants of `past`, oldest first, numbered from 1. */
export async function past(db: Db, slug: string, grants: PastGrant[]): Promise<void> {
  const rows = JSON.stringify(
    grants.map((g, i) => ({ number: i + 1, who: g.who, reason: g.reason ?? '', days: g.daysAgo, held: g.heldHours, silent: g.silentHours ?? 0, ended: g.end, pushes: g.pushes ?? (g.end === 'release' ? 1 : 0) })),
  );
  await db.query(GRANTS, [slug, rows]);
  await db.query(REVISIONS, [slug, rows]);
  await db.query(PAGE, [slug, grants.length]);
  await db.query(BEGUN, [slug]);
}
