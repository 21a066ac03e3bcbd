import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petition } from '../collaboration/petition';
import { readNotices, type Notice } from '../notices/read';
import { changePrincipal } from '../principals/change';
import type { Principal } from '../principals/record';
import { letTimePass, openWorld, type World } from '../testing/world';
import { acquire } from './acquire';
import { clear } from './clear';
import { heartbeat } from './heartbeat';
import { release } from './release';
import { tellGrants } from './tell-grants';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const HOUR = 3600;
const MINUTE = 60;

const noticesOf = async (who: Pick<Principal, 'id'>, slug: string, kind: Notice['kind']): Promise<Notice[]> =>
  (await readNotices(w.db, who.id, { limit: 200 })).items.filter((n) => n.kind === kind && n.container?.slug === slug);
const kindsOf = async (who: Pick<Principal, 'id'>, slug: string): Promise<string[]> =>
  (await readNotices(w.db, who.id, { limit: 200 })).items.filter((n) => n.container?.slug === slug).map((n) => n.kind).sort();
/** Two instances look at once, and one of them again. */
const look = async () => {
  await Promise.all([tellGrants(w.db), tellGrants(w.db)]);
  await tellGrants(w.db);
};
const beat = async (slug: string, who: Pick<Principal, 'id'>, grant: number) => heartbeat(w.db, slug, who.id, await w.revision(slug), { grant });

async function held(settings: Parameters<World['container']>[0] = {}) {
  const slug = await w.container({ termSeconds: 4 * HOUR, ...settings });
  const lead = await w.person();
  return { slug, lead, grant: (await w.lead(slug, lead)).grant };
}

describe('a grant that ends soon', () => {
  test('is told once with its expiry, when less than ten minutes are left, and again only for an expiry that a heartbeat moved', async () => {
    const { slug, lead, grant } = await held();
    await letTimePass(w.db, slug, 4 * HOUR - 11 * MINUTE);
    await look();
    expect(await kindsOf(lead, slug)).toEqual([]);
    await letTimePass(w.db, slug, 2 * MINUTE);
    await look();
    const [told, ...more] = await noticesOf(lead, slug, 'grant-ends-soon');
    expect(more).toEqual([]);
    expect(told!.details).toEqual({ grant, expiresAt: (await w.lock(slug)).expiresAt });

    await beat(slug, lead, grant);
    await look();
    expect(await noticesOf(lead, slug, 'grant-ends-soon')).toHaveLength(1);
    await letTimePass(w.db, slug, 4 * HOUR - 9 * MINUTE);
    await look();
    expect(await noticesOf(lead, slug, 'grant-ends-soon')).toHaveLength(2);
  });

  test('is told at a quarter of a short term', async () => {
    const { slug, lead } = await held({ termSeconds: 20 * MINUTE });
    await letTimePass(w.db, slug, 14 * MINUTE);
    await look();
    expect(await kindsOf(lead, slug)).toEqual([]);
    await letTimePass(w.db, slug, 2 * MINUTE);
    await look();
    expect(await kindsOf(lead, slug)).toEqual(['grant-ends-soon']);
  });

  test('LP-5: at the cap only the cap is told, once', async () => {
    const { slug, lead, grant } = await held({ termSeconds: 24 * HOUR });
    await letTimePass(w.db, slug, 24 * HOUR - 31 * MINUTE);
    await look();
    expect(await kindsOf(lead, slug)).toEqual([]);
    await letTimePass(w.db, slug, 2 * MINUTE);
    await look();
    await letTimePass(w.db, slug, 25 * MINUTE);
    await look();
    expect(await kindsOf(lead, slug)).toEqual(['cap-near']);
    expect((await noticesOf(lead, slug, 'cap-near'))[0]!.details).toMatchObject({ grant });
  });

  test('LP-5: the cap is told as soon as a heartbeat has reached it', async () => {
    const { slug, lead, grant } = await held({ termSeconds: 12 * HOUR });
    await letTimePass(w.db, slug, 11 * HOUR);
    await beat(slug, lead, grant);
    await look();
    expect(await kindsOf(lead, slug)).toEqual([]);
    await letTimePass(w.db, slug, 3 * HOUR);
    expect((await beat(slug, lead, grant)).atCap).toBe(true);
    await look();
    expect(await kindsOf(lead, slug)).toEqual(['cap-near']);
  });

  test('is not told once it was released', async () => {
    const { slug, lead, grant } = await held();
    await w.push(slug, lead, grant);
    await release(w.db, slug, lead.id, await w.revision(slug), { grant });
    await letTimePass(w.db, slug, 5 * HOUR);
    await look();
    expect(await kindsOf(lead, slug)).toEqual([]);
    expect(await noticesOf(w.operator, slug, 'holder-silent')).toEqual([]);
  });
});

