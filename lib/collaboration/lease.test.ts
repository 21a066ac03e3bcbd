import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leaseInput } from '../schemas/inputs';
import { openWorld, refusal, type World } from '../testing/world';
import { lease, MAX_LEASE, MAX_NUMBER, type LeaseInput } from './lease';
import { readCollaboration, readCollaborationRevisions } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

async function held() {
  const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person()]);
  await w.lead(slug, lead);
  type Range = { count: number } | { from: number; through: number };
  const give = (range: Range, to = other, grant = 1) => lease(w.db, slug, lead.id, { grant, to: to.id, ...range } as LeaseInput);
  const entry = (number: number) => ({ identifier: `TS-${number}`, title: 'T', body: '' });
  return { slug, lead, other, give, land: (...numbers: number[]) => w.push(slug, lead, 1, numbers.map(entry)) };
}

describe('leases', () => {
  test('L-1: only the lead allocates; a receipt tells others why not', async () => {
    const { slug, other, give } = await held();
    expect((await refusal(lease(w.db, slug, other.id, { grant: 1, to: other.id, count: 1 }))).code).toBe('not-holder');
    expect((await refusal(lease(w.db, slug, w.operator.id, { grant: 1, to: other.id, count: 1 }))).code).toBe('not-holder');
    expect((await refusal(give({ count: 1 }, other, 2))).code).toBe('grant-unknown');
    await w.fallSilent(slug);
    expect((await refusal(give({ count: 1 }))).code).toBe('grant-expired');
  });

  test('L-2: an explicit range is handed out inclusive, by a revision, and its owner is told', async () => {
    const { slug, lead, other, give } = await held();
    const made = await give({ from: 128, through: 140 });
    expect(made).toEqual({
      id: made.id,
      to: { id: other.id, name: other.name, kind: 'person' },
      from: 128,
      through: 140,
      state: 'active',
      grant: 1,
    });
    expect((await readCollaboration(w.db, slug, w.operator)).leases).toEqual([made]);
    const [revision] = (await readCollaborationRevisions(w.db, slug, w.operator, { limit: 1 })).items;
    expect(revision).toMatchObject({ revision: 2, kind: 'lease', summary: `${lead.name} leased TS-128 to TS-140 to ${other.name}` });
    const { rows } = await w.db.query(`SELECT kind, details FROM notice WHERE principal_id = $1`, [other.id]);
    expect(rows).toEqual([{ kind: 'lease-given', details: { from: 128, through: 140, prefix: 'TS', by: lead.name } }]);
  });

  test('L-2: “the next n” is the lowest free gap of n: past leases, past landed identifiers', async () => {
    const { give, land } = await held();
    expect(await give({ count: 3 })).toMatchObject({ from: 1, through: 3 });
    await give({ from: 6, through: 7 });
    expect(await give({ count: 3 })).toMatchObject({ from: 8, through: 10 });
    expect(await give({ count: 2 })).toMatchObject({ from: 4, through: 5 });
    await land(2, 9);
    // The landing reclaimed all: 1, 3 to 8 and from 10 on are free.
    expect(await give({ count: 6 })).toMatchObject({ from: 3, through: 8 });
    expect(await give({ count: 1 })).toMatchObject({ from: 1, through: 1 });
    expect(await give({ count: 1 })).toMatchObject({ from: 10, through: 10 });
  });

  test('L-2: from 1 to 100,000 identifiers, up to 2^53 − 1', async () => {
    const { give } = await held();
    expect(await give({ count: MAX_LEASE })).toMatchObject({ from: 1, through: 100_000 });
    expect(await give({ from: MAX_NUMBER, through: MAX_NUMBER })).toMatchObject({ from: 9007199254740991, through: 9007199254740991 });
    expect(await give({ from: MAX_NUMBER - MAX_LEASE, through: MAX_NUMBER - 1 })).toMatchObject({ through: 9007199254740990 });
    const to = '00000000-0000-0000-0000-000000000000';
    const parse = (range: object) => leaseInput.safeParse({ grant: 1, to, ...range }).success;
    expect([{ count: 1 }, { count: 100_000 }, { from: 1, through: 100_000 }, { from: MAX_NUMBER, through: MAX_NUMBER }].map(parse)).toEqual(
      [true, true, true, true],
    );
    const bad = [
      {},
      { count: 0 },
      { count: 100_001 },
      { count: 1.5 },
      { from: 0, through: 5 },
      { from: 1, through: 100_001 },
      { from: 2, through: 1 },
      { from: 1 },
      { through: 1 },
      { from: 1, through: MAX_NUMBER + 1 },
      { count: 1, from: 1 },
      { count: 1, through: 1 },
    ];
    expect(bad.filter(parse)).toEqual([]);
  });

  test('L-2: where no gap of n is left it is invalid-input', async () => {
    const { slug, give } = await held();
    await w.db.query(`UPDATE container SET spent = int8multirange(int8range(1, ${MAX_NUMBER - 9}, '[]')) WHERE slug = $1`, [slug]);
    expect(await refusal(give({ count: 10 }))).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'count' }] } });
    expect(await give({ count: 9 })).toMatchObject({ through: MAX_NUMBER });
  });

  test.each([
    ['ends on a lease’s first', { from: 5, through: 10 }, { from: 10, through: 10 }],
    ['begins on a lease’s last', { from: 20, through: 30 }, { from: 20, through: 20 }],
    ['lies inside a lease', { from: 12, through: 13 }, { from: 12, through: 13 }],
    ['covers two leases: the first is named', { from: 1, through: 99 }, { from: 10, through: 20 }],
    ['covers a landed identifier', { from: 50, through: 60 }, { from: 55, through: 55 }],
  ])('L-3: one that %s is range-taken with the first clash', async (_how, range, clash) => {
    const { slug, lead, give, land } = await held();
    await give({ from: 55, through: 55 });
    await land(55);
    await give({ from: 10, through: 20 });
    await give({ from: 40, through: 42 });
    expect(await refusal(lease(w.db, slug, lead.id, { grant: 1, to: lead.id, ...range }))).toMatchObject({
      code: 'range-taken',
      status: 409,
      members: clash,
    });
    expect((await readCollaboration(w.db, slug, w.operator)).leases.filter((l) => l.state === 'active')).toHaveLength(2);
  });

  test('L-3: adjoining ranges do not clash, nor do other containers’ leases or reclaimed ones', async () => {
    const { slug, lead, give, land } = await held();
    await give({ from: 10, through: 20 });
    expect(await give({ from: 21, through: 22 })).toMatchObject({ state: 'active' });
    expect(await give({ from: 9, through: 9 })).toMatchObject({ state: 'active' });
    const elsewhere = await held();
    expect(await elsewhere.give({ from: 10, through: 20 })).toMatchObject({ state: 'active' });
    await land(15);
    expect(await lease(w.db, slug, lead.id, { grant: 1, to: lead.id, from: 10, through: 14 })).toMatchObject({ state: 'active' });
  });

  test('L-3: the database itself refuses an overlap of active leases, and a range out of bounds', async () => {
    const { give } = await held();
    const { id } = await give({ from: 10, through: 20 });
    const twin = (range: string) =>
      w.db.query(
        `INSERT INTO lease (container_id, "grant", to_id, ids, at) SELECT container_id, "grant", to_id, ${range}, at FROM lease WHERE id = $1`,
        [id],
      );
    await expect(twin(`int8range(20, 25, '[]')`)).rejects.toThrow('lease_active_no_overlap');
    await expect(twin(`int8range(0, 5, '[]')`)).rejects.toThrow('lease_ids_bounds');
    await expect(twin(`int8range(${MAX_NUMBER}, 9007199254740992, '[]')`)).rejects.toThrow('lease_ids_bounds');
    await expect(twin(`'empty'::int8range`)).rejects.toThrow('lease_ids_bounds');
  });

  test('work goes to an active coworker: not to a reader, nor to nobody', async () => {
    const { slug, lead } = await held();
    const reader = await w.person('reader');
    for (const to of [reader.id, '00000000-0000-0000-0000-000000000000']) {
      expect(await refusal(lease(w.db, slug, lead.id, { grant: 1, to, count: 1 }))).toMatchObject({
        code: 'invalid-input',
        members: { errors: [{ path: 'to' }] },
      });
    }
  });
});
