import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, type Db } from '../db/pool';
import { changePrincipal } from '../principals/change';
import { createPrincipal } from '../principals/create';
import { readPrincipal } from '../principals/read';
import { HOST, type Principal } from '../principals/record';
import { issueTokenBody } from '../schemas/principals';
import { testDatabase, type TestDatabase } from '../testing/database';
import { micros } from '../time';
import { issueToken } from './issue';
import { issueTokenByName } from './issue-by-name';
import { listTokens } from './list';
import { revokeToken } from './revoke';
import { verifyToken } from './verify';

const DAY_MICROS = 24 * 3_600 * 1_000_000;

describe('tokens', () => {
  let database: TestDatabase;
  let db: Db;
  let operator: Principal;
  let agent: Principal;
  beforeAll(async () => {
    database = await testDatabase();
    db = createPool(database.url);
    operator = await createPrincipal(db, HOST, { name: 'Operator', role: 'operator' });
    agent = await createPrincipal(db, operator.id, { name: 'Agent', role: 'coworker', kind: 'agent' });
  });
  afterAll(async () => {
    await db.end();
    await database.close();
  });

  const audit = async (target: string) => (await db.query('SELECT actor_id AS actor, action, details FROM audit_line WHERE target = $1 ORDER BY id', [target])).rows;

  it('shows a token once and keeps its SHA-256 only', async () => {
    const { token, ...issued } = await issueToken(db, operator.id, agent.id, { label: 'build', expiresInDays: 7 });
    expect(token).toMatch(/^hf_[A-Za-z0-9_-]{43}$/);
    expect(micros(issued.expiresAt) - micros(issued.createdAt)).toBe(7 * DAY_MICROS);
    const kept = (await db.query('SELECT * FROM api_token WHERE id = $1', [issued.id])).rows[0];
    expect(kept.hash).toBe(createHash('sha256').update(token).digest('hex'));
    const everything = JSON.stringify([kept, await listTokens(db, operator, agent.id, { limit: 200 }), (await db.query('SELECT * FROM audit_line')).rows]);
    expect(everything).not.toContain(token.slice(3));
    expect(await audit(issued.id)).toEqual([
      { actor: operator.id, action: 'token-issued', details: { principal: agent.id, name: 'Agent', label: 'build', expiresAt: issued.expiresAt } },
    ]);
    expect(await verifyToken(db, token)).toEqual({ id: agent.id, name: 'Agent', kind: 'agent', role: 'coworker' });
  });

  it('lasts 90 days unless told otherwise, 366 at most', async () => {
    const issued = await issueToken(db, operator.id, agent.id, {});
    expect(micros(issued.expiresAt) - micros(issued.createdAt)).toBe(90 * DAY_MICROS);
    for (const body of [{ expiresInDays: 367 }, { expiresInDays: 0 }, { expiresInDays: 1.5 }, { expiresInDays: '7' }, { label: '' }, { label: 'x'.repeat(81) }, { forever: true }]) {
      expect(issueTokenBody.safeParse(body).success).toBe(false);
    }
  });

  it('is issued, listed and revoked by operators, for principals that exist', async () => {
    await expect(issueToken(db, agent.id, agent.id, {})).rejects.toMatchObject({ code: 'forbidden' });
    await expect(issueToken(db, operator.id, 'nobody', {})).rejects.toMatchObject({ code: 'not-found' });
    await expect(listTokens(db, agent, agent.id, { limit: 50 })).rejects.toMatchObject({ code: 'forbidden' });
    const { id } = await issueToken(db, operator.id, agent.id, {});
    await expect(revokeToken(db, agent.id, id)).rejects.toMatchObject({ code: 'forbidden' });
    for (const foreign of ['x', '00000000-0000-0000-0000-000000000000']) {
      await expect(revokeToken(db, operator.id, foreign)).rejects.toMatchObject({ code: 'not-found' });
      await expect(listTokens(db, operator, agent.id, { limit: 50, cursor: foreign })).rejects.toMatchObject({ code: 'invalid-input' });
    }
  });

  it('is refused from its revocation on; a second revocation changes nothing', async () => {
    const { id, token } = await issueToken(db, operator.id, agent.id, {});
    expect(await verifyToken(db, token)).toBeDefined();
    await revokeToken(db, operator.id, id);
    expect(await verifyToken(db, token)).toBeUndefined();
    const once = (await listTokens(db, operator, agent.id, { limit: 200 })).items.find((t) => t.id === id)?.revokedAt;
    expect(once).toMatch(/Z$/);
    await Promise.all([revokeToken(db, operator.id, id), revokeToken(db, operator.id, id)]);
    expect((await listTokens(db, operator, agent.id, { limit: 200 })).items.find((t) => t.id === id)?.revokedAt).toBe(once);
    expect((await audit(id)).map((line) => line.action)).toEqual(['token-issued', 'token-revoked']);
  });

  it('is refused from its expiry on, by the clock of the database', async () => {
    const { id, token } = await issueToken(db, operator.id, agent.id, {});
    await db.query("UPDATE api_token SET expires_at = clock_timestamp() + interval '1 hour' WHERE id = $1", [id]);
    expect(await verifyToken(db, token)).toBeDefined();
    await db.query('UPDATE api_token SET expires_at = clock_timestamp() WHERE id = $1', [id]);
    expect(await verifyToken(db, token)).toBeUndefined();
  });

  it('P-1: is refused at once when its principal is deactivated, and carries the role as it is now', async () => {
    const { id } = await createPrincipal(db, operator.id, { name: 'Shifting', role: 'coworker', kind: 'agent' });
    const { token } = await issueToken(db, operator.id, id, {});
    await changePrincipal(db, operator.id, id, { role: 'reader' });
    expect(await verifyToken(db, token)).toMatchObject({ role: 'reader' });
    await changePrincipal(db, operator.id, id, { active: false });
    expect(await verifyToken(db, token)).toBeUndefined();
  });

  it.each(['', 'hf_', 'hf_short', `hf_${'a'.repeat(43)}`, `hf_${'a'.repeat(42)}\0`, `xx_${'a'.repeat(43)}`, `hf_${'ä'.repeat(43)}`, 'a'.repeat(100_000)])(
    'knows nobody by %j',
    async (text) => expect(await verifyToken(db, text)).toBeUndefined(),
  );

  it('notes its last use at most once a minute', async () => {
    const { id, token } = await issueToken(db, operator.id, agent.id, {});
    const lastUse = async () => (await db.query<{ at: string | null }>('SELECT last_used_at AS at FROM api_token WHERE id = $1', [id])).rows[0]!.at;
    await verifyToken(db, token);
    await expect.poll(lastUse, { interval: 10 }).not.toBeNull();
    const first = await lastUse();
    await Promise.all(Array.from({ length: 5 }, () => verifyToken(db, token)));
    expect(await lastUse()).toBe(first);
    await db.query("UPDATE api_token SET last_used_at = last_used_at - interval '61 seconds' WHERE id = $1", [id]);
    await verifyToken(db, token);
    await expect.poll(async () => (await lastUse())! > first!, { interval: 10 }).toBe(true);
  });

  it('lists newest first, in pages', async () => {
    const { id } = await createPrincipal(db, operator.id, { name: 'Many', role: 'reader' });
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.unshift((await issueToken(db, operator.id, id, {})).id);
    const first = await listTokens(db, operator, id, { limit: 3 });
    const second = await listTokens(db, operator, id, { limit: 3, cursor: first.next! });
    expect([...first.items, ...second.items].map((t) => t.id)).toEqual(made);
    expect(second.next).toBeNull();
  });

  describe('by name, for whoever has the machine', () => {
    it('makes the principal, and names nobody in the audit log', async () => {
      const issued = await issueTokenByName(db, { name: 'Fresh', role: 'coworker', kind: 'agent' });
      const caller = await verifyToken(db, issued.token);
      expect(caller).toMatchObject({ name: 'Fresh', kind: 'agent', role: 'coworker' });
      expect(await audit(caller!.id)).toEqual([{ actor: null, action: 'principal-created', details: { name: 'Fresh', kind: 'agent', role: 'coworker' } }]);
      expect(await audit(issued.id)).toMatchObject([{ actor: null, action: 'token-issued' }]);
    });

    it('gives an existing principal the role and activates it again; its kind stays', async () => {
      const old = await createPrincipal(db, operator.id, { name: 'Old Hand', role: 'reader' });
      await changePrincipal(db, operator.id, old.id, { active: false });
      const { token } = await issueTokenByName(db, { name: 'old hand', role: 'coworker', kind: 'agent' });
      expect(await verifyToken(db, token)).toEqual({ id: old.id, name: 'Old Hand', kind: 'person', role: 'coworker' });
      expect((await audit(old.id)).at(-1)).toMatchObject({
        actor: null,
        action: 'principal-changed',
        details: { from: { role: 'reader', active: false }, to: { role: 'coworker', active: true } },
      });
    });

    it('P-1: does not demote the last operator', async () => {
      await expect(issueTokenByName(db, { name: 'Operator', role: 'reader', kind: 'person' })).rejects.toMatchObject({ code: 'last-operator' });
      expect(await readPrincipal(db, operator.id)).toMatchObject({ role: 'operator' });
    });

    it('makes one principal of a new name when asked several times at once', async () => {
      const issued = await Promise.all(Array.from({ length: 4 }, () => issueTokenByName(db, { name: 'Race', role: 'reader', kind: 'agent' })));
      const callers = await Promise.all(issued.map(({ token }) => verifyToken(db, token)));
      expect(new Set(callers.map((caller) => caller?.id)).size).toBe(1);
    });
  });
});
