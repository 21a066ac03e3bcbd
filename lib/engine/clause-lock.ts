/**
 * The first of the three locks: one per (pass, clause), owned by the engine. It is the clause's
 * row, held until the transaction ends. A mover takes one; whoever ends passes takes all of
 * theirs, by pass and clause (T-4), so that a move is wholly before or wholly after the end.
 */
import type pg from 'pg';
import { row, rows, statement } from '../db/pool';

const ONE = statement(`
  SELECT c.id FROM clause c JOIN pass p ON p.id = c.pass_id
  WHERE p.container_id = $1 AND c.pass_id = $2 AND c.id = $3 FOR UPDATE OF c`);
const ALL = statement(`
  SELECT 1 AS locked FROM clause c JOIN pass p ON p.id = c.pass_id
  WHERE p.container_id = $1 AND c.pass_id = ANY ($2::uuid[]) ORDER BY c.pass_id, c.id FOR UPDATE OF c`);

/** Takes the lock of one clause; false where there is none. */
export const lockClause = async (client: pg.PoolClient, containerId: string, passId: string, clauseId: string): Promise<boolean> =>
  (await row(client, ONE, [containerId, passId, clauseId])) !== undefined;

/** Takes the locks of all clauses of a container's passes: nobody moves or ends them meanwhile. */
export async function lockClausesOf(client: pg.PoolClient, containerId: string, passIds: string[]): Promise<void> {
  await rows(client, ALL, [containerId, passIds]);
}
