import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeContainer } from '../containers/change';
import { petition } from '../collaboration/petition';
import { letTimePass, openWorld, plusMicros, refusal, setLockPage, type World } from '../testing/world';
import { GRANT_CAP, plusSeconds } from '../time';
import { extend, heartbeat } from './heartbeat';
import { readLockRevisions } from './revisions';

const HOUR = 3600;
const GRANTED = '2026-05-04T10:00:00.000003Z';
const CAP = '2026-05-05T10:00:00.000003Z';

describe('LP-5: the expiry that a heartbeat gives, to the microsecond', () => {
  const page = { grantedAt: GRANTED, expiresAt: '2026-05-05T08:00:00.000000Z', grantTermSeconds: 4 * HOUR };

  test('is one term after the heartbeat', () => {
    expect(extend(page, '2026-05-05T05:00:00.000001Z')).toEqual({ expiresAt: '2026-05-05T09:00:00.000001Z', atCap: false });
  });

  test.each([
    ['one microsecond before the cap', plusMicros(CAP, -1), plusMicros(CAP, -1), false],
    ['at the cap', CAP, CAP, true],
    ['one microsecond past the cap, so it is cut', plusMicros(CAP, 1), CAP, true],
    ['a term past the cap, so it is cut', plusSeconds(CAP, 4 * HOUR), CAP, true],
  ])('when a term from now ends %s', (_when, end, expiresAt, atCap) => {
    expect(extend(page, plusSeconds(end, -4 * HOUR))).toEqual({ expiresAt, atCap });
  });

  test('never shrinks', () => {
    expect(extend(page, '2026-05-05T02:00:00.000000Z')).toEqual({ expiresAt: page.expiresAt, atCap: false });
    expect(extend({ ...page, expiresAt: CAP }, '2026-05-05T02:00:00.000000Z')).toEqual({ expiresAt: CAP, atCap: true });
  });

  test('the guide’s example: the last heartbeat at hour 20 gives an expiry at hour 24', () => {
    expect(extend(page, plusSeconds(GRANTED, 20 * HOUR))).toEqual({ expiresAt: CAP, atCap: true });
  });
});

