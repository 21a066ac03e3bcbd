import type pg from 'pg';
import { row, statement, type Queryable } from './pool';

/**
 * Which life of the database this is (LP-4): a restore has another system identifier, or,
 * like a promotion, another timeline. The timeline comes from the WAL's file name, because
 * `pg_control_checkpoint()` keeps the old one until the next checkpoint.
 */
export type Incarnation = { systemIdentifier: string; timeline: string };

const READ = statement(`
  SELECT system_identifier::text AS "systemIdentifier", left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline
  FROM pg_control_system()`);

/** The incarnation of the database behind a connection. Errors on a standby, which cannot be written to anyway. */
export async function readIncarnation(q: Queryable): Promise<Incarnation> {
  const found = await row<Incarnation>(q, READ);
  if (!found) throw new Error('pg_control_system() gave no row');
  return found;
}

// A connection does not outlive its postmaster, so its incarnation is read once. A standby
// that is promoted keeps its connections, but on a standby the reading fails and is not kept.
const known = new WeakMap<object, Incarnation>();

/** As `readIncarnation`, read once per connection. */
export async function incarnationOf(client: pg.PoolClient): Promise<Incarnation> {
  let found = known.get(client);
  if (!found) {
    found = await readIncarnation(client);
    known.set(client, found);
  }
  return found;
}
