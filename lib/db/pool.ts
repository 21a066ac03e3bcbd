import { createHash } from 'node:crypto';
import pg from 'pg';
import { fromPostgres } from '../time';

/** The one pool: rule-bearing SQL and Prisma's adapter share it. */
export type Db = pg.Pool;
/** Anything that runs a statement: the pool, or a client inside a transaction. */
export type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>;

const INT8 = 20;
const TIMESTAMPTZ = 1184;

function int8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`int8 beyond 2^53: ${text}`);
  return value;
}

/** Reads `int8` as a safe number and `timestamptz` as an `Instant` (T-2). */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === INT8) return int8;
      if (oid === TIMESTAMPTZ) return fromPostgres;
    }
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;

// an answer means committed. A database that commits asynchronously by default does not for us.
const SESSION = `
  SET timezone = 'UTC';
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`;

/**
 * Opens the pool. Every session is in UTC and commits synchronously. Errors on idle clients are given to `onError`
 * (they would end the process otherwise); the pool replaces such clients by itself.
 * @param max connections at most
 */
export function createPool(connectionString: string, options: { max?: number; onError?: (error: Error) => void } = {}): Db {
  const pool = new pg.Pool({
    connectionString,
    max: options.max ?? 20,
    types,
    application_name: 'holdfast',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    onConnect: async (client: pg.ClientBase) => {
      await client.query(SESSION);
    },
  } as pg.PoolConfig);
  pool.on('error', options.onError ?? (() => undefined));
  // The pool listens to idle clients only. One that is lost while checked out fails its statements, which is told to their
  // caller; unheard, its error event would end the process besides.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A statement that is prepared once per connection, under a name of its own. */
export type Statement = { name: string; text: string };

/** Declares a prepared statement; its name is a digest of its text, so that bundles that share the pool agree. */
export const statement = (text: string): Statement => ({ name: createHash('sha256').update(text).digest('hex').slice(0, 24), text });

/** Runs a prepared statement and gives its rows. */
export async function rows<R extends object>(q: Queryable, s: Statement, values: unknown[] = []): Promise<R[]> {
  const result = await q.query({ name: s.name, text: s.text, values });
  return result.rows as R[];
}

/** The only row of a statement, or undefined. */
export async function row<R extends object>(q: Queryable, s: Statement, values: unknown[] = []): Promise<R | undefined> {
  return (await rows<R>(q, s, values))[0];
}
