import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAudit } from '../audit/read';
import { readCollaboration, readCollaborationRevisions } from '../collaboration/read';
import { archiveContainer } from '../containers/change';
import { readEntry, readEntryRevisions } from '../copy/read';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import { landingInput } from '../schemas/inputs';
import { unstorable } from '../schemas/text';
import { openWorld, refusal, setLockPage, type World } from '../testing/world';
import { entryDigest, landingDigest, NO_DIGEST } from './digest';
import { land } from './land';
import { readLanding, readLandings } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const entry = (number: number | string, more: object = {}) => ({
  identifier: `TS-${number}`,
  title: `Title ${number}`,
  body: `Body ${number}`,
  ...more,
});

async function held() {
  const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person('coworker', 'agent')]);
  await w.lead(slug, lead);
  const register = async () => (await readLandings(w.db, slug, w.operator, { limit: 50 })).items;
  const lastLine = async () => (await readAudit(w.db, slug, w.operator, { limit: 1 })).items[0]!;
  const lease = (to: { id: string }, from: number, through: number, grant = 1) => w.lease(slug, lead, { grant, to: to.id, from, through });
  const leases = async () =>
    (await readCollaboration(w.db, slug, w.operator)).leases.filter((l) => l.state === 'active').map((l) => [l.to.id, l.from, l.through]);
  return { slug, lead, other, register, lastLine, lease, leases };
}

describe('R-1, R-2: the fence', () => {
  test('a landing under the current grant, by who holds, before the expiry is accepted at the write’s instant', async () => {
    const { slug, lead, lease, register } = await held();
    await lease(lead, 1, 5);
    const before = await w.lock(slug);
    const landed = await w.push(slug, lead, 1, [entry(1)]);
    expect(landed).toMatchObject({ sequence: 1, grant: 1, author: { id: lead.id, name: lead.name, kind: 'person' }, message: 'A push' });
    expect(landed.at > before.now && landed.at < before.expiresAt!).toBe(true);
    expect(await register()).toEqual([landed]);
    expect(await readLanding(w.db, slug, w.operator, 1)).toEqual(landed);
    expect((await w.lock(slug)).pushes).toBe(1);
  });

  test('every refusal is a receipt with the first code that applies, is audited, and leaves nothing', async () => {
    const h = await held();
    const { slug, lead, other } = h;
    await w.fallSilent(slug);
    await w.lead(slug, lead);
    const expectRefused = async (who: { id: string }, grant: number, code: string) => {
      const page = await w.lock(slug);
      const receipt = {
        yourGrant: grant,
        currentGrant: page.grant,
        holder: page.holder,
        grantedAt: page.grantedAt,
        expiresAt: page.expiresAt,
      };
      expect((await refusal(w.push(slug, who, grant))).toJSON()).toMatchObject({ code, status: 409, ...receipt });
      expect(await h.lastLine()).toMatchObject({
        action: 'refused',
        target: 'landing',
        actor: { id: who.id },
        grant,
        reason: code,
        details: { currentGrant: page.grant, message: 'A push' },
      });
    };
    await expectRefused(lead, 3, 'grant-unknown');
    await expectRefused(other, 3, 'grant-unknown');
    await expectRefused(other, 1, 'grant-superseded');
    await expectRefused(lead, 1, 'grant-superseded');
    await expectRefused(other, 2, 'not-holder');
    await expectRefused(w.operator, 2, 'not-holder');
    await w.fallSilent(slug, 0.000001);
    await expectRefused(lead, 3, 'grant-unknown');
    await expectRefused(other, 2, 'not-holder');
    await expectRefused(lead, 2, 'grant-expired');
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 2, reason: 'Gone' });
    await expectRefused(lead, 2, 'grant-cleared');
    await expectRefused(other, 2, 'grant-cleared');
    await w.lead(slug, other);
    await w.push(slug, other, 3);
    await release(w.db, slug, other.id, await w.revision(slug), { grant: 3 });
    await expectRefused(other, 3, 'grant-released');
    await expectRefused(lead, 2, 'grant-superseded');
    await expectRefused(lead, 4, 'grant-unknown');
    expect(await h.register()).toHaveLength(1);
  });

  test('the expiry is exclusive to the microsecond: at expiresAt the grant is over', async () => {
    const { slug, lead } = await held();
    await setLockPage(w.db, slug, `granted_at = clock_timestamp() - interval '1 hour', expires_at = clock_timestamp()`);
    expect((await refusal(w.push(slug, lead, 1))).code).toBe('grant-expired');
  });

  test('whatever else refuses a landing is audited too', async () => {
    const { slug, lead, lastLine } = await held();
    expect((await refusal(w.push(slug, lead, 1, [entry(1)]))).code).toBe('landing-invalid');
    expect(await lastLine()).toMatchObject({ action: 'refused', reason: 'landing-invalid' });
    expect((await refusal(w.push(slug, lead, 1, [], [randomUUID()]))).code).toBe('invalid-input');
    expect(await lastLine()).toMatchObject({ action: 'refused', reason: 'invalid-input' });
    await land(w.db, slug, lead.id, 'k', { grant: 1, message: '', entries: [] });
    expect((await refusal(land(w.db, slug, lead.id, 'k', { grant: 1, message: 'x', entries: [] }))).code).toBe('idempotency-mismatch');
    expect(await lastLine()).toMatchObject({ action: 'refused', reason: 'idempotency-mismatch' });
    await w.fallSilent(slug);
    await archiveContainer(w.db, slug, w.operator.id);
    expect((await refusal(w.push(slug, lead, 1))).code).toBe('grant-expired');
    expect(await lastLine()).toMatchObject({ action: 'refused', reason: 'grant-expired' });
  });
});