describe('heartbeat', () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld();
  });
  afterAll(() => w.close());

  /** A held container: its slug, its lead, and a call of its lead's heartbeat on the present revision. */
  async function held(settings?: Parameters<World['container']>[0]) {
    const [slug, lead] = await Promise.all([w.container(settings), w.person()]);
    await w.lead(slug, lead);
    return { slug, lead, beat: async (grant = 1) => heartbeat(w.db, slug, lead.id, await w.revision(slug), { grant }) };
  }

  test('LP-5: moves the expiry to one term after its own instant, and records that instant', async () => {
    const { slug, beat } = await held({ termSeconds: 1234 });
    await letTimePass(w.db, slug, 1000);
    const before = await w.lock(slug);
    const after = await beat();
    expect(after.lastBeatAt! > before.now).toBe(true);
    expect(after.expiresAt).toBe(plusSeconds(after.lastBeatAt!, 1234));
    expect(after).toMatchObject({ atCap: false, grantedAt: before.grantedAt, grant: 1, nextGrant: 2, badge: 'HELD' });
    expect(after.capAt).toBe(plusMicros(before.grantedAt!, GRANT_CAP));
  });

  test('LP-2: adds exactly one revision of kind heartbeat with the fields as they then are', async () => {
    const { slug, lead, beat } = await held();
    const after = await beat();
    expect(after.revision).toBe(3);
    const { items } = await readLockRevisions(w.db, slug, w.operator, { limit: 9 });
    expect(items.map((r) => r.kind)).toEqual(['heartbeat', 'acquire', 'create']);
    expect(items[0]).toMatchObject({
      revision: 3,
      author: { id: lead.id },
      at: after.lastBeatAt,
      fields: { expiresAt: after.expiresAt, lastBeatAt: after.lastBeatAt, grant: 1 },
    });
  });

  test.each([-1, 0])('LP-5: at the cap it still succeeds, lands on the cap and says so (stored expiry: cap %i µs)', async (by) => {
    const { slug, beat } = await held();
    await letTimePass(w.db, slug, 22 * HOUR);
    await setLockPage(w.db, slug, `expires_at = granted_at + interval '24 hours' + interval '${by} microseconds'`);
    const after = await beat();
    expect(after.expiresAt).toBe(plusMicros(after.grantedAt!, GRANT_CAP));
    expect(after.expiresAt).toBe(after.capAt);
    expect(after.atCap).toBe(true);
  });

  test('LP-5: no page can store an expiry one microsecond past the cap', async () => {
    const { slug } = await held();
    await expect(setLockPage(w.db, slug, `expires_at = granted_at + interval '24 hours' + interval '1 microsecond'`)).rejects.toThrow(
      'lock_page_cap',
    );
  });

  test('LP-5: one whose grant is 24 h old is past its expiry: no heartbeat revives it', async () => {
    const { slug, beat } = await held();
    await letTimePass(w.db, slug, 22 * HOUR);
    await setLockPage(w.db, slug, `expires_at = granted_at + interval '24 hours'`);
    await letTimePass(w.db, slug, 2 * HOUR);
    expect((await refusal(beat())).code).toBe('grant-expired');
  });

  test('LP-5: never shrinks a stored expiry', async () => {
    const { slug, beat } = await held();
    await setLockPage(w.db, slug, `expires_at = granted_at + interval '9 hours'`);
    const after = await beat();
    expect(after.expiresAt).toBe(plusSeconds(after.grantedAt!, 9 * HOUR));
  });

  test('LP-5: a grant keeps the term that it began with; the next grant has the new one', async () => {
    const { slug, lead, beat } = await held();
    await changeContainer(w.db, slug, w.operator.id, 1, { termSeconds: 60 });
    const after = await beat();
    expect(after.expiresAt).toBe(plusSeconds(after.lastBeatAt!, 4 * HOUR));
    await w.fallSilent(slug);
    const next = await w.lead(slug, lead);
    expect(next.expiresAt).toBe(plusSeconds(next.grantedAt!, 60));
  });

  test('LP-5, R-2: only who holds, with its grant, before the expiry; each refusal is a receipt and changes nothing', async () => {
    const { slug, lead, beat } = await held();
    const other = await w.person();
    const before = await w.lock(slug);
    const receipt = {
      yourGrant: 1,
      currentGrant: 1,
      holder: { id: lead.id, name: lead.name, kind: 'person' },
      grantedAt: before.grantedAt,
      expiresAt: before.expiresAt,
    };
    expect(await refusal(heartbeat(w.db, slug, other.id, before.revision, { grant: 1 }))).toMatchObject({
      code: 'not-holder',
      members: receipt,
    });
    expect(await refusal(heartbeat(w.db, slug, w.operator.id, before.revision, { grant: 1 }))).toMatchObject({ code: 'not-holder' });
    expect(await refusal(beat(2))).toMatchObject({ code: 'grant-unknown', members: { ...receipt, yourGrant: 2 } });
    await w.fallSilent(slug, 0.000001);
    expect(await refusal(beat())).toMatchObject({ code: 'grant-expired' });
    await w.lead(slug, other);
    expect(await refusal(beat())).toMatchObject({
      code: 'grant-superseded',
      members: { yourGrant: 1, currentGrant: 2, holder: { id: other.id } },
    });
    expect((await w.lock(slug)).revision).toBe(before.revision + 1);
  });

  test('section 10: a superseded holder with a stale base gets its receipt, not an edit-conflict', async () => {
    const { slug, lead } = await held();
    await w.fallSilent(slug);
    await w.lead(slug, await w.person());
    expect((await refusal(heartbeat(w.db, slug, lead.id, 2, { grant: 1 }))).code).toBe('grant-superseded');
  });

  test('Q-5: tells the holder how many wait, and who and why', async () => {
    const { slug, beat } = await held();
    const [b, c] = [await w.person(), await w.person()];
    await petition(w.db, slug, b.id, { reason: 'Ledger work' });
    await petition(w.db, slug, c.id, { reason: 'Refunds' });
    const after = await beat();
    expect(after.waiting).toBe(2);
    expect(after.queue.map((q) => [q.principal.id, q.reason, q.place])).toEqual([
      [b.id, 'Ledger work', 1],
      [c.id, 'Refunds', 2],
    ]);
  });
});
