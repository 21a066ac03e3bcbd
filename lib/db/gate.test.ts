import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petition } from '../collaboration/petition';
import { withdraw } from '../collaboration/withdraw';
import { heartbeat } from '../lock-page/heartbeat';
import { Problem } from '../problems';
import { holdGate, openWorld, refusal, waitUntilWaiting, type World } from '../testing/world';
import { inGate, inTransaction, type GateMode } from './gate';

let w: World;
beforeAll(async () => {
  w = await openWorld({ size: 50 });
});
afterAll(() => w.close());

/** Passes the gate and notes it. */
const pass = (slug: string, mode: GateMode, name: string, passed: string[]) => inGate(w.db, slug, mode, async () => void passed.push(name));

describe('T-4: the gate', () => {
  test('shared writes run side by side', async () => {
    const slug = await w.container();
    const grips = await Promise.all([holdGate(w.db, slug, 'shared'), holdGate(w.db, slug, 'shared')]);
    const passed: string[] = [];
    await pass(slug, 'shared', 'third', passed);
    expect(passed).toEqual(['third']);
    await Promise.all(grips.map((g) => g.letGo()));
  });

  test('an exclusive write waits for the shared ones, and they for it', async () => {
    const slug = await w.container();
    const passed: string[] = [];
    for (const [held, mode] of [
      ['shared', 'exclusive'],
      ['exclusive', 'shared'],
      ['exclusive', 'exclusive'],
    ] as const) {
      const grip = await holdGate(w.db, slug, held);
      const waiting = pass(slug, mode, `${mode} behind ${held}`, passed);
      await waitUntilWaiting(w.db, 1, slug);
      passed.push(`let go ${held}`);
      await grip.letGo();
      await waiting;
    }
    expect(passed).toEqual([
      'let go shared',
      'exclusive behind shared',
      'let go exclusive',
      'shared behind exclusive',
      'let go exclusive',
      'exclusive behind exclusive',
    ]);
  });

  test('is fair: a waiting exclusive holds back new shared ones', async () => {
    const slug = await w.container();
    const passed: string[] = [];
    const grip = await holdGate(w.db, slug, 'shared');
    const exclusive = pass(slug, 'exclusive', 'exclusive', passed);
    await waitUntilWaiting(w.db, 1, slug);
    const shared = Array.from({ length: 5 }, (_, i) => pass(slug, 'shared', `shared ${i}`, passed));
    await waitUntilWaiting(w.db, 6, slug);
    expect(passed).toEqual([]);
    await grip.letGo();
    await Promise.all([exclusive, ...shared]);
    expect(passed[0]).toBe('exclusive');
    expect(passed).toHaveLength(6);
  });

  test('is one per container: another container’s writes do not wait', async () => {
    const [one, two] = [await w.container(), await w.container()];
    const grip = await holdGate(w.db, one);
    const passed: string[] = [];
    await pass(two, 'exclusive', 'elsewhere', passed);
    expect(passed).toEqual(['elsewhere']);
    await grip.letGo();
  });

  test('ends with its transaction, however that ends', async () => {
    const slug = await w.container();
    const failing = inGate(w.db, slug, 'exclusive', async () => {
      throw new Error('a fault');
    });
    await expect(failing).rejects.toThrow('a fault');
    const { rows } = await w.db.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = (SELECT number FROM container WHERE slug = $1)`,
      [slug],
    );
    expect(rows).toEqual([]);
  });

  test('of an unknown container is not-found', async () => {
    expect((await refusal(inGate(w.db, 'no-such', 'shared', async () => 1))).code).toBe('not-found');
  });

  test('a heartbeat among forty petitioners is never starved: few petitions pass while it waits', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    const crowd = await Promise.all(Array.from({ length: 40 }, () => w.person()));
    let over = false;
    let petitions = 0;
    const loops = crowd.map(async ({ id }) => {
      while (!over) {
        const { id: made } = await petition(w.db, slug, id, { reason: 'Now' });
        petitions++;
        await withdraw(w.db, slug, id, made);
      }
    });
    try {
      while (petitions < crowd.length) await new Promise((resolve) => setImmediate(resolve));
      for (let beat = 0; beat < 10; beat++) {
        const revision = await w.revision(slug);
        const before = petitions;
        const after = await heartbeat(w.db, slug, lead.id, revision, { grant: 1 });
        // Those that hold or wait already may go first, each with one write; none that comes later does. Twice the crowd leaves
        // room for what passes while the heartbeat travels to the database and back.
        expect(petitions - before).toBeLessThanOrEqual(2 * crowd.length);
        expect(after.revision).toBe(revision + 1);
      }
      expect(petitions).toBeGreaterThan(crowd.length);
    } finally {
      over = true;
      await Promise.all(loops);
    }
  });
});

describe('R-8: a transaction', () => {
  const mark = (key: string) => async (client: { query(text: string, values: unknown[]): Promise<unknown> }) => {
    await client.query(`INSERT INTO setting (key, value) VALUES ($1, 'x')`, [key]);
  };
  const marked = async (key: string) => (await w.db.query(`SELECT 1 FROM setting WHERE key = $1`, [key])).rows.length === 1;

  test('is committed synchronously before its answer', async () => {
    const key = randomUUID();
    const level = await inTransaction(w.db, async (client) => {
      await mark(key)(client);
      return (await client.query('SHOW synchronous_commit')).rows[0].synchronous_commit as string;
    });
    expect(level).not.toBe('off');
    expect(await marked(key)).toBe(true);
  });

  test('a refusal undoes it, but one that leaves an audit line commits that line', async () => {
    for (const commit of [false, true]) {
      const key = randomUUID();
      const refused = inTransaction(w.db, async (client) => {
        await mark(key)(client);
        throw new Problem('wrong-state', 'No', {}, { commit });
      });
      expect((await refusal(refused)).code).toBe('wrong-state');
      expect(await marked(key)).toBe(commit);
    }
  });

  const terminate = (pid: number) => w.db.query('SELECT pg_terminate_backend($1)', [pid]);
  const lossAt: Record<string, (client: pg.PoolClient, pid: number) => Promise<unknown>> = {
    'during a statement': async (client, pid) => {
      await Promise.all([client.query('SELECT pg_sleep(60)'), terminate(pid)]);
    },
    'before it noticed': async (client, pid) => {
      await terminate(pid);
      await client.query('SELECT 1');
    },
    'after it noticed': async (client, pid) => {
      const noticed = new Promise<void>((resolve) => client.once('end', resolve));
      await terminate(pid);
      await noticed;
      await client.query('SELECT 1');
    },
  };

  test.each(Object.entries(lossAt))(
    'whose connection is lost %s is refused as busy; the process lives and the connection is not used again',
    async (_when, lose) => {
      const lost = inTransaction(w.db, async (client) => lose(client, (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid));
      expect((await refusal(lost)).code).toBe('busy');
      const again = Array.from({ length: 5 }, () =>
        inTransaction(w.db, async (client) => (await client.query('SELECT 1 AS one')).rows[0].one),
      );
      expect(await Promise.all(again)).toEqual([1, 1, 1, 1, 1]);
    },
  );
});
