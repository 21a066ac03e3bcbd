/** The classifier of SQLSTATEs against what `pg`, Prisma's raw queries and Prisma's model calls really throw. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRuntime, type Runtime } from '../runtime';
import { holdGate, openWorld, waitUntilWaiting, type World } from '../testing/world';
import { busyProblem, constraintOf, isExclusionViolation, isRetryable, isUniqueViolation, sqlState } from './errors';
import { inGate, inTransaction } from './gate';
import { createPool, type Db } from './pool';

let world: World;
let runtime: Runtime;
/** A second pool, for whoever is in the way. */
let other: Db;

beforeAll(async () => {
  world = await openWorld({ size: 5 });
  runtime = openRuntime(world.url, { max: 5 });
  other = createPool(world.url, { max: 3 });
  await world.db.query(`
    CREATE TABLE pair (n int PRIMARY KEY, v int NOT NULL DEFAULT 0);
    INSERT INTO pair VALUES (1), (2);
    CREATE TABLE span (r int4range NOT NULL, EXCLUDE USING gist (r WITH &&));
    INSERT INTO span VALUES ('[1,5]')`);
});
afterAll(async () => {
  await other.end();
  await runtime.close();
  await world.close();
});

/** What a call throws. */
async function thrown(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => {
      throw new Error(`it did not fail, it gave ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}

/** Ways to run SQL in a transaction of its own; `settings` hold for that transaction. */
type Way = (sql: string, settings?: string) => Promise<unknown>;
const WAYS: Record<string, Way> = {
  pg: (sql, settings = '') =>
    (async () => {
      const client = await runtime.db.connect();
      try {
        await client.query(`BEGIN; ${settings}`);
        return await client.query(sql);
      } finally {
        await client.query('ROLLBACK').catch(() => undefined);
        client.release();
      }
    })(),
  $queryRaw: (sql, settings) =>
    runtime.prisma.$transaction(async (tx) => {
      if (settings) await tx.$executeRawUnsafe(settings);
      return tx.$queryRawUnsafe(sql);
    }),
  $executeRaw: (sql, settings) =>
    runtime.prisma.$transaction(async (tx) => {
      if (settings) await tx.$executeRawUnsafe(settings);
      return tx.$executeRawUnsafe(sql);
    }),
};

describe.each(Object.entries(WAYS))('through %s', (_name, run) => {
  test('a unique violation', async () => {
    const error = await thrown(run('INSERT INTO pair VALUES (1)'));
    expect(sqlState(error)).toBe('23505');
    expect(isUniqueViolation(error)).toBe(true);
    expect(isRetryable(error) || isExclusionViolation(error)).toBe(false);
    expect(busyProblem(error)).toBeUndefined();
  });

  test('an exclusion violation', async () => {
    const error = await thrown(run("INSERT INTO span VALUES ('[5,6]')"));
    expect(sqlState(error)).toBe('23P01');
    expect(isExclusionViolation(error)).toBe(true);
    expect(isUniqueViolation(error)).toBe(false);
    expect(busyProblem(error)).toBeUndefined();
  });

  test('a serialization failure: the transaction may run again, and the caller is told busy', async () => {
    const error = await thrown(run("DO $$ BEGIN RAISE EXCEPTION 'could not serialize' USING ERRCODE = 'serialization_failure'; END $$"));
    expect(sqlState(error)).toBe('40001');
    expect(isRetryable(error)).toBe(true);
    expect(busyProblem(error)).toMatchObject({ code: 'busy', status: 503 });
  });

  test('a lock timeout', async () => {
    const client = await other.connect();
    try {
      await client.query('BEGIN; UPDATE pair SET v = v + 1 WHERE n = 1');
      const error = await thrown(run('UPDATE pair SET v = v + 1 WHERE n = 1', "SET LOCAL lock_timeout = '30ms'"));
      expect(sqlState(error)).toBe('55P03');
      expect(isRetryable(error)).toBe(false);
      expect(busyProblem(error)).toMatchObject({ code: 'busy' });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  test('a statement timeout', async () => {
    const error = await thrown(run('SELECT count(*) FROM generate_series(1, 1000000000)', "SET LOCAL statement_timeout = '30ms'"));
    expect(sqlState(error)).toBe('57014');
    expect(busyProblem(error)).toMatchObject({ code: 'busy' });
  });

  test('a write where only reading is allowed', async () => {
    const error = await thrown(run('INSERT INTO pair VALUES (3)', 'SET TRANSACTION READ ONLY'));
    expect(sqlState(error)).toBe('25006');
    expect(busyProblem(error)).toMatchObject({ code: 'busy' });
  });

  test('a fault of ours is neither busy nor to be repeated', async () => {
    const error = await thrown(run('SELECT nonsense'));
    expect(sqlState(error)).toBe('42703');
    expect(isRetryable(error)).toBe(false);
    expect(busyProblem(error)).toBeUndefined();
  });

  test('a connection that is terminated under a statement', async () => {
    const ended = thrown(run(`SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`));
    expect(busyProblem(await ended)).toMatchObject({ code: 'busy' });
  });
});

describe('through Prisma’s model calls', () => {
  const principal = (name: string) =>
    runtime.prisma.principal.create({ data: { name, nameKey: name.toLowerCase(), kind: 'person', role: 'reader' } });

  test('a unique violation', async () => {
    await principal('Twice');
    const error = await thrown(principal('Twice'));
    expect(isUniqueViolation(error)).toBe(true);
    expect(isRetryable(error)).toBe(false);
    expect(busyProblem(error)).toBeUndefined();
  });

  test('a lock timeout', async () => {
    const client = await other.connect();
    try {
      await client.query("BEGIN; UPDATE principal SET name = name WHERE name = 'Operator'");
      const error = await thrown(
        runtime.prisma.$transaction(async (tx) => {
          await tx.$executeRawUnsafe("SET LOCAL lock_timeout = '30ms'");
          await tx.principal.updateMany({ where: { name: 'Operator' }, data: { active: true } });
        }),
      );
      expect(sqlState(error)).toBe('55P03');
      expect(busyProblem(error)).toMatchObject({ code: 'busy' });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  test('a statement timeout', async () => {
    const client = await other.connect();
    try {
      await client.query("BEGIN; UPDATE principal SET name = name WHERE name = 'Operator'");
      const error = await thrown(
        runtime.prisma.$transaction(async (tx) => {
          await tx.$executeRawUnsafe("SET LOCAL statement_timeout = '30ms'");
          await tx.principal.updateMany({ where: { name: 'Operator' }, data: { active: true } });
        }),
      );
      expect(sqlState(error)).toBe('57014');
      expect(busyProblem(error)).toMatchObject({ code: 'busy' });
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  test('a serialization failure of two real transactions', async () => {
    const error = await thrown(
      runtime.prisma.$transaction(
        async (tx) => {
          await tx.setting.findMany();
          await tx.principal.count();
          await other.query("UPDATE principal SET name = name WHERE name = 'Operator'");
          await tx.principal.updateMany({ where: { name: 'Operator' }, data: { active: true } });
        },
        { isolationLevel: 'RepeatableRead' },
      ),
    );
    expect(isRetryable(error)).toBe(true);
    expect(busyProblem(error)).toMatchObject({ code: 'busy' });
  });

  test('a server that is not there', async () => {
    const absent = openRuntime(nobody());
    try {
      expect(busyProblem(await thrown(absent.prisma.principal.count()))).toMatchObject({ code: 'busy' });
      expect(busyProblem(await thrown(absent.prisma.$queryRaw`SELECT 1`))).toMatchObject({ code: 'busy' });
    } finally {
      await absent.close();
    }
  });
});

/** An address at which no server listens: the discard port of this machine. */
function nobody(): string {
  const url = new URL(world.url);
  url.port = '9';
  return url.href;
}

describe('through pg', () => {
  test('the violated constraint is named', async () => {
    const error = await thrown(runtime.db.query('INSERT INTO pair VALUES (1)'));
    expect(constraintOf(error)).toBe('pair_pkey');
    expect(isUniqueViolation(error, 'pair_pkey')).toBe(true);
    expect(isUniqueViolation(error, 'another')).toBe(false);
  });

  test('a deadlock of two transactions: one is told, and may run again', async () => {
    const [a, b] = [await other.connect(), await other.connect()];
    try {
      for (const client of [a, b]) await client.query('BEGIN');
      await a.query('UPDATE pair SET v = v + 1 WHERE n = 1');
      await b.query('UPDATE pair SET v = v + 1 WHERE n = 2');
      const results = await Promise.allSettled([
        a.query('UPDATE pair SET v = v + 1 WHERE n = 2'),
        b.query('UPDATE pair SET v = v + 1 WHERE n = 1'),
      ]);
      const failed = results.filter((r) => r.status === 'rejected');
      expect(failed).toHaveLength(1);
      expect(sqlState(failed[0]!.reason)).toBe('40P01');
      expect(isRetryable(failed[0]!.reason)).toBe(true);
      expect(busyProblem(failed[0]!.reason)).toMatchObject({ code: 'busy' });
    } finally {
      for (const client of [a, b]) {
        await client.query('ROLLBACK');
        client.release();
      }
    }
  });

  test('a serialization failure of two real transactions', async () => {
    const client = await other.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await client.query('SELECT * FROM pair');
      await runtime.db.query('UPDATE pair SET v = v + 1 WHERE n = 2');
      const error = await thrown(client.query('UPDATE pair SET v = v + 1 WHERE n = 2'));
      expect(sqlState(error)).toBe('40001');
      expect(isRetryable(error)).toBe(true);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  test('a server that is not there, and a pool whose connections are all in use', async () => {
    const absent = createPool(nobody());
    expect(busyProblem(await thrown(absent.query('SELECT 1')))).toMatchObject({ code: 'busy' });
    expect(await thrown(inTransaction(absent, async () => undefined))).toMatchObject({ code: 'busy' });
    await absent.end();

    const small = new pg.Pool({ connectionString: world.url, max: 1 });
    const client = await small.connect();
    small.options.connectionTimeoutMillis = 50;
    try {
      expect(busyProblem(await thrown(small.query('SELECT 1')))).toMatchObject({ code: 'busy' });
    } finally {
      client.release();
      await small.end();
    }
  });

  test('a password that is wrong is a fault of ours, not a busy server', async () => {
    const url = new URL(world.url);
    url.password = 'wrong';
    const pool = createPool(url.href);
    const error = await thrown(pool.query('SELECT 1'));
    expect(sqlState(error)).toBe('28P01');
    expect(busyProblem(error)).toBeUndefined();
    await pool.end();
  });
});

describe('a write behind the gate', () => {
  test('whose connection is terminated while it waits is refused as busy; its connection is thrown away', async () => {
    const slug = await world.container();
    const holding = await holdGate(other, slug);
    const waiting = thrown(inGate(runtime.db, slug, 'exclusive', async () => undefined));
    await waitUntilWaiting(world.db, 1);
    await world.db.query(
      `SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()`,
    );
    expect(await waiting).toMatchObject({ code: 'busy' });
    await holding.letGo();
    expect(await inGate(runtime.db, slug, 'exclusive', async () => 'done')).toBe('done');
  });

  test('terminated between its work and its commit says busy, not done', async () => {
    const slug = await world.container();
    const error = await thrown(
      inGate(runtime.db, slug, 'exclusive', async (client) => {
        const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
        await other.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
        await new Promise<void>((resolve) => client.once('error', () => resolve()));
      }),
    );
    expect(error).toMatchObject({ code: 'busy' });
    expect(await inGate(runtime.db, slug, 'exclusive', async () => 'done')).toBe('done');
  });
});
