import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAudit } from '../audit/read';
import { petition } from '../collaboration/petition';
import { readCollaboration } from '../collaboration/read';
import { readLockRevisions } from '../lock-page/revisions';
import { release } from '../lock-page/release';
import { newContainer } from '../schemas/inputs';
import { holdGate, letTimePass, openWorld, outcomes, refusal, waitUntilWaiting, type World } from '../testing/world';
import { archiveContainer, changeContainer, type ContainerChange } from './change';
import { createContainer, prefixFrom } from './create';
import { readBadge, readContainer, readContainerRevisions, readContainers, readHeld } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const change = (slug: string, base: number, input: ContainerChange, who: { id: string } = w.operator) =>
  changeContainer(w.db, slug, who.id, base, input);

describe('creating', () => {
  test('section 1: has a lock page, a collaboration page, a register and a copy from its first moment, each at revision 1', async () => {
    const made = await createContainer(w.db, w.operator.id, { slug: 'refund-rules', title: 'Refund rules' });
    expect(made).toMatchObject({
      slug: 'refund-rules',
      prefix: 'REFU',
      termSeconds: 14_400,
      windowSeconds: 900,
      public: false,
      revision: 1,
      archivedAt: null,
      badge: 'OPEN',
      caution: false,
    });
    expect(made.lock).toMatchObject({ holder: null, grant: 0, revision: 1, waiting: 0, availableSince: made.createdAt });
    expect((await readLockRevisions(w.db, 'refund-rules', w.operator, { limit: 9 })).items).toMatchObject([
      { revision: 1, kind: 'create', author: { id: w.operator.id }, at: made.createdAt, fields: { grant: 0, nextGrant: 1 } },
    ]);
    expect(await readCollaboration(w.db, 'refund-rules', w.operator)).toMatchObject({ revision: 1, notes: '' });
    expect((await readAudit(w.db, 'refund-rules', w.operator, { limit: 9 })).items).toMatchObject([
      { action: 'container-created', at: made.createdAt },
    ]);
  });

  test('LP-1: it has exactly one lock page and one collaboration page, structurally', async () => {
    const slug = await w.container();
    for (const table of ['lock_page', 'collaboration_page']) {
      const columns = table === 'lock_page' ? 'container_id, grant_term_seconds, window_seconds' : 'container_id, notes';
      await expect(
        w.db.query(
          `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${table} WHERE container_id = (SELECT id FROM container WHERE slug = $1)`,
          [slug],
        ),
      ).rejects.toThrow(`${table}_pkey`);
    }
    const { rows } = await w.db.query(
      `SELECT count(*) AS n FROM container c LEFT JOIN lock_page l ON l.container_id = c.id WHERE l.container_id IS NULL`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test('only an operator may; a slug is unique, also at once', async () => {
    const coworker = await w.person();
    expect((await refusal(createContainer(w.db, coworker.id, { slug: 'mine', title: 'Mine' }))).code).toBe('forbidden');
    const done = await outcomes(Array.from({ length: 4 }, () => createContainer(w.db, w.operator.id, { slug: 'once', title: 'Once' })));
    expect(done.filter((d) => 'refused' in d)).toEqual(Array(3).fill({ refused: 'slug-taken' }));
  });

  test('its prefix is the slug’s first letters unless given', () => {
    expect(['refund-rules', 'a-b-c', 'x1', '2024', 'ab'].map(prefixFrom)).toEqual(['REFU', 'ABC', 'HF', 'HF', 'AB']);
  });

  test('slug, prefix, term and window are bounded (section 1, L-1)', () => {
    const parse = (more: object) => newContainer.safeParse({ slug: 'a', title: 'A', ...more }).success;
    expect(
      [
        {},
        { slug: 'a'.repeat(64) },
        { prefix: 'HF' },
        { prefix: 'ABCDEFGH' },
        { termSeconds: 1 },
        { termSeconds: 86_400 },
        { windowSeconds: 86_400 },
      ].map(parse),
    ).toEqual(Array(7).fill(true));
    const bad = [
      { slug: 'A' },
      { slug: '-a' },
      { slug: 'a--b' },
      { slug: 'a'.repeat(65) },
      { slug: '' },
      { slug: `x';--` },
      { prefix: 'H' },
      { prefix: 'hf' },
      { prefix: 'ABCDEFGHI' },
      { termSeconds: 0 },
      { termSeconds: 86_401 },
      { windowSeconds: 0 },
      { windowSeconds: 86_401 },
      { termSeconds: 1.5 },
      { other: 1 },
    ];
    expect(bad.filter(parse)).toEqual([]);
  });
});

describe('changing (W-1, P-2)', () => {
  test('is checked against the container’s revision, adds one, and keeps the full history', async () => {
    const slug = await w.container({ description: 'Old' });
    const after = await change(slug, 1, { description: 'New', summary: 'Clearer' });
    expect(after).toMatchObject({ revision: 2, description: 'New', title: 'A container' });
    expect(await refusal(change(slug, 1, { description: 'Mine' }))).toMatchObject({
      code: 'edit-conflict',
      members: { current: { revision: 2, description: 'New' } },
    });
    for (const base of [0, 3, -1, 1.5, 2 ** 31]) expect((await refusal(change(slug, base, { title: 'x' }))).code).toBe('edit-conflict');
    expect(
      (await readContainerRevisions(w.db, slug, w.operator, { limit: 9 })).items.map((r) => [
        r.revision,
        r.summary,
        r.fields.description,
        r.author?.id,
      ]),
    ).toEqual([
      [2, 'Clearer', 'New', w.operator.id],
      [1, 'Created', 'Old', w.operator.id],
    ]);
    expect((await readAudit(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({ action: 'container-changed' });
  });

  test('of two changes from one base at once one wins', async () => {
    const slug = await w.container();
    const grip = await holdGate(w.db, slug);
    const calls = outcomes([change(slug, 1, { title: 'A' }), change(slug, 1, { title: 'B' })]);
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    expect((await calls).filter((d) => 'refused' in d)).toEqual([{ refused: 'edit-conflict' }]);
  });

  test('only an operator may', async () => {
    const [slug, coworker] = await Promise.all([w.container(), w.person()]);
    expect((await refusal(change(slug, 1, { title: 'x' }, coworker))).code).toBe('forbidden');
    expect((await refusal(archiveContainer(w.db, slug, coworker.id))).code).toBe('forbidden');
  });

  test('a taken slug is slug-taken and changes nothing; a free one moves it', async () => {
    const [slug, other] = [await w.container(), await w.container()];
    expect((await refusal(change(slug, 1, { slug: other, title: 'x' }))).code).toBe('slug-taken');
    expect(await readContainer(w.db, slug, w.operator)).toMatchObject({ revision: 1, title: 'A container' });
    expect((await change(slug, 1, { slug: 'moved-here' })).slug).toBe('moved-here');
    expect((await refusal(readContainer(w.db, slug, w.operator))).code).toBe('not-found');
  });

  test('L-1: the prefix stays once identifiers have been leased', async () => {
    const slug = await w.container();
    expect((await change(slug, 1, { prefix: 'NEW' })).prefix).toBe('NEW');
    await w.lead(slug, w.operator);
    await w.lease(slug, w.operator, { grant: 1, to: w.operator.id, count: 1 });
    expect(await refusal(change(slug, 2, { prefix: 'TS' }))).toMatchObject({
      code: 'invalid-input',
      members: { errors: [{ path: 'prefix' }] },
    });
    expect((await change(slug, 2, { prefix: 'NEW', title: 'Same prefix' })).revision).toBe(3);
  });
});

describe('P-2: archiving', () => {
  test('only when nobody holds; then it can be read, not written', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    const { holder, expiresAt } = await w.lead(slug, lead, 'Refunds');
    expect(await refusal(archiveContainer(w.db, slug, w.operator.id))).toMatchObject({
      code: 'lock-held',
      members: { holder, reason: 'Refunds', grant: 1, expiresAt },
    });
    await w.push(slug, lead, 1);
    await release(w.db, slug, lead.id, 2, { grant: 1 });
    const archived = await archiveContainer(w.db, slug, w.operator.id);
    expect(archived.archivedAt).toEqual(expect.any(String));
    expect(await archiveContainer(w.db, slug, w.operator.id)).toMatchObject({ archivedAt: archived.archivedAt });
    const writes = [w.lead(slug, lead), petition(w.db, slug, lead.id, { reason: 'x' }), change(slug, 1, { title: 'x' })];
    expect((await Promise.all(writes.map(refusal))).map((p) => p.code)).toEqual(['archived', 'archived', 'archived']);
    expect(await readContainer(w.db, slug, w.operator)).toMatchObject({ badge: 'OPEN', archivedAt: archived.archivedAt });
  });

  test('one that waited behind an acquisition is lock-held', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    const grip = await holdGate(w.db, slug);
    const acquired = w.lead(slug, lead);
    await waitUntilWaiting(w.db, 1, slug);
    const archived = refusal(archiveContainer(w.db, slug, w.operator.id));
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    await acquired;
    expect((await archived).code).toBe('lock-held');
  });
});

describe('reading', () => {
  test('the board’s badge is the lock page’s, in every state, and filters by it', async () => {
    const made = {
      open: await w.container({ slug: 'board-open' }),
      handover: await w.container({ slug: 'board-handover' }),
      held: await w.container({ slug: 'board-held' }),
      silent: await w.container({ slug: 'board-silent' }),
    };
    await petition(w.db, made.handover, w.operator.id, { reason: 'x' });
    await w.lead(made.held, w.operator);
    await petition(w.db, made.held, (await w.person()).id, { reason: 'x' });
    await w.lead(made.silent, w.operator);
    await w.fallSilent(made.silent);
    const expected = { 'board-open': 'OPEN', 'board-handover': 'HANDOVER', 'board-held': 'HELD', 'board-silent': 'HOLDER SILENT' } as const;
    const { items } = await readContainers(w.db, w.operator, { q: 'board-' }, { limit: 50 });
    expect(Object.fromEntries(items.map((c) => [c.slug, c.badge]))).toEqual(expected);
    for (const [slug, badge] of Object.entries(expected)) {
      const { caution, cautionSince, cautionGrant } = await w.lock(slug);
      expect((await w.lock(slug)).badge).toBe(badge);
      expect(await readBadge(w.db, slug, w.operator)).toEqual({ badge, caution, cautionSince, cautionGrant, now: expect.any(String) });
      expect((await readContainers(w.db, w.operator, { badge, q: 'board-' }, { limit: 50 })).items.map((c) => c.slug)).toEqual([slug]);
    }
    expect(items.find((c) => c.slug === made.held)!.lock).toMatchObject({ holder: { id: w.operator.id }, waiting: 1, grant: 1 });
  });

  test('P-2: containers that are not public, and their badges, need a sign-in; missing ones look the same to who is not signed in', async () => {
    const [hidden, open] = [await w.container(), await w.container({ public: true })];
    for (const slug of [hidden, 'no-such'])
      for (const read of [readContainer, readBadge]) expect((await refusal(read(w.db, slug, undefined))).code).toBe('unauthenticated');
    expect((await refusal(readBadge(w.db, 'no-such', w.operator))).code).toBe('not-found');
    expect((await readBadge(w.db, open, undefined)).badge).toBe('OPEN');
    expect((await readContainers(w.db, undefined, {}, { limit: 50 })).items.map((c) => c.slug)).toEqual([open]);
  });

  test('archived ones are listed only when asked for; lists are paged by slug', async () => {
    const slugs = ['page-a', 'page-b', 'page-c'];
    for (const slug of slugs) await w.container({ slug });
    await archiveContainer(w.db, 'page-b', w.operator.id);
    const list = async (archived: boolean) =>
      (await readContainers(w.db, w.operator, { q: 'page-', archived }, { limit: 50 })).items.map((c) => c.slug);
    expect([await list(false), await list(true)]).toEqual([['page-a', 'page-c'], slugs]);
    const first = await readContainers(w.db, w.operator, { q: 'page-', archived: true }, { limit: 2 });
    const second = await readContainers(w.db, w.operator, { q: 'page-', archived: true }, { limit: 2, cursor: first.next! });
    expect([...first.items, ...second.items].map((c) => c.slug)).toEqual(slugs);
    expect((await refusal(readContainers(w.db, w.operator, {}, { limit: 2, cursor: `';--` }))).code).toBe('invalid-input');
  });
});

test('P-2: the address of a held container stays: its holder’s heartbeats go there; an open one can move', async () => {
  const slug = await w.container();
  const lead = await w.person();
  await w.lead(slug, lead);
  const moved = `${slug}-moved`;
  expect(await refusal(change(slug, 1, { slug: moved }))).toMatchObject({ code: 'lock-held', members: { grant: 1 } });
  expect(await change(slug, 1, { slug, title: 'Same address' })).toMatchObject({ slug, revision: 2 });
  await letTimePass(w.db, slug, 5 * 3600);
  expect(await change(slug, 2, { slug: moved })).toMatchObject({ slug: moved, revision: 3 });
});

test('lists who holds now, the soonest expiry first, without those that are silent or that the viewer may not read', async () => {
  const lea = await w.person();
  const [slow, fast, silent, free] = [await w.container({ termSeconds: 9000 }), await w.container({ termSeconds: 3000, public: true }), await w.container(), await w.container()];
  for (const slug of [slow, fast, silent]) await w.lead(slug, lea);
  await w.fallSilent(silent);
  const mine = [slow, fast, silent, free];
  const held = async (viewer: typeof w.operator | undefined, limit = 200) => (await readHeld(w.db, viewer, limit)).map((c) => c.slug).filter((slug) => mine.includes(slug));
  expect(await held(w.operator)).toEqual([fast, slow]);
  expect(await held(undefined)).toEqual([fast]);
  expect(await readHeld(w.db, w.operator, 1)).toHaveLength(1);
});
