import type pg from 'pg';
import { Problem } from '../problems';
import { row, statement, type Queryable } from './pool';

/**
 * Which life of the database this is (LP-4): a restore has another system identifier, or,
 * like a promotion, another timeline. The timeline comes from the WAL's file name, because
 * `pg_control_checkpoint()` keeps the old one until the next checkpoint.
 */
export type Incarnation = { systemIdentifier: string; timeline: string };

const READ = statement(`
  SELECT system_identifier::text AS "systemIdentifier",
    CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline
  FROM pg_control_system()`);

/**
 * The incarnation of the database behind a connection.
 * @throws Problem `busy` on a standby, which cannot be written to until it is promoted
 */
export async function readIncarnation(q: Queryable): Promise<Incarnation> {
  const found = await row<{ systemIdentifier: string; timeline: string | null }>(q, READ);
  if (!found) throw new Error('pg_control_system() gave no row');
  if (found.timeline === null) throw new Problem('busy', 'The database is a standby that has not been promoted: it can be read, not written.');
  return { systemIdentifier: found.systemIdentifier, timeline: found.timeline };
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
