import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { letHistoryPass, openWorld, refusal, type World } from '../testing/world';
import { plusSeconds } from '../time';
import { clear } from './clear';
import { byDay } from './grant-days';
import { readGrantRevision, readGrants, type GrantEnd, type GrantSpan } from './grants';
import { release } from './release';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const HOUR = 3600;
const DAY = 24 * HOUR;
const read = (slug: string) => readGrants(w.db, slug, w.operator, { days: 30 });

describe('the grants of the last 30 days', () => {
  test('are none at first, and for who may read the container alone (P-2)', async () => {
    const slug = await w.container();
    expect(await read(slug)).toMatchObject({ count: 0, more: false, spans: [] });
    expect(await refusal(readGrants(w.db, slug, undefined, { days: 30 }))).toMatchObject({ code: 'unauthenticated' });
  });

  test('tell who held, from when to when, and how each ended', async () => {
    const [slug, lea, ann] = [await w.container(), await w.person(), await w.person()];
    await w.lead(slug, lea, 'One');
    await letHistoryPass(w.db, slug, HOUR);
    await w.push(slug, lea, 1);
    await release(w.db, slug, lea.id, await w.revision(slug), { grant: 1 });
    await letHistoryPass(w.db, slug, HOUR);
    await w.lead(slug, ann, 'Two');
    await letHistoryPass(w.db, slug, 6 * HOUR);
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 2, reason: 'gone' });
    await w.lead(slug, ann, 'Three');
    await letHistoryPass(w.db, slug, 5 * HOUR);
    await w.lead(slug, lea, 'Four');
    await letHistoryPass(w.db, slug, HOUR);

    const held = await read(slug);
    const brief = ({ grant, holder, reason, end, pushes }: GrantSpan) => ({ grant, who: holder.name, reason, end, pushes });
    expect(held.spans.map(brief)).toEqual([
      { grant: 4, who: lea.name, reason: 'Four', end: 'held', pushes: 0 },
      { grant: 3, who: ann.name, reason: 'Three', end: 'superseded', pushes: 0 },
      { grant: 2, who: ann.name, reason: 'Two', end: 'cleared', pushes: 0 },
      { grant: 1, who: lea.name, reason: 'One', end: 'released', pushes: 1 },
    ]);
    const [four, three, two, one] = held.spans as [GrantSpan, GrantSpan, GrantSpan, GrantSpan];
    expect([four.heldUntil, four.until]).toEqual([held.now, held.now]);
    expect([three.heldUntil, two.heldUntil]).toEqual([plusSeconds(three.from, 4 * HOUR), plusSeconds(two.from, 4 * HOUR)]);
    expect([three.until, one.heldUntil]).toEqual([four.from, one.until]);
    for (const span of held.spans) {
      const revision = await readGrantRevision(w.db, slug, w.operator, span.grant);
      const { rows } = await w.db.query(`SELECT kind, r."grant" FROM lock_revision r JOIN container c ON c.id = r.container_id WHERE c.slug = $1 AND r.revision = $2`, [slug, revision]);
      expect(rows).toEqual([{ kind: 'acquire', grant: span.grant }]);
    }
    expect(await readGrantRevision(w.db, slug, w.operator, 99)).toBeUndefined();
    expect(await refusal(readGrantRevision(w.db, slug, undefined, 1))).toMatchObject({ code: 'unauthenticated' });

    await letHistoryPass(w.db, slug, 4 * HOUR);
    const silent = (await read(slug)).spans[0]!;
    expect(silent).toMatchObject({ grant: 4, end: 'silent' });
    expect(silent.heldUntil).toBe((await w.lock(slug)).expiresAt);
  });

  test('are those that touch the time, one that began before it included', async () => {
    const [slug, lea] = [await w.container(), await w.person()];
    await w.lead(slug, lea);
    await letHistoryPass(w.db, slug, 5 * HOUR);
    await w.lead(slug, lea);
    await letHistoryPass(w.db, slug, 31 * DAY);
    const found = await read(slug);
    expect(found.spans.map((s) => [s.grant, s.end])).toEqual([[2, 'silent']]);
    expect(found.spans[0]!.from < found.since).toBe(true);
  });

  test('are counted all, told one by one up to 100, and summed by day', async () => {
    const [slug, lea] = [await w.container(), await w.person()];
    await w.db.query(
      `INSERT INTO lock_grant (container_id, number, holder_id, reason, granted_at, ended_at, ended_by)
       SELECT c.id, n, $2, '', clock_timestamp() - make_interval(mins => (401 - n) * 60), clock_timestamp() - make_interval(mins => (401 - n) * 60 - 30), 'release'
       FROM container c, generate_series(1, 400) n WHERE slug = $1`,
      [slug, lea.id],
    );
    await w.db.query(
      `INSERT INTO lock_revision (container_id, revision, kind, author_id, at, summary, holder_id, reason, "grant", next_grant, granted_at, expires_at)
       SELECT g.container_id, g.number + 1, 'acquire', $2, g.granted_at, '', $2, '', g.number, g.number + 1, g.granted_at, g.granted_at + interval '4 hours'
       FROM lock_grant g JOIN container c ON c.id = g.container_id WHERE slug = $1`,
      [slug, lea.id],
    );
    const found = await read(slug);
    expect([found.count, found.spans.length, found.more]).toEqual([400, 100, false]);
    expect(found.days).toHaveLength(31);
    expect(found.days.reduce((sum, day) => sum + day.ended.released, 0)).toBe(400);
    expect(Math.round(found.days.reduce((sum, day) => sum + day.heldSeconds, 0))).toBe(400 * 1800);
  });
});

describe('grants by day', () => {
  const T0 = '2026-05-04T12:00:00.000000Z';
  const ended = (some: Partial<Record<GrantEnd, number>>) => ({ released: 0, cleared: 0, superseded: 0, held: 0, silent: 0, ...some });
  const span = (from: number, heldUntil: number, until: number, end: GrantEnd): GrantSpan => ({
    grant: 1, holder: { id: 'a', name: 'Lea', kind: 'person' }, reason: '', pushes: 0, end,
    from: plusSeconds(T0, from), heldUntil: plusSeconds(T0, heldUntil), until: plusSeconds(T0, until),
  });

  test('begin and end in part, and share what lies on both sides of midnight', () => {
    const days = byDay([span(6 * HOUR, 18 * HOUR, 30 * HOUR, 'cleared')], T0, plusSeconds(T0, 2 * DAY));
    expect(days.map((d) => [d.from.slice(0, 13), d.grants, d.heldSeconds / HOUR, d.silentSeconds / HOUR, d.ended])).toEqual([
      ['2026-05-04T12', 1, 6, 0, ended({})],
      ['2026-05-05T00', 1, 6, 12, ended({ cleared: 1 })],
      ['2026-05-06T00', 0, 0, 0, ended({})],
    ]);
  });

  test('count what still stands on the last day, and cut off what began before the first', () => {
    const days = byDay([span(-5 * DAY, -4 * DAY, DAY, 'silent')], T0, plusSeconds(T0, DAY));
    expect(days.map((d) => [d.silentSeconds / HOUR, d.ended.silent])).toEqual([[12, 0], [12, 1]]);
  });
});
