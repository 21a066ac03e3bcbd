import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { petition } from '../collaboration/petition';
import { createContainer } from '../containers/create';
import { createPool, type Db } from '../db/pool';
import { changePrincipalBody, createPrincipalBody } from '../schemas/principals';
import { testDatabase, type TestDatabase } from '../testing/database';
import { applyChange, changePrincipal } from './change';
import { createPrincipal } from './create';
import { listPrincipals } from './list';
import { findPrincipal, readPrincipal } from './read';
import { HOST, type Principal } from './record';
import { editRoster } from './roster';
import { setPassword } from './set-password';

describe('principals', () => {
  let database: TestDatabase;
  let db: Db;
  let operator: Principal;
  beforeAll(async () => {
    database = await testDatabase();
    db = createPool(database.url);
  });
  afterAll(async () => {
    await db.end();
    await database.close();
  });
  beforeEach(async () => {
    await db.query('TRUNCATE principal, container, petition CASCADE');
    operator = await createPrincipal(db, HOST, { name: 'Operator', role: 'operator' });
  });

  const audit = async (target: string) =>
    (await db.query('SELECT actor_id AS actor, action, details FROM audit_line WHERE target = $1 ORDER BY id', [target])).rows;
  const create = (name: string, role: Principal['role'] = 'coworker') => createPrincipal(db, operator.id, { name, role });

  describe('create', () => {
    it('answers the principal and audits it', async () => {
      const ann = await createPrincipal(db, operator.id, { name: 'Ann', role: 'reader', kind: 'agent', password: 'long enough' });
      expect(ann).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'Ann',
        kind: 'agent',
        role: 'reader',
        active: true,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      });
      expect(await audit(ann.id)).toEqual([
        { actor: operator.id, action: 'principal-created', details: { name: 'Ann', kind: 'agent', role: 'reader' } },
        { actor: operator.id, action: 'password-changed', details: { name: 'Ann' } },
      ]);
      const kept = JSON.stringify((await db.query('SELECT * FROM auth_account JOIN auth_user ON auth_user.id = "userId" WHERE "userId" = $1', [ann.id])).rows);
      expect(kept).not.toContain('long enough');
    });

    it.each([
      ['Ann', 'ANN'],
      ['Ann', ' ann '],
      ['\u212bsa', 'åsa'],
      ['Ａnn', 'ann'],
    ])('P-1: names are unique, compared by NFKC in lower case: %j and %j', async (one, other) => {
      await create(one);
      await expect(create(createPrincipalBody.parse({ name: other, role: 'reader' }).name)).rejects.toMatchObject({ code: 'name-taken', status: 409 });
    });

    it('P-1: of two creations of one name at once, one is refused and nothing of it is left', async () => {
      const outcomes = await Promise.allSettled([create('Twin'), create('twin'), create('TWIN')]);
      expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
      for (const o of outcomes) if (o.status === 'rejected') expect(o.reason).toMatchObject({ code: 'name-taken' });
      expect((await db.query("SELECT 1 FROM principal WHERE name_key = 'twin'")).rowCount).toBe(1);
    });

    it('is for active operators only', async () => {
      const coworker = await create('Coworker');
      await expect(createPrincipal(db, coworker.id, { name: 'X', role: 'reader' })).rejects.toMatchObject({ code: 'forbidden', members: { neededRole: 'operator' } });
      const second = await create('Second', 'operator');
      await changePrincipal(db, operator.id, second.id, { active: false });
      await expect(createPrincipal(db, second.id, { name: 'X', role: 'reader' })).rejects.toMatchObject({ code: 'unauthenticated' });
      expect(await findPrincipal(db, 'X')).toBeUndefined();
    });
  });

  describe('input', () => {
    it.each([
      ['', 'must not be empty'],
      ['   ', 'must not be blank'],
      ['a'.repeat(61), 'must have at most 60 characters'],
      ['a\u0000b', 'control'],
      ['a\nb', 'control'],
      ['a\u202eb', 'control'],
      ['a\u200bb', 'control'],
      [7, 'string'],
    ])('refuses the name %j', (name, message) => {
      const result = createPrincipalBody.safeParse({ name, role: 'reader' });
      expect(result.success).toBe(false);
      expect(result.error?.issues[0]).toMatchObject({ path: ['name'], message: expect.stringContaining(message) });
    });

    it('takes 60 characters beyond the basic plane, and trims', () => {
      expect(createPrincipalBody.parse({ name: '😀'.repeat(60), role: 'reader' }).name).toHaveLength(120);
      expect(createPrincipalBody.parse({ name: ' Ann ', role: 'reader' }).name).toBe('Ann');
    });

    it.each([{}, { nme: 'x' }, { name: undefined }, { active: 'no' }, { role: 'admin' }, { password: 'short' }, { password: 'x'.repeat(201) }])(
      'refuses the change %j',
      (body) => expect(changePrincipalBody.safeParse(body).success).toBe(false),
    );
  });

  describe('change', () => {
    it('audits what it was and what it became, and nothing when nothing changed', async () => {
      const ann = await create('Ann');
      const changed = await changePrincipal(db, operator.id, ann.id, { name: 'Anna', role: 'reader' });
      expect(changed).toEqual({ ...ann, name: 'Anna', role: 'reader' });
      expect(await readPrincipal(db, ann.id)).toEqual(changed);
      await changePrincipal(db, operator.id, ann.id, { name: 'Anna', active: true });
      expect((await audit(ann.id)).slice(1)).toEqual([
        {
          actor: operator.id,
          action: 'principal-changed',
          details: { name: 'Anna', from: { name: 'Ann', role: 'coworker' }, to: { name: 'Anna', role: 'reader' } },
        },
      ]);
    });

    it('P-1: a rename to a taken name is refused, to its own in another case is not', async () => {
      const ann = await create('Ann');
      await create('Bo');
      await expect(changePrincipal(db, operator.id, ann.id, { name: 'BO', role: 'reader' })).rejects.toMatchObject({ code: 'name-taken' });
      expect(await readPrincipal(db, ann.id)).toEqual(ann);
      await expect(changePrincipal(db, operator.id, ann.id, { name: 'ANN' })).resolves.toMatchObject({ name: 'ANN' });
    });

    it('is for operators only, and needs a principal', async () => {
      const ann = await create('Ann');
      await expect(changePrincipal(db, ann.id, ann.id, { role: 'operator' })).rejects.toMatchObject({ code: 'forbidden' });
      await expect(setPassword(db, ann.id, ann.id, 'long enough')).rejects.toMatchObject({ code: 'forbidden' });
      for (const id of ['nobody', '00000000-0000-0000-0000-000000000000']) {
        await expect(changePrincipal(db, operator.id, id, { name: 'X' })).rejects.toMatchObject({ code: 'not-found' });
      }
    });

    it('P-1: the last active operator is neither demoted nor deactivated, by nobody', async () => {
      const second = await create('Second', 'operator');
      await changePrincipal(db, second.id, second.id, { active: false });
      for (const change of [{ role: 'coworker' as const }, { active: false }, { role: 'reader' as const, active: false }]) {
        await expect(changePrincipal(db, operator.id, operator.id, change)).rejects.toMatchObject({ code: 'last-operator', status: 409 });
        await expect(changePrincipal(db, HOST, operator.id, change)).rejects.toMatchObject({ code: 'last-operator' });
      }
      await expect(changePrincipal(db, operator.id, operator.id, { name: 'Still here' })).resolves.toMatchObject({ role: 'operator', active: true });
    });

    it('P-1: a demotion that waited behind the demotion of the only other operator is refused', async () => {
      const second = await create('Second', 'operator');
      // The first demotion stands just before its commit, on a connection of its own.
      const first: pg.PoolClient = await db.connect();
      try {
        await first.query('BEGIN');
        await editRoster(first);
        await applyChange(first, operator.id, operator.id, { role: 'coworker' });
        const late = changePrincipal(db, HOST, second.id, { role: 'coworker' });
        const outcome = expect(late).rejects.toMatchObject({ code: 'last-operator' });
        await expect
          .poll(async () => (await database.pool.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")).rowCount, { interval: 10 })
          .toBe(1);
        await first.query('COMMIT');
        await outcome;
      } finally {
        first.release();
      }
      expect(await readPrincipal(db, second.id)).toMatchObject({ role: 'operator', active: true });
    });

    it('P-1: an operator that was demoted while its own change waited has no say any more', async () => {
      const second = await create('Second', 'operator');
      const outcomes = await Promise.allSettled([
        changePrincipal(db, operator.id, second.id, { role: 'coworker' }),
        changePrincipal(db, second.id, operator.id, { role: 'coworker' }),
      ]);
      expect(outcomes.map((o) => o.status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find((o) => o.status === 'rejected')?.reason).toMatchObject({ code: 'forbidden' });
      expect((await db.query("SELECT 1 FROM principal WHERE active AND role = 'operator'")).rowCount).toBe(1);
    });

    it('P-1: a crowd of operators that all step down leaves one', async () => {
      const crowd = await Promise.all(Array.from({ length: 6 }, (_, i) => create(`Op ${i}`, 'operator')));
      const outcomes = await Promise.allSettled([operator, ...crowd].map(({ id }, i) => changePrincipal(db, id, id, i % 2 ? { role: 'reader' } : { active: false })));
      expect(outcomes.filter((o) => o.status === 'rejected').map((o) => (o as PromiseRejectedResult).reason.code)).toEqual(['last-operator']);
      expect((await db.query("SELECT 1 FROM principal WHERE active AND role = 'operator'")).rowCount).toBe(1);
    });
  });

  describe('P-1: a waiter that can no longer hold', () => {
    it.each([{ active: false }, { role: 'reader' as const }])('loses its place and is told after the change %j', async (change) => {
      await createContainer(db, operator.id, { slug: `c-${change.role ?? 'off'}`, title: 'C' });
      const [ann, bo] = [await create('Ann'), await create('Bo')];
      const waiting = await petition(db, `c-${change.role ?? 'off'}`, ann.id, { reason: 'to work' });
      const other = await petition(db, `c-${change.role ?? 'off'}`, bo.id, { reason: 'to work too' });
      await changePrincipal(db, operator.id, ann.id, change);
      const states = await db.query('SELECT id, state FROM petition ORDER BY revision');
      expect(states.rows).toEqual([
        { id: waiting.id, state: 'withdrawn' },
        { id: other.id, state: 'waiting' },
      ]);
      expect((await db.query('SELECT kind FROM notice WHERE principal_id = $1', [ann.id])).rows).toEqual([{ kind: 'petition-withdrawn' }]);
    });

    it('is changed even when its petitions cannot be withdrawn at the time', async () => {
      const ann = await create('Ann');
      await db.query('ALTER TABLE petition RENAME TO petition_away');
      try {
        await expect(changePrincipal(db, operator.id, ann.id, { active: false })).resolves.toMatchObject({ active: false });
      } finally {
        await db.query('ALTER TABLE petition_away RENAME TO petition');
      }
      expect(await readPrincipal(db, ann.id)).toMatchObject({ active: false });
    });
  });

  describe('list', () => {
    it('pages by name, searches in any case, and refuses a foreign cursor', async () => {
      for (const name of ['Émile', 'bo', 'Ann', '100%', 'a_b']) await create(name);
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await listPrincipals(db, operator, {}, { limit: 2, cursor });
        names.push(...page.items.map((p) => p.name));
        cursor = page.next ?? undefined;
      } while (cursor);
      expect([...names].sort()).toEqual(['100%', 'Ann', 'Operator', 'a_b', 'bo', 'Émile'].sort());
      expect(new Set(names).size).toBe(6);
      const search = async (text: string) => (await listPrincipals(db, operator, { q: text }, { limit: 50 })).items.map((p) => p.name);
      expect(await search('ÉMI')).toEqual(['Émile']);
      expect(await search('%')).toEqual(['100%']);
      expect(await search('_')).toEqual(['a_b']);
      expect(await search("' OR 1=1")).toEqual([]);
      expect((await listPrincipals(db, operator, { active: false }, { limit: 50 })).items).toEqual([]);
      await expect(listPrincipals(db, { ...operator, role: 'coworker' }, {}, { limit: 50 })).rejects.toMatchObject({ code: 'forbidden' });
      for (const foreign of ['x', '00000000-0000-0000-0000-000000000000']) {
        await expect(listPrincipals(db, operator, {}, { limit: 50, cursor: foreign })).rejects.toMatchObject({ code: 'invalid-input' });
      }
    });
  });
});
