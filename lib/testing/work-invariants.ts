/** What must be true of a container's passes at any time, asked of its tables alone. */
import { CLAUSE_STATES, movesFrom } from '../engine';
import type { Db } from '../db/pool';

const LEGAL = CLAUSE_STATES.flatMap((from) => movesFrom(from).map((to) => `('${from}', '${to}')`)).join(', ');

/** Each query gives what breaks the rule that it is named after. */
const BREACHES: Record<string, string> = {
  'N-1: one running pass per (role, context)': `SELECT 1 FROM passes WHERE state = 'running' GROUP BY role, context HAVING count(*) > 1`,
  'N-1: at no instant two passes ran in one (role, context)': `
    SELECT 1 FROM passes a JOIN passes b ON a.role = b.role AND a.context = b.context AND a.id < b.id
    WHERE tstzrange(a.started_at, a.ended_at) && tstzrange(b.started_at, b.ended_at)`,
  'N-2: the role locks are those of the running passes': `
    (SELECT role, context, id FROM passes WHERE state = 'running' EXCEPT SELECT role, context, pass_id FROM role_lock WHERE container_id = $1)
    UNION ALL (SELECT role, context, pass_id FROM role_lock WHERE container_id = $1 EXCEPT SELECT role, context, id FROM passes WHERE state = 'running')`,
  'E-1: the log of each clause is gapless, begins at pending and each move goes on from the one before': `
    SELECT 1 FROM moves WHERE "from" <> coalesce(before, 'pending') OR move <> place`,
  'E-1: each move is legal': `SELECT 1 FROM moves WHERE ("from"::text, "to"::text) NOT IN (${LEGAL})`,
  'E-1: moves are in the order of time': `SELECT 1 FROM moves WHERE at <= before_at`,
  'E-1: each clause is where its log leaves it': `
    SELECT 1 FROM clause c JOIN passes p ON p.id = c.pass_id
    LEFT JOIN LATERAL (SELECT t."to", t.move FROM transition t WHERE t.pass_id = c.pass_id AND t.clause_id = c.id ORDER BY move DESC LIMIT 1) t ON true
    WHERE c.status <> coalesce(t."to", 'pending') OR c.moves <> coalesce(t.move, 0)`,
  'E-2: the attestation log has each verdict on an attested clause, and nothing else': `
    SELECT 1 FROM moves m FULL JOIN (SELECT a.* FROM attestation a JOIN passes p ON p.id = a.pass_id) a USING (pass_id, clause_id, move)
    WHERE (m.type = 'attested' AND m."to" IN ('pass', 'fail', 'insufficient-basis')) <> (a.verdict IS NOT NULL) OR a.verdict <> m."to" OR a.by_id <> m.author_id`,
  'E-2: nobody attested what it started': `SELECT 1 FROM attestation a JOIN passes p ON p.id = a.pass_id WHERE a.by_id = p.starter_id`,
  'E-3: a pass moves while it runs; later come verdicts alone, and on completed passes': `
    SELECT 1 FROM moves m JOIN passes p ON p.id = m.pass_id
    WHERE m.at < p.started_at OR (m.at > p.ended_at AND NOT (p.state = 'completed' AND EXISTS (
      SELECT 1 FROM attestation a WHERE a.pass_id = m.pass_id AND a.clause_id = m.clause_id AND a.move = m.move)))`,
  'LP-8: what runs, runs under the current grant of who holds or fell silent': `
    SELECT 1 FROM passes p JOIN lock_page l ON l.container_id = $1 WHERE p.state = 'running' AND (p."grant" <> l."grant" OR l.holder_id IS NULL)`,
  'N-2: a completed pass has no open clause': `
    SELECT 1 FROM passes p JOIN clause c ON c.pass_id = p.id WHERE p.state = 'completed' AND c.status IN ('pending', 'running')`,
  'E-4: an arrow knows its latest completed pass': `
    SELECT 1 FROM (SELECT DISTINCT ON (arrow_id) arrow_id, id FROM passes WHERE state = 'completed' ORDER BY arrow_id, ended_at DESC) p
    LEFT JOIN arrow a ON a.container_id = $1 AND a.id = p.arrow_id WHERE a.pass_id IS DISTINCT FROM p.id`,
  'E-6: each pass that ended has one checkpoint, of its end': `
    SELECT 1 FROM (SELECT * FROM passes WHERE state <> 'running') p FULL JOIN (SELECT * FROM checkpoint WHERE container_id = $1 AND kind = 'pass') k ON k.content->>'id' = p.id::text
    GROUP BY p.id, k.content->>'id' HAVING count(*) > 1 OR p.id IS NULL OR count(k.sequence) = 0
    UNION ALL SELECT 1 FROM passes p JOIN checkpoint k ON k.container_id = $1 AND k.content->>'id' = p.id::text
      WHERE k.at <> p.ended_at OR k.content->>'state' <> p.state::text OR k.content->>'reason' IS DISTINCT FROM p.reason::text`,
};

const ALL = `
  WITH passes AS MATERIALIZED (SELECT * FROM pass WHERE container_id = $1),
  moves AS MATERIALIZED (
    SELECT t.*, c.type, lag(t."to") OVER w AS before, lag(t.at) OVER w AS before_at, row_number() OVER w AS place
    FROM transition t JOIN passes p ON p.id = t.pass_id JOIN clause c ON c.pass_id = t.pass_id AND c.id = t.clause_id
    WINDOW w AS (PARTITION BY t.pass_id, t.clause_id ORDER BY t.move))
  ${Object.entries(BREACHES)
    .map(([rule, query]) => `SELECT '${rule}' AS rule WHERE EXISTS (${query})`)
    .join('\n  UNION ALL ')}`;

/** The rules of section 8 that a container's passes break. */
export async function breachesOfWork(db: Db, containerId: string): Promise<string[]> {
  const { rows } = await db.query<{ rule: string }>({ name: 'breaches-of-work', text: ALL, values: [containerId] });
  return rows.map((r) => r.rule);
}
