import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import { openWorld, refusal, type World } from '../testing/world';
import { readEntries, readEntry, readEntryRevisions } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

type Texts = Record<number, [title: string, body: string]>;

/** A container whose first grant landed the entries. */
async function landed(texts: Texts, settings = {}) {
  const [slug, lead] = await Promise.all([w.container(settings), w.person()]);
  await w.lead(slug, lead);
  const { id } = await w.lease(slug, lead, { grant: 1, to: lead.id, from: 1, through: 999 });
  const land = (more: Texts, grant = 1, keep = [id]) =>
    w.push(
      slug,
      lead,
      grant,
      Object.entries(more).map(([n, [title, body]]) => ({ identifier: `TS-${n}`, title, body })),
      keep,
    );
  await land(texts);
  const search = async (q: string) => (await readEntries(w.db, slug, w.operator, { limit: 50, q })).items.map((e) => e.identifier);
  return { slug, lead, land, search };
}

describe('R-6: the copy', () => {
  test('shows the latest revision of every landed entry, by number, with the landing and grant that brought it', async () => {
    const { slug, lead, land } = await landed({ 10: ['Ten', 'a'], 2: ['Two', 'b'] });
    await land({ 2: ['Two', 'better'] });
    const { items } = await readEntries(w.db, slug, w.operator, { limit: 50 });
    expect(items).toMatchObject([
      { identifier: 'TS-2', title: 'Two', revision: 2, landing: 2, grant: 1 },
      { identifier: 'TS-10', title: 'Ten', revision: 1, landing: 1, grant: 1 },
    ]);
    expect(items[0]).not.toHaveProperty('body');
    expect(await readEntry(w.db, slug, w.operator, 'TS-2')).toMatchObject({ body: 'better', author: { id: lead.id, name: lead.name } });
  });

  test('shows each entry’s whole history, newest first, with every body for a diff between any two', async () => {
    const { slug, lead, land } = await landed({ 1: ['One', 'first'] });
    await land({ 1: ['One', 'second'] });
    await w.fallSilent(slug);
    await w.lead(slug, lead);
    await land({ 1: ['Uno', 'third'] }, 2, []);
    const { items } = await readEntryRevisions(w.db, slug, w.operator, 'TS-1', { limit: 50 });
    expect(items.map((r) => [r.revision, r.title, r.body, r.landing, r.grant])).toEqual([
      [3, 'Uno', 'third', 3, 2],
      [2, 'One', 'second', 2, 1],
      [1, 'One', 'first', 1, 1],
    ]);
    const page = await readEntryRevisions(w.db, slug, w.operator, 'TS-1', { limit: 2 });
    expect(
      (await readEntryRevisions(w.db, slug, w.operator, 'TS-1', { limit: 2, cursor: page.next! })).items.map((r) => r.revision),
    ).toEqual([1]);
  });

  test('is searched by full text of titles and latest bodies, by part of a title, and by identifier; the identifier first', async () => {
    const { land, search } = await landed({
      1: ['Refund rules', 'When money goes back'],
      2: ['Ledger', 'Refund entries, see TS-3'],
      3: ['Zürich', 'Straße'],
      4: ['Plain', 'Nothing here'],
    });
    expect(await search('refund')).toEqual(['TS-1', 'TS-2']);
    expect(await search('money back')).toEqual(['TS-1']);
    expect(await search('"goes back"')).toEqual(['TS-1']);
    expect(await search('efund rul')).toEqual(['TS-1']);
    expect(await search('refund -ledger')).toEqual(['TS-1']);
    expect((await search('TS-3'))[0]).toBe('TS-3');
    expect(await search('ts-4')).toEqual(['TS-4']);
    expect(await search('zürich')).toEqual(['TS-3']);
    await land({ 4: ['Plain', 'Now with a refund'] });
    expect(await search('refund')).toEqual(['TS-1', 'TS-2', 'TS-4']);
    expect(await search('nothing')).toEqual([]);
  });

  test.each(['%', '_', '\\', `'; DROP TABLE entry; --`, ':*', '& | !', '<->', '(', '"', '\\%'])(
    'a search for %j is only text',
    async (q) => {
      const { search } = await landed({ 1: ['One', 'x'] });
      expect(await search(q)).toEqual([]);
    },
  );

  test('is read in pages, each entry once', async () => {
    const { slug } = await landed(Object.fromEntries(Array.from({ length: 7 }, (_, i) => [i + 1, [`Entry ${i + 1}`, 'same words']])));
    for (const q of [undefined, 'same']) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await readEntries(w.db, slug, w.operator, { limit: 3, q, cursor });
        seen.push(...page.items.map((e) => e.identifier));
        cursor = page.next ?? undefined;
      } while (cursor);
      expect(seen).toEqual(['TS-1', 'TS-2', 'TS-3', 'TS-4', 'TS-5', 'TS-6', 'TS-7']);
    }
    for (const request of [
      { cursor: 'x' },
      { cursor: '0' },
      { cursor: '-1' },
      { q: 'same', cursor: '3' },
      { cursor: '9007199254740993' },
    ]) {
      expect((await refusal(readEntries(w.db, slug, w.operator, { limit: 3, ...request }))).code).toBe('invalid-input');
    }
  });

  test('an identifier that names nothing is not-found', async () => {
    const { slug } = await landed({ 1: ['One', ''] });
    for (const identifier of ['TS-2', 'TS-01', 'HF-1', 'x', 'TS-9007199254740992']) {
      expect((await refusal(readEntry(w.db, slug, w.operator, identifier))).code).toBe('not-found');
      expect((await refusal(readEntryRevisions(w.db, slug, w.operator, identifier, { limit: 9 }))).code).toBe('not-found');
    }
  });

  test('P-2: needs a sign-in unless the container is public', async () => {
    const [hidden, open] = await Promise.all([landed({ 1: ['One', ''] }), landed({ 1: ['One', ''] }, { public: true })]);
    const reads = [
      readEntries(w.db, hidden.slug, undefined, { limit: 9 }),
      readEntry(w.db, hidden.slug, undefined, 'TS-1'),
      readEntryRevisions(w.db, hidden.slug, undefined, 'TS-1', { limit: 9 }),
    ];
    expect((await Promise.all(reads.map(refusal))).map((p) => p.code)).toEqual(['unauthenticated', 'unauthenticated', 'unauthenticated']);
    expect((await readEntries(w.db, open.slug, undefined, { limit: 9 })).items).toHaveLength(1);
  });
});