describe('R-3: entries', () => {
  test('a new identifier must lie in an active lease of this grant, and its author is the lease’s owner', async () => {
    const { slug, lead, other, lease } = await held();
    await lease(other, 1, 5);
    await lease(lead, 6, 9);
    await w.push(slug, lead, 1, [entry(2), entry(7)]);
    expect(await readEntry(w.db, slug, w.operator, 'TS-2')).toMatchObject({
      author: { id: other.id },
      revision: 1,
      landing: 1,
      grant: 1,
      title: 'Title 2',
      body: 'Body 2',
    });
    expect(await readEntry(w.db, slug, w.operator, 'TS-7')).toMatchObject({ author: { id: lead.id } });
  });

  test('an existing identifier is an amendment: no lease, one revision more, its author the pusher', async () => {
    const { slug, lead, other, lease } = await held();
    await lease(other, 1, 5);
    await w.push(slug, lead, 1, [entry(2)]);
    await w.push(slug, lead, 1, [entry(2, { body: 'Better' })]);
    expect(await readEntry(w.db, slug, w.operator, 'TS-2')).toMatchObject({
      author: { id: lead.id },
      revision: 2,
      landing: 2,
      body: 'Better',
    });
    const { items } = await readEntryRevisions(w.db, slug, w.operator, 'TS-2', { limit: 9 });
    expect(items.map((r) => [r.revision, r.author.id, r.landing, r.body])).toEqual([
      [2, lead.id, 2, 'Better'],
      [1, other.id, 1, 'Body 2'],
    ]);
  });

  test('any bad entry refuses the whole landing, and the answer lists every bad entry', async () => {
    const { slug, lead, other, lease, register } = await held();
    const [mine, theirs] = [await lease(lead, 1, 5), await lease(other, 6, 9)];
    await w.push(slug, lead, 1, [entry(9)], [mine.id, theirs.id]);
    const bad = [
      [entry(10), 'identifier-not-leased'],
      [entry(7, { leaseId: mine.id }), 'identifier-not-leased'],
      [entry(6, { leaseId: randomUUID() }), 'identifier-not-leased'],
      [entry(9, { leaseId: theirs.id }), 'identifier-not-leased'],
      ...['HF-1', 'ts-1', 'TS-01', 'TS-0', 'TS--1', 'TS-1.5', 'TS-', 'TS-1 ', 'TS-9007199254740992', 'TS-99999999999999999999', ''].map(
        (identifier) => [{ ...entry(1), identifier }, 'identifier-malformed'] as const,
      ),
      [entry(1), 'duplicate-identifier'],
    ] as const;
    const entries = [entry(1), entry(2, { leaseId: mine.id }), ...bad.map(([e]) => e)];
    const refused = await refusal(w.push(slug, lead, 1, entries));
    expect(refused).toMatchObject({ code: 'landing-invalid', status: 422 });
    expect(refused.members.errors).toEqual(
      bad.map(([{ identifier }, code], i) => ({ index: i + 2, identifier, code, message: expect.any(String) })),
    );
    expect(await register()).toHaveLength(1);
    expect((await refusal(readEntry(w.db, slug, w.operator, 'TS-1'))).code).toBe('not-found');
  });

  test('an earlier grant’s lease does not count', async () => {
    const { slug, lead, lease } = await held();
    await lease(lead, 1, 5);
    await w.fallSilent(slug);
    await w.lead(slug, lead);
    expect((await refusal(w.push(slug, lead, 2, [entry(1)]))).members.errors).toMatchObject([{ code: 'identifier-not-leased' }]);
  });

  test('up to 1,000 entries land as one', async () => {
    const { slug, lead, lease } = await held();
    await lease(lead, 1, 1000);
    const landed = await w.push(
      slug,
      lead,
      1,
      Array.from({ length: 1000 }, (_, i) => entry(i + 1)),
    );
    expect(landed.entries).toHaveLength(1000);
  });

  test('title, body and number of entries are bounded; text that cannot be stored is found with its path', () => {
    const parse = (over: object, entries: object[] = [{ ...entry(1), ...over }]) =>
      landingInput.safeParse({ grant: 1, message: '', entries }).success;
    expect([
      parse({}),
      parse({ title: 'x'.repeat(200) }),
      parse({ body: 'x'.repeat(262_144) }),
      parse({ body: 'é'.repeat(131_072) }),
    ]).toEqual([true, true, true, true]);
    expect([
      parse({ title: '' }),
      parse({ title: ' ' }),
      parse({ title: 'x'.repeat(201) }),
      parse({ body: 'x'.repeat(262_145) }),
      parse({ body: 'é'.repeat(131_073) }),
      parse({ extra: 1 }),
    ]).toEqual(Array(6).fill(false));
    expect(
      parse(
        {},
        Array.from({ length: 1000 }, () => entry(1)),
      ),
    ).toBe(true);
    expect(
      parse(
        {},
        Array.from({ length: 1001 }, () => entry(1)),
      ),
    ).toBe(false);
    expect(unstorable({ entries: [entry(1), entry(2, { body: 'a\0' })] })).toEqual({
      path: 'entries[1].body',
      message: 'must not contain U+0000',
    });
    expect(unstorable({ entries: [entry(1, { title: '\ud800' })] })).toEqual({
      path: 'entries[0].title',
      message: 'must not contain a lone surrogate',
    });
    expect(unstorable({ entries: [entry(1, { title: '😀' })] })).toBeUndefined();
  });
});

