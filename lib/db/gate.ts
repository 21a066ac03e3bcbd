/**
 * The gate (T-4): one transaction-level advisory lock per container. It makes an edit of a
 * page one act, on one side of every change of grant.
 *
 * - `exclusive`: edits of the lock page, landings, leases.
 * - `shared`: every other write inside a container. They run side by side.
 *
 * PostgreSQL queues advisory locks fairly: a waiting exclusive holds back new shared ones.
 * A write takes the gate in its first statement, then (T-1) reads the clock and the rows in
 * statements of their own, so that every decision is made on what is true after the wait.
 * The gate lasts until the transaction ends; no transaction strengthens it or takes a second.
 */
import type pg from 'pg';
import { isProblem, notFound } from '../problems';
import { busyProblem } from './errors';
import { hint, takeNoted } from './hints';
import { row, statement, type Db } from './pool';

export type GateMode = 'exclusive' | 'shared';

/** The container behind a gate. */
export type GatedContainer = { id: string; number: number };

const CLASS = 0x48464c44; // "HFLD": keeps the gate's keys apart from other users of advisory locks

const EXCLUSIVE = statement(`SELECT id, number, pg_advisory_xact_lock(${CLASS}, number) FROM container WHERE slug = $1`);
const SHARED = statement(`SELECT id, number, pg_advisory_xact_lock_shared(${CLASS}, number) FROM container WHERE slug = $1`);

/** How long a write waits for a lock, and a statement runs, before it is refused as `busy`. */
// Each statement must see what the gate's wait has let through, whatever isolation the database defaults to.
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL lock_timeout = '15s';
  SET LOCAL statement_timeout = '60s';
  SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/**
 * Runs `work` in one transaction on one connection and commits it. A thrown error rolls it
 * back, except a `Problem` marked `commit` (a refusal that leaves its audit line).
 * @throws Problem `busy` when the database did not answer in time
 */
export async function inTransaction<T>(db: Db, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await db.connect();
  } catch (error) {
    throw busyProblem(error) ?? error;
  }
  let broken: Error | undefined;
  const end = async (command: 'COMMIT' | 'ROLLBACK') => {
    const noted = takeNoted(client);
    try {
      await client.query(command);
      if (command === 'COMMIT') hint(db, { principals: noted });
    } catch (error) {
      broken = error as Error; // not given back for reuse
      throw error;
    }
  };
  try {
    await client.query(BEGIN);
    let result: T;
    try {
      result = await work(client);
    } catch (error) {
      await end(isProblem(error) && error.commit ? 'COMMIT' : 'ROLLBACK');
      throw error;
    }
    await end('COMMIT');
    return result;
  } catch (error) {
    throw isProblem(error) ? error : (busyProblem(error) ?? error);
  } finally {
    client.release(broken);
  }
}

/**
 * As `inTransaction`, with the container's gate taken by the first statement. Once it has
 * committed, those who watch the container are told (`hints.ts`).
 * @throws Problem `not-found` when no container has that slug
 */
export async function inGate<T>(db: Db, slug: string, mode: GateMode, work: (client: pg.PoolClient, container: GatedContainer) => Promise<T>): Promise<T> {
  let changed: string | undefined;
  const result = await inTransaction(db, async (client) => {
    const container = await row<GatedContainer>(client, mode === 'exclusive' ? EXCLUSIVE : SHARED, [slug]);
    if (!container) throw notFound('container');
    changed = container.id;
    return work(client, container);
  });
  hint(db, { containers: [changed!] });
  return result;
}

