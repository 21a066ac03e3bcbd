/** What must be true of a container at any time, asked of its tables alone. */
import type { Db } from '../db/pool';
import { letTimePass } from './world';

/**
 * Stored times of `letTimePass` are moved, histories are not: this table tells by how much, so
 * that `then(at)` gives the moment that a historical time stands for.
 */
export async function rememberTime(db: Db): Promise<void> {
  await db.query(`
    CREATE TABLE IF NOT EXISTS time_passed (slug text, at timestamptz, seconds int);
    CREATE OR REPLACE FUNCTION passed_by(container uuid, told timestamptz) RETURNS interval LANGUAGE SQL STABLE AS $$
      SELECT make_interval(secs => coalesce(sum(p.seconds), 0)) FROM time_passed p JOIN container c USING (slug) WHERE c.id = container AND p.at <= told
    $$`);
}

/** As `letTimePass`, remembered. */
export async function passTime(db: Db, slug: string, seconds: number): Promise<void> {
  await letTimePass(db, slug, seconds);
  await db.query('INSERT INTO time_passed VALUES ($1, clock_timestamp(), $2)', [slug, seconds]);
}

/** Each query gives what breaks the rule that it is named after. */
const BREACHES: Record<string, string> = {
  'LP-2: revisions of the lock page are gapless': `
    SELECT count(*), max(v.revision), page.revision FROM history v, page GROUP BY page.revision
    HAVING count(*) <> page.revision OR max(v.revision) <> page.revision OR min(v.revision) <> 1`,
  'LP-2: the page is what its last revision says': `
    SELECT 1 FROM page JOIN history v ON v.revision = page.revision
    WHERE (page.holder_id, page."grant", page.next_grant, page.reason, page.caution_grant)
      IS DISTINCT FROM (v.holder_id, v."grant", v.next_grant, v.reason, v.caution_grant)`,
  'Q-1: revisions of the collaboration page are gapless': `
    SELECT 1 FROM collaboration_page p JOIN collaboration_revision r USING (container_id) WHERE p.container_id = $1
    GROUP BY p.revision HAVING count(*) <> p.revision OR max(r.revision) <> p.revision`,
  'Q-1: revision order is time order': `
    SELECT 1 FROM (SELECT at, lag(at) OVER (ORDER BY revision) AS before FROM collaboration_revision WHERE container_id = $1) r WHERE at < before
    UNION ALL SELECT 1 FROM history WHERE at < before_at`,
  'LP-4: grants rise by exactly one, by acquisitions alone': `
    SELECT 1 FROM history WHERE before_grant IS NOT NULL AND "grant" <> before_grant + (kind = 'acquire')::int OR next_grant <> "grant" + 1`,
  'LP-4: a grant is given once': `
    SELECT 1 FROM history WHERE kind = 'acquire' GROUP BY "grant" HAVING count(*) > 1
    UNION ALL SELECT 1 FROM lock_grant g WHERE container_id = $1 AND NOT EXISTS (
      SELECT 1 FROM history v WHERE v.kind = 'acquire' AND v."grant" = g.number AND v.holder_id = g.holder_id AND v.author_id = g.holder_id)
    UNION ALL SELECT 1 FROM history v WHERE kind = 'acquire' AND NOT EXISTS (SELECT 1 FROM lock_grant g WHERE g.container_id = $1 AND g.number = v."grant")`,
  'LP-3: one holder per grant': `
    SELECT 1 FROM history WHERE holder_id IS NOT NULL GROUP BY "grant" HAVING count(DISTINCT holder_id) > 1`,
  'LP-3: one holder at a time': `
    SELECT 1 FROM history WHERE kind = 'acquire' AND before_holder IS NOT NULL AND before_expires_then > at_then`,
  'LP-5: only a living grant is extended, and never past 24 h': `
    SELECT 1 FROM history WHERE expires_at > granted_at + interval '24 hours'
    UNION ALL SELECT 1 FROM history WHERE kind = 'heartbeat' AND (before_expires_then <= at_then OR expires_then < before_expires_then OR author_id <> holder_id)`,
  'LP-6: a release comes from a living grant that has pushed': `
    SELECT 1 FROM history WHERE kind = 'release' AND (before_expires_then <= at_then OR author_id <> before_holder)
    UNION ALL SELECT 1 FROM lock_grant g WHERE g.container_id = $1 AND g.ended_by = 'release' AND g.pushes = 0
    UNION ALL SELECT 1 FROM lock_grant g WHERE g.container_id = $1
      AND g.pushes <> (SELECT count(*) FROM landing l WHERE l.container_id = $1 AND l."grant" = g.number)`,
  'LP-7: a clear comes after the expiry, with a reason and an audit line': `
    SELECT 1 FROM history v WHERE kind = 'clear' AND (before_holder IS NULL OR before_expires_then > at_then OR edit_reason !~ '\\S'
      OR NOT EXISTS (SELECT 1 FROM audit_line a WHERE a.container_id = $1 AND a.action = 'clear' AND a."grant" = v."grant" AND a.at = v.at AND a.reason = v.edit_reason))`,
  'LP-10: the caution is on from a silence until a release': `
    SELECT 1 FROM history WHERE caution_grant IS DISTINCT FROM CASE
      WHEN kind = 'release' THEN NULL
      WHEN before_caution IS NOT NULL THEN before_caution
      WHEN kind IN ('acquire', 'clear') AND before_holder IS NOT NULL THEN before_grant END
    OR (caution_grant IS NULL) <> (caution_since IS NULL)`,
  'R-1: nothing landed under a dead grant': `
    SELECT l.sequence FROM landing l CROSS JOIN LATERAL (SELECT * FROM history v WHERE v.at <= l.at ORDER BY v.revision DESC LIMIT 1) v
    WHERE l.container_id = $1 AND (v."grant" <> l."grant" OR v.holder_id IS DISTINCT FROM l.author_id
      OR l.at + passed_by($1, l.at) < v.granted_at + passed_by($1, v.at) OR l.at + passed_by($1, l.at) >= v.expires_then)`,
  'R-5: landings are gapless': `
    SELECT 1 FROM container c LEFT JOIN landing l ON l.container_id = c.id WHERE c.id = $1
    GROUP BY c.landings HAVING count(l.sequence) <> c.landings OR coalesce(max(l.sequence), 0) <> c.landings`,
  'R-3: what has landed was leased to its author': `
    SELECT 1 FROM entry_revision e WHERE e.container_id = $1 AND e.revision = 1 AND NOT EXISTS (
      SELECT 1 FROM lease x WHERE x.container_id = $1 AND x."grant" = e."grant" AND x.to_id = e.author_id AND x.at <= e.at)`,
  'R-6: the copy shows the latest revisions': `
    SELECT 1 FROM entry_revision e WHERE e.container_id = $1 GROUP BY e.number
    HAVING max(e.revision) <> count(*) OR max(e.revision) IS DISTINCT FROM (SELECT c.revision FROM entry c WHERE c.container_id = $1 AND c.number = e.number)`,
  'L-3: active leases overlap neither each other nor what has landed': `
    SELECT 1 FROM active a JOIN active b ON a.id < b.id AND a.ids && b.ids
    UNION ALL SELECT 1 FROM active a, container c WHERE c.id = $1 AND c.spent && a.ids`,
  'L-4: landed identifiers are spent': `
    SELECT 1 FROM container c WHERE c.id = $1
      AND c.spent <> coalesce((SELECT range_agg(int8range(e.number, e.number, '[]')) FROM entry e WHERE e.container_id = $1), '{}')`,
  'LP-8: leases and open blocks live under the current grant': `
    SELECT 1 FROM active, page WHERE active."grant" <> page."grant" OR page.holder_id IS NULL
    UNION ALL SELECT 1 FROM block b, page WHERE b.container_id = $1 AND b.state = 'open' AND (b."grant" <> page."grant" OR page.holder_id IS NULL)`,
  'Q-1: queue order is revision order': `
    SELECT 1 FROM (SELECT revision, at, lag(at) OVER (ORDER BY revision) AS before FROM petition WHERE container_id = $1) t WHERE at < before
    UNION ALL SELECT 1 FROM petition t WHERE container_id = $1 AND NOT EXISTS (
      SELECT 1 FROM collaboration_revision r WHERE r.container_id = $1 AND r.revision = t.revision AND r.kind = 'petition' AND r.author_id = t.principal_id)`,
  'Q-2: one waiting petition each, and none of who holds': `
    SELECT 1 FROM petition WHERE container_id = $1 AND state = 'waiting' GROUP BY principal_id HAVING count(*) > 1
    UNION ALL SELECT 1 FROM petition t, page WHERE t.container_id = $1 AND t.state = 'waiting' AND t.principal_id = page.holder_id AND t.at < page.expires_at
    UNION ALL SELECT 1 FROM petition t WHERE t.container_id = $1 AND (t.state = 'granted') <> (t."grant" IS NOT NULL)
    UNION ALL SELECT 1 FROM petition t JOIN lock_grant g ON g.container_id = t.container_id AND g.number = t."grant"
      WHERE t.container_id = $1 AND g.holder_id <> t.principal_id`,
  'Section 10: every edit of the lock page but heartbeats is audited': `
    SELECT kind FROM history WHERE kind NOT IN ('create', 'heartbeat')
    EXCEPT ALL SELECT action::lock_revision_kind FROM audit_line WHERE container_id = $1 AND action IN ('acquire', 'release', 'clear', 'notes', 'reopen')`,
};

const ALL = `
  WITH page AS (SELECT * FROM lock_page WHERE container_id = $1),
  active AS (SELECT * FROM lease WHERE container_id = $1 AND state = 'active'),
  history AS MATERIALIZED (
    SELECT v.*, v.at + passed_by($1, v.at) AS at_then, v.expires_at + passed_by($1, v.at) AS expires_then,
      lag(v.at) OVER w AS before_at, lag(v."grant") OVER w AS before_grant, lag(v.holder_id) OVER w AS before_holder,
      lag(v.caution_grant) OVER w AS before_caution, lag(v.expires_at + passed_by($1, v.at)) OVER w AS before_expires_then
    FROM lock_revision v WHERE v.container_id = $1 WINDOW w AS (ORDER BY v.revision))
  ${Object.entries(BREACHES)
    .map(([rule, query]) => `SELECT '${rule}' AS rule WHERE EXISTS (${query})`)
    .join('\n  UNION ALL ')}`;

/** The rules that a container's tables break. `rememberTime` must have been called on the database. */
export async function breaches(db: Db, containerId: string): Promise<string[]> {
  const { rows } = await db.query<{ rule: string }>({ name: 'breaches', text: ALL, values: [containerId] });
  return rows.map((r) => r.rule);
}