describe('R-5: the chain', () => {
  test('each landing’s digest is SHA-256 over its RFC 8785 form, with the digest of the one before', async () => {
    const { slug, lead, lease } = await held();
    await lease(lead, 1, 5);
    const one = await w.push(slug, lead, 1, [entry(2), entry(1)]);
    const two = await w.push(slug, lead, 1);
    const { rows } = await w.db.query(`SELECT id, landings, head_digest FROM container WHERE slug = $1`, [slug]);
    expect(one.previousDigest).toBe(NO_DIGEST);
    expect(one.entries).toEqual([2, 1].map((n) => ({ identifier: `TS-${n}`, digest: entryDigest({ ...entry(n), author: lead.id }) })));
    for (const landing of [one, two]) {
      const { sequence, grant, message, at, entries, previousDigest, digest } = landing;
      expect(digest).toBe(landingDigest({ container: rows[0].id, sequence, grant, author: lead.id, message, at, entries, previousDigest }));
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
    }
    expect([one.sequence, two.sequence]).toEqual([1, 2]);
    expect(two.previousDigest).toBe(one.digest);
    expect(rows[0]).toMatchObject({ landings: 2, head_digest: two.digest });
  });

  test('a refused landing takes no number', async () => {
    const { slug, lead } = await held();
    await w.push(slug, lead, 1);
    await refusal(w.push(slug, lead, 1, [entry(1)]));
    await refusal(w.push(slug, lead, 7));
    expect((await w.push(slug, lead, 1)).sequence).toBe(2);
  });
});

