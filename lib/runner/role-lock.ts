/**
 * The second of the three locks: one active role instance in a (role, context), owned by the
 * runner. It is a row, so it lasts as long as its pass and no process need live for it; it goes
 * in the transaction in which its pass ends (N-2). Two starters meet at the primary key.
 */
import type pg from 'pg';
import { row, rows, statement, type Queryable } from '../db/pool';

const TAKE = statement(`
  INSERT INTO role_lock (container_id, role, context, pass_id) VALUES ($1, $2, $3, $4)
  ON CONFLICT (container_id, role, context) DO NOTHING RETURNING pass_id`);
const HOLDER = statement(`SELECT pass_id AS "passId" FROM role_lock WHERE container_id = $1 AND role = $2 AND context = $3`);
const DROP = statement(`DELETE FROM role_lock WHERE pass_id = ANY ($1::uuid[])`);
const DROP_DEAD = statement(`
  DELETE FROM role_lock l USING pass p WHERE p.id = l.pass_id AND p.state <> 'running' RETURNING l.pass_id AS id, l.container_id AS "containerId", l.role, l.context`);

/** Takes the lock for a pass; gives the pass that holds it where another does. */
export async function takeRoleLock(client: pg.PoolClient, containerId: string, role: string, context: string, passId: string): Promise<string | undefined> {
  // The holder may end between the two statements: then the lock is tried for again.
  for (;;) {
    if (await row(client, TAKE, [containerId, role, context, passId])) return undefined;
    const holder = await row<{ passId: string }>(client, HOLDER, [containerId, role, context]);
    if (holder) return holder.passId;
  }
}

/** Lets the locks of ended passes go, in the transaction in which they end. */
export async function dropRoleLocks(client: pg.PoolClient, passIds: string[]): Promise<void> {
  await rows(client, DROP, [passIds]);
}

export type DroppedLock = { id: string; containerId: string; role: string; context: string };

/** BR-1: lets go what no running pass holds. Gives what it found: none, unless rows were put back by hand. */
export const dropDeadRoleLocks = (q: Queryable): Promise<DroppedLock[]> => rows<DroppedLock>(q, DROP_DEAD);