describe('LP-10: the copy’s caution', () => {
  test('is on every answer from the moment a holder falls silent, through clear and acquisition, until push and release', async () => {
    const { slug, lead } = await landed({ 1: ['One', ''] });
    const cautions = async () => {
      const [list, one, history] = [
        await readEntries(w.db, slug, w.operator, { limit: 9 }),
        await readEntry(w.db, slug, w.operator, 'TS-1'),
        await readEntryRevisions(w.db, slug, w.operator, 'TS-1', { limit: 9 }),
      ];
      return [list.items[0]!, one, history].map(({ caution, cautionSince, cautionGrant }) => ({ caution, cautionSince, cautionGrant }));
    };
    const off = { caution: false, cautionSince: null, cautionGrant: null };
    expect(await cautions()).toEqual([off, off, off]);
    await w.fallSilent(slug, 0.000001);
    const on = { caution: true, cautionSince: (await w.lock(slug)).expiresAt, cautionGrant: 1 };
    expect(await cautions()).toEqual([on, on, on]);
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 1, reason: 'Gone' });
    expect(await cautions()).toEqual([on, on, on]);
    await w.lead(slug, lead);
    await w.push(slug, lead, 2);
    expect(await cautions()).toEqual([on, on, on]);
    await release(w.db, slug, lead.id, await w.revision(slug), { grant: 2 });
    expect(await cautions()).toEqual([off, off, off]);
  });
});
