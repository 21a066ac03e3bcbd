import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../db/gate';
import { openWorld, refusal, type World } from '../testing/world';
import { digestOf } from './digest';
import { identifierOf, numberOf } from './identifier';
import { remainderOf } from './reclaim';
import { verifyRegister } from './verify';

describe('R-5: digests', () => {
  test('are SHA-256 over RFC 8785: members sorted, no white space, whatever order they come in', () => {
    expect(digestOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    expect(digestOf({ b: 1, a: 'é' })).toBe(digestOf({ a: 'é', b: 1 }));
    expect(digestOf({ a: 1 })).not.toBe(digestOf({ a: '1' }));
  });
});

describe('L-1: identifiers', () => {
  test('are the prefix, a hyphen and a number from 1 to 2^53 − 1 without leading zeros', () => {
    for (const n of [1, 128, Number.MAX_SAFE_INTEGER]) expect(numberOf('HF', identifierOf('HF', n))).toBe(n);
    for (const bad of ['HF-0', 'HF-01', 'HF-9007199254740992', 'hf-1', 'HF1', 'HFX-1', 'H-1', 'HF-1e3', 'HF-１', 'HF-1\n', ' HF-1'])
      expect(numberOf('HF', bad)).toBeUndefined();
  });
});

test('L-4: what is left of a range is what was not spent', () => {
  expect(remainderOf(1, 9, [])).toEqual([{ from: 1, through: 9 }]);
  expect(remainderOf(1, 3, [1, 2, 3])).toEqual([]);
  expect(remainderOf(5, 5, [5])).toEqual([]);
  expect(remainderOf(1, 5, [2, 3])).toEqual([
    { from: 1, through: 1 },
    { from: 4, through: 5 },
  ]);
});

describe('R-5: verify', () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld();
  });
  afterAll(() => w.close());

  /** Three landings: an entry, nothing, and an amendment with a new entry. */
  async function landed() {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    const { id } = await w.lease(slug, lead, { grant: 1, to: lead.id, from: 1, through: 9 });
    await w.push(slug, lead, 1, [{ identifier: 'TS-1', title: 'One', body: 'Text' }], [id]);
    await w.push(slug, lead, 1);
    await w.push(slug, lead, 1, [
      { identifier: 'TS-1', title: 'One', body: 'Better' },
      { identifier: 'TS-2', title: 'Two', body: '' },
    ]);
    return slug;
  }
  /** Changes what is append-only, as somebody with the database's own rights could. */
  const tamper = (slug: string, sql: string) =>
    inTransaction(w.db, async (client) => {
      await client.query(`ALTER TABLE landing DISABLE TRIGGER append_only; ALTER TABLE entry_revision DISABLE TRIGGER append_only`);
      await client.query(sql.replace('{HERE}', `container_id = (SELECT id FROM container WHERE slug = '${slug}')`));
      await client.query(`ALTER TABLE landing ENABLE TRIGGER append_only; ALTER TABLE entry_revision ENABLE TRIGGER append_only`);
    });

  test('a register as it was written verifies, an empty one too', async () => {
    expect(await verifyRegister(w.db, await landed(), w.operator)).toEqual({ ok: true, checked: 3 });
    expect(await verifyRegister(w.db, await w.container(), w.operator)).toEqual({ ok: true, checked: 0 });
  });

  test.each([
    ['a changed body', `UPDATE entry_revision SET body = 'Forged' WHERE {HERE} AND number = 1 AND revision = 1`, 1],
    ['a changed title', `UPDATE entry_revision SET title = 'Forged' WHERE {HERE} AND number = 2`, 3],
    [
      'a changed author of an entry',
      `UPDATE entry_revision SET author_id = (SELECT id FROM principal WHERE name = 'Operator') WHERE {HERE} AND number = 2`,
      3,
    ],
    ['a changed message', `UPDATE landing SET message = 'Forged' WHERE {HERE} AND sequence = 2`, 2],
    ['a changed time', `UPDATE landing SET at = at + interval '1 microsecond' WHERE {HERE} AND sequence = 2`, 2],
    [
      'a changed author',
      `UPDATE landing SET author_id = (SELECT id FROM principal WHERE name = 'Operator') WHERE {HERE} AND sequence = 3`,
      3,
    ],
    ['a dropped entry digest', `UPDATE landing SET entries = entries - 1 WHERE {HERE} AND sequence = 3`, 3],
    ['a changed previous digest', `UPDATE landing SET previous_digest = repeat('a', 64) WHERE {HERE} AND sequence = 3`, 3],
    ['a changed digest', `UPDATE landing SET digest = repeat('a', 64) WHERE {HERE} AND sequence = 2`, 2],
    ['a landing taken out of the middle', `DELETE FROM landing WHERE {HERE} AND sequence = 2`, 2],
  ])('names the first bad link after %s', async (_what, sql, sequence) => {
    const slug = await landed();
    await tamper(slug, sql);
    expect(await verifyRegister(w.db, slug, w.operator)).toEqual({
      ok: false,
      checked: expect.any(Number),
      firstBad: { sequence, reason: expect.any(String) },
    });
  });

  test('checks the count against the sequence: a last landing that is missing is found', async () => {
    const slug = await landed();
    await tamper(slug, `DELETE FROM entry WHERE {HERE}`);
    await tamper(slug, `DELETE FROM entry_revision WHERE {HERE} AND landing = 3`);
    await tamper(slug, `DELETE FROM landing WHERE {HERE} AND sequence = 3`);
    expect(await verifyRegister(w.db, slug, w.operator)).toMatchObject({ ok: false, checked: 2, firstBad: { sequence: 3 } });
  });

  test('a chain forged whole is found by the register’s head', async () => {
    const slug = await landed();
    await w.db.query(`UPDATE container SET head_digest = repeat('a', 64) WHERE slug = $1`, [slug]);
    expect(await verifyRegister(w.db, slug, w.operator)).toMatchObject({ ok: false, checked: 3, firstBad: { sequence: 3 } });
  });

  test('a long register is walked whole', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    for (let i = 0; i < 101; i++) await w.push(slug, lead, 1);
    expect(await verifyRegister(w.db, slug, w.operator)).toEqual({ ok: true, checked: 101 });
    await tamper(slug, `UPDATE landing SET message = 'Forged' WHERE {HERE} AND sequence = 100`);
    expect(await verifyRegister(w.db, slug, w.operator)).toMatchObject({ ok: false, checked: 99, firstBad: { sequence: 100 } });
  });

  test('P-2: needs a sign-in unless the container is public', async () => {
    const [hidden, open] = [await w.container(), await w.container({ public: true })];
    expect((await refusal(verifyRegister(w.db, hidden, undefined))).code).toBe('unauthenticated');
    expect((await verifyRegister(w.db, open, undefined)).ok).toBe(true);
    expect((await refusal(verifyRegister(w.db, 'no-such', w.operator))).code).toBe('not-found');
  });
});
