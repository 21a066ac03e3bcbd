/** BR-1 to BR-4: passes whose instance has ended. */
import type pg from 'pg';
import { inGate } from '../db/gate';
import { row, rows, statement, type Db } from '../db/pool';
import { awaitsAttestation, isOpen, lockClausesOf, type ClauseStatus } from '../engine';
import type { Finding } from '../amendment';
import { endPasses } from '../runner';
import type { Instant } from '../time';
import { STOPPED } from './instance';
import type { Report, StepReport } from './report';

type Orphan = { id: string; instanceId: string; clauses: ClauseStatus[] };

/** So many are resolved in one transaction. */
const BATCH = 500;

const CONTAINERS = statement(`
  SELECT DISTINCT c.slug FROM pass p JOIN container c ON c.id = p.container_id WHERE p.state = 'running' AND p.instance_id = ANY ($1::uuid[])`);
// Of instances that are ended still: one that was cut off may have registered again meanwhile.
const ORPHANS = statement(`
  SELECT p.id FROM pass p JOIN instance i ON i.id = p.instance_id
  WHERE p.container_id = $1 AND p.state = 'running' AND p.instance_id = ANY ($2::uuid[]) AND i.ended_at IS NOT NULL ORDER BY p.id LIMIT ${BATCH}`);
const STATES = statement(`
  SELECT p.id, p.instance_id AS "instanceId", (SELECT array_agg(c.status::text ORDER BY c.position) FROM clause c WHERE c.pass_id = p.id) AS clauses
  FROM pass p WHERE p.id = ANY ($1::uuid[]) AND p.state = 'running' AND p.instance_id = ANY ($2::uuid[]) ORDER BY p.id`);
const ADOPT = statement(`UPDATE pass SET instance_id = $2 WHERE id = ANY ($1::uuid[])`);
const NOW = statement('SELECT clock_timestamp() AS now');

const CRASHED = 'aborted: crash';

/** BR-4: a pass that only waits for attestations is kept; its clauses need no process. */
const isKept = (clauses: ClauseStatus[]): boolean => !clauses.some(isOpen) && clauses.some(awaitsAttestation);

/**
 * Resolves the passes of ended instances: those of one that stopped in good order, and those
 * that only wait for attestations, are adopted by this instance; the others are aborted `crash`.
 * One container a transaction (T-4). Several instances may do so at once: each pass is resolved once.
 * @param ended how each instance ended
 * @param report is told of each pass in the transaction that resolves it
 */
export async function resolveOrphans(db: Db, ended: ReadonlyMap<string, string>, self: string, report: Report, step: StepReport): Promise<void> {
  if (ended.size === 0) return;
  for (const { slug } of await rows<{ slug: string }>(db, CONTAINERS, [[...ended.keys()]])) {
    for (let more = true; more; ) {
      const { seen, found } = await resolveBatch(db, slug, ended, self, (client, found) => report.keep(client, step, found));
      step.found.push(...found);
      more = seen === BATCH;
    }
  }
}

const resolveBatch = (
  db: Db,
  slug: string,
  ended: ReadonlyMap<string, string>,
  self: string,
  keep: (client: pg.PoolClient, found: Finding[]) => Promise<void>,
): Promise<{ seen: number; found: Finding[] }> =>
  inGate(db, slug, 'shared', async (client, { id: containerId }) => {
    const hosts = [...ended.keys()];
    const seen = (await rows<{ id: string }>(client, ORPHANS, [containerId, hosts])).map((p) => p.id);
    if (seen.length === 0) return { seen: 0, found: [] };
    // Judged on clauses that nobody moves any more: other instances took moves of these passes until now.
    await lockClausesOf(client, containerId, seen);
    const orphans = await rows<Orphan>(client, STATES, [seen, hosts]);
    const { now } = (await row<{ now: Instant }>(client, NOW))!;
    const fate = (orphan: Orphan): Finding['done'] => {
      if (ended.get(orphan.instanceId) === STOPPED) return 'adopted: it was parked';
      return isKept(orphan.clauses) ? 'adopted: it waits for attestations only' : CRASHED;
    };
    const found = orphans.map((o) => ({ what: 'pass', id: o.id, proof: ended.get(o.instanceId)!, done: fate(o) }));
    const [crashed, adopted] = [found.filter((f) => f.done === CRASHED), found.filter((f) => f.done !== CRASHED)];
    await endPasses(client, containerId, crashed.map((f) => f.id), 'crash', now);
    if (adopted.length > 0) await rows(client, ADOPT, [adopted.map((f) => f.id), self]);
    if (found.length > 0) await keep(client, found);
    return { seen: seen.length, found };
  });
