import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPool, type Db } from '../db/pool';
import { testDatabase, type TestDatabase } from '../testing/database';
import { forgiveSignIn, limitSignIn, limitWrites, purgeRateLimits } from './limit';

describe('rate limits', () => {
  let database: TestDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await testDatabase();
    db = createPool(database.url);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(async () => {
    await db.end();
    await database.close();
  });

  const points = async (key: string) => (await db.query('SELECT points FROM rate_limit WHERE key = $1', [key])).rows[0]?.points;
  const limited = { code: 'rate-limited', status: 429, members: { retryAfter: expect.any(Number) } };

  it('counts writes per principal, in Postgres, and says when to try again', async () => {
    const id = randomUUID();
    await limitWrites({ db }, id, false);
    expect(await points(`write:${id}`)).toBe(1);
    await db.query('UPDATE rate_limit SET points = 599 WHERE key = $1', [`write:${id}`]);
    await limitWrites({ db }, id, false);
    const refusal = await limitWrites({ db }, id, false).catch((error: unknown) => error);
    expect(refusal).toMatchObject(limited);
    const { retryAfter } = (refusal as { members: { retryAfter: number } }).members;
    expect(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60).toBe(true);
    await limitWrites({ db }, randomUUID(), false);
  });

  it('counts a holder from a budget of its own', async () => {
    const id = randomUUID();
    await limitWrites({ db }, id, false);
    await db.query('UPDATE rate_limit SET points = 600 WHERE key = $1', [`write:${id}`]);
    await expect(limitWrites({ db }, id, false)).rejects.toMatchObject(limited);
    await limitWrites({ db }, id, true);
    await db.query('UPDATE rate_limit SET points = 5999 WHERE key = $1', [`write-holding:${id}`]);
    await limitWrites({ db }, id, true);
    await expect(limitWrites({ db }, id, true)).rejects.toMatchObject(limited);
  });

  it('several instances count together', async () => {
    const other = createPool(database.url);
    try {
      const id = randomUUID();
      await Promise.all([limitWrites({ db }, id, false), limitWrites({ db: other }, id, false), limitWrites({ db: other }, id, false)]);
      expect(await points(`write:${id}`)).toBe(3);
    } finally {
      await other.end();
    }
  });

  it('starts anew when the period is over', async () => {
    const id = randomUUID();
    await limitWrites({ db }, id, false);
    await db.query('UPDATE rate_limit SET points = 5000, expire = 1 WHERE key = $1', [`write:${id}`]);
    await limitWrites({ db }, id, false);
    expect(await points(`write:${id}`)).toBe(1);
  });

  it('counts attempts to sign in by name and address, and by address', async () => {
    for (let i = 0; i < 10; i++) await limitSignIn({ db }, { name: 'ann', ip: '192.0.2.1' });
    await expect(limitSignIn({ db }, { name: 'ann', ip: '192.0.2.1' })).rejects.toMatchObject(limited);
    await limitSignIn({ db }, { name: 'ann', ip: '192.0.2.2' });
    for (let i = 0; i < 39; i++) await limitSignIn({ db }, { name: `name ${i}`, ip: '192.0.2.1' });
    await expect(limitSignIn({ db }, { name: 'another', ip: '192.0.2.1' })).rejects.toMatchObject(limited);
  });

  it('counts an IPv6 subscriber as one address, and a mapped IPv4 address as itself', async () => {
    for (let i = 1; i <= 10; i++) await limitSignIn({ db }, { name: 'six', ip: `2001:db8:0:7::${i}` });
    await expect(limitSignIn({ db }, { name: 'six', ip: '2001:db8:0:7:ffff:1:2:3' })).rejects.toMatchObject(limited);
    await limitSignIn({ db }, { name: 'six', ip: '2001:db8:0:8::1' });
    await limitSignIn({ db }, { name: 'six', ip: '::1' });
    for (let i = 1; i <= 10; i++) await limitSignIn({ db }, { name: 'four', ip: '::ffff:192.0.2.9' });
    await expect(limitSignIn({ db }, { name: 'four', ip: '192.0.2.9' })).rejects.toMatchObject(limited);
    await limitSignIn({ db }, { name: 'none' });
    await limitSignIn({ db }, { name: 'odd', ip: 'x'.repeat(10_000) });
  });

  it('forgets failed attempts after a success', async () => {
    const budget = { name: 'forgiven', ip: '192.0.2.20' };
    for (let i = 0; i < 10; i++) await limitSignIn({ db }, budget);
    await forgiveSignIn({ db }, budget);
    await limitSignIn({ db }, budget);
  });

  it('is off with HOLDFAST_RATE_LIMIT=off', async () => {
    vi.stubEnv('HOLDFAST_RATE_LIMIT', 'off');
    const id = randomUUID();
    await limitWrites({ db }, id, false);
    await limitSignIn({ db }, { name: id });
    expect(await points(`write:${id}`)).toBeUndefined();
  });

  it('lets pass when its table fails: a limiter never costs a grant', async () => {
    await db.query('ALTER TABLE rate_limit RENAME TO rate_limit_away');
    try {
      await limitWrites({ db }, randomUUID(), true);
      await limitSignIn({ db }, { name: 'x', ip: '192.0.2.30' });
      await forgiveSignIn({ db }, { name: 'x', ip: '192.0.2.30' });
    } finally {
      await db.query('ALTER TABLE rate_limit_away RENAME TO rate_limit');
    }
  });

  it('purges counters that ran out', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    await limitWrites({ db }, old, false);
    await limitWrites({ db }, young, false);
    await db.query('UPDATE rate_limit SET expire = $2 WHERE key = $1', [`write:${old}`, Date.now() - 2 * 3_600_000]);
    await purgeRateLimits(db);
    expect(await points(`write:${old}`)).toBeUndefined();
    expect(await points(`write:${young}`)).toBe(1);
  });
});
