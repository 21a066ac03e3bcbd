/** BR-1 to BR-4: passes whose instance has ended. */
import { inGate } from '../db/gate';
import { rows, statement, type Db } from '../db/pool';
import { awaitsAttestation, type ClauseStatus } from '../engine';
import type { Finding } from '../amendment';
import { endPasses } from '../runner';
import type { Instant } from '../time';
import { STOPPED } from './instance';

type Orphan = { id: string; instanceId: string; clauses: ClauseStatus[] };

/** So many are resolved in one transaction. */
const BATCH = 500;

const CONTAINERS = statement(`
  SELECT DISTINCT c.slug FROM pass p JOIN container c ON c.id = p.container_id WHERE p.state = 'running' AND p.instance_id = ANY ($1::uuid[])`);
const ORPHANS = statement(`
  SELECT p.id, p.instance_id AS "instanceId", (SELECT array_agg(c.status::text ORDER BY c.position) FROM clause c WHERE c.pass_id = p.id) AS clauses
  FROM pass p WHERE p.container_id = $1 AND p.state = 'running' AND p.instance_id = ANY ($2::uuid[]) ORDER BY p.id LIMIT ${BATCH}`);
const ADOPT = statement(`UPDATE pass SET instance_id = $2 WHERE id = ANY ($1::uuid[]) AND state = 'running' AND instance_id = ANY ($3::uuid[]) RETURNING id`);
const NOW = statement('SELECT clock_timestamp() AS now');

/** BR-4: a pass that only waits for attestations is kept; its clauses need no process. */
const isKept = (clauses: ClauseStatus[]): boolean => clauses.every((c) => c !== 'pending' && c !== 'running') && clauses.some(awaitsAttestation);

/**
 * Resolves the passes of ended instances: those of one that stopped in good order, and those
 * that only wait for attestations, are adopted by this instance; the others are aborted `crash`.
 * One container a transaction (T-4). Several instances may do so at once: each pass is resolved once.
 * @param ended how each instance ended
 */
export async function resolveOrphans(db: Db, ended: ReadonlyMap<string, string>, self: string): Promise<Finding[]> {
  const found: Finding[] = [];
  const ids = [...ended.keys()];
  if (ids.length === 0) return found;
  for (const { slug } of await rows<{ slug: string }>(db, CONTAINERS, [ids])) {
    for (;;) {
      const batch = await resolveBatch(db, slug, ended, self);
      found.push(...batch);
      if (batch.length < BATCH) break;
    }
  }
  return found;
}

const resolveBatch = (db: Db, slug: string, ended: ReadonlyMap<string, string>, self: string): Promise<Finding[]> =>
  inGate(db, slug, 'shared', async (client, { id: containerId }) => {
    const ids = [...ended.keys()];
    const orphans = await rows<Orphan>(client, ORPHANS, [containerId, ids]);
    const parked = (orphan: Orphan) => ended.get(orphan.instanceId) === STOPPED;
    const adopt = orphans.filter((o) => parked(o) || isKept(o.clauses));
    const abort = orphans.filter((o) => !adopt.includes(o));
    const [{ now }] = (await rows<{ now: Instant }>(client, NOW)) as [{ now: Instant }];
    const aborted = new Set((await endPasses(client, containerId, abort.map((o) => o.id), 'crash', now)).map((p) => p.id));
    const adopted = new Set((await rows<{ id: string }>(client, ADOPT, [adopt.map((o) => o.id), self, ids])).map((p) => p.id));
    return orphans
      .filter((o) => aborted.has(o.id) || adopted.has(o.id))
      .map((o) => ({
        what: 'pass',
        id: o.id,
        proof: ended.get(o.instanceId)!,
        done: aborted.has(o.id) ? 'aborted: crash' : parked(o) ? 'adopted: it was parked' : 'adopted: it waits for attestations only',
      }));
  });