describe('a holder that falls silent', () => {
  test('is told so once, and so is every active operator, and nobody else', async () => {
    const { slug, lead, grant } = await held();
    const [second, gone, reader] = [await w.person('operator'), await w.person('operator'), await w.person('reader')];
    await changePrincipal(w.db, w.operator.id, gone.id, { active: false });
    await w.fallSilent(slug);
    const { expiresAt, lastBeatAt } = await w.lock(slug);
    await look();
    expect(await kindsOf(lead, slug)).toEqual(['grant-expired']);
    expect((await noticesOf(lead, slug, 'grant-expired'))[0]!.details).toEqual({ grant, expiresAt });
    for (const operator of [w.operator, second]) {
      expect((await noticesOf(operator, slug, 'holder-silent')).map((n) => n.details)).toEqual([{ grant, holder: lead.name, expiresAt, lastBeatAt }]);
    }
    expect([await kindsOf(gone, slug), await kindsOf(reader, slug)]).toEqual([[], []]);
  });

  test('each grant that falls silent is told of its own', async () => {
    const { slug, lead } = await held();
    await w.fallSilent(slug);
    await look();
    await letTimePass(w.db, slug, 16 * MINUTE);
    await w.lead(slug, lead);
    await look();
    await w.fallSilent(slug);
    await look();
    expect(await noticesOf(lead, slug, 'grant-expired')).toHaveLength(2);
    expect(await noticesOf(w.operator, slug, 'holder-silent')).toHaveLength(2);
  });

  test('while no instance ran, and was superseded before any looked: the operators are told by the acquisition, the holder of that', async () => {
    const { slug, lead, grant } = await held();
    const next = await w.person();
    await petition(w.db, slug, next.id, { reason: 'Next' });
    await w.fallSilent(slug);
    await acquire(w.db, slug, next.id, await w.revision(slug), {});
    await look();
    expect((await noticesOf(w.operator, slug, 'holder-silent')).map((n) => n.details)).toMatchObject([{ grant, holder: lead.name, how: 'superseded', by: next.name }]);
    expect(await kindsOf(lead, slug)).toEqual(['grant-superseded', 'petition-made']);
  });

  test('while no instance ran, and was cleared before any looked', async () => {
    const { slug, lead, grant } = await held();
    await w.fallSilent(slug);
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant, reason: 'Gone home' });
    await look();
    expect((await noticesOf(w.operator, slug, 'holder-silent')).map((n) => n.details)).toMatchObject([{ grant, how: 'cleared' }]);
    expect(await kindsOf(lead, slug)).toEqual(['lock-cleared']);
  });

  test('was told already: an acquisition does not tell it again', async () => {
    const { slug } = await held();
    await w.fallSilent(slug);
    await look();
    await letTimePass(w.db, slug, 16 * MINUTE);
    await w.lead(slug, await w.person());
    expect(await noticesOf(w.operator, slug, 'holder-silent')).toHaveLength(1);
  });
});

test('the look goes by the grants that can still be told of, not by all that ever were', async () => {
  await held();
  const { rows } = await w.db.query(`SELECT indexdef FROM pg_indexes WHERE indexname = 'lock_grant_untold'`);
  expect(rows[0].indexdef).toContain('WHERE ((ended_at IS NULL) AND (told_silent_at IS NULL))');
});