describe('L-4: what a landing does to the leases', () => {
  test('with entries it reclaims the active leases: landed identifiers are spent for ever, the rest is free again', async () => {
    const { slug, lead, other, lease, leases } = await held();
    const [mine, theirs] = [await lease(lead, 1, 5), await lease(other, 6, 9)];
    const landed = await w.push(slug, lead, 1, [entry(2)]);
    expect(landed.reclaimed).toEqual([
      { id: mine.id, to: expect.objectContaining({ id: lead.id, name: lead.name }), from: 1, through: 5 },
      { id: theirs.id, to: expect.objectContaining({ id: other.id, name: other.name }), from: 6, through: 9 },
    ]);
    expect(await leases()).toEqual([]);
    expect((await readCollaborationRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({
      kind: 'reclaim',
      summary: 'Landing 1 reclaimed 2 leases',
    });
    expect(await refusal(lease(lead, 1, 5))).toMatchObject({ code: 'range-taken', members: { from: 2, through: 2 } });
    expect(await lease(lead, 3, 9)).toMatchObject({ state: 'active' });
  });

  test('an amendment reclaims them too', async () => {
    const { slug, lead, lease, leases } = await held();
    await lease(lead, 1, 5);
    await w.push(slug, lead, 1, [entry(1)]);
    await lease(lead, 2, 5);
    expect((await w.push(slug, lead, 1, [entry(1)])).reclaimed).toHaveLength(1);
    expect(await leases()).toEqual([]);
  });

  test('without entries it reclaims none', async () => {
    const { slug, lead, lease, leases } = await held();
    await lease(lead, 1, 5);
    expect((await w.push(slug, lead, 1)).reclaimed).toEqual([]);
    expect(await leases()).toEqual([[lead.id, 1, 5]]);
  });

  test.each([
    ['nothing of it was spent: it stays whole', [20], [[1, 9]]],
    ['its first was spent: it is cut', [1], [[2, 9]]],
    ['its last was spent: it is cut', [9], [[1, 8]]],
    ['both ends were spent: it is cut', [1, 9], [[2, 8]]],
    [
      'its middle was spent: it falls in pieces, each its owner’s',
      [4, 5],
      [
        [1, 3],
        [6, 9],
      ],
    ],
    [
      'much was spent, in any order: it falls in pieces',
      [8, 2, 4],
      [
        [1, 1],
        [3, 3],
        [5, 7],
        [9, 9],
      ],
    ],
  ])('keeps a lease that it names; when %s', async (_how, spent, left) => {
    const { slug, lead, other, lease, leases } = await held();
    const [kept, rest] = [await lease(other, 1, 9), await lease(lead, 20, 21)];
    const landed = await w.push(
      slug,
      lead,
      1,
      spent.map((n) => entry(n)),
      [kept.id],
    );
    expect(landed.reclaimed.map((l) => l.id)).toEqual([rest.id]);
    expect(await leases()).toEqual(left.map(([from, through]) => [other.id, from, through]));
    const page = await readCollaboration(w.db, slug, w.operator);
    expect(page.leases.find((l) => l.id === kept.id)).toMatchObject({ state: 'active', from: left[0]![0] });
    const again = left[0]![0]!;
    expect(await w.push(slug, lead, 1, [entry(again)])).toMatchObject({ sequence: 2 });
  });

  test('a kept lease that is spent whole is reclaimed', async () => {
    const { slug, lead, lease, leases } = await held();
    const kept = await lease(lead, 3, 4);
    const landed = await w.push(slug, lead, 1, [entry(3), entry(4)], [kept.id]);
    expect(landed.reclaimed).toEqual([{ id: kept.id, to: expect.objectContaining({ id: lead.id, name: lead.name }), from: 3, through: 4 }]);
    expect(await leases()).toEqual([]);
  });

  test('a lease to keep must be an active one of this grant; each fault is named', async () => {
    const { slug, lead, lease, register } = await held();
    const kept = await lease(lead, 1, 5);
    const refused = await refusal(w.push(slug, lead, 1, [entry(1)], [kept.id, randomUUID()]));
    expect(refused).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'keepLeases[1]' }] } });
    await w.push(slug, lead, 1, [entry(1)]);
    expect((await refusal(w.push(slug, lead, 1, [], [kept.id]))).code).toBe('invalid-input');
    expect(await register()).toHaveLength(1);
  });
});
