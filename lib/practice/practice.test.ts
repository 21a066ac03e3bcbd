/** The guided first visit: the record alone says how far a newcomer is. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { petition } from '../collaboration/petition';
import { beginDemo, finishDemo } from '../demo/stage';
import { saveDraft } from '../drafts/save';
import { pushDrafts } from '../drafts/push';
import { acquire } from '../lock-page/acquire';
import { release } from '../lock-page/release';
import type { Principal } from '../principals/record';
import { openWorld, type World } from '../testing/world';
import { handOver, startPractice } from './guide';
import { readPractice } from './read';
import { readTour } from './tour';

let world: World;
let who: Principal;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(async () => {
  who = await world.person();
});
afterAll(() => world.close());

test('it is offered where there is a demo, to people who may write, and nowhere else', async () => {
  expect(await readTour(world.db, who)).toBeUndefined();
  await expect(startPractice(world.db, who)).rejects.toMatchObject({ code: 'not-found' });
  await beginDemo(world.db, false);
  await finishDemo(world.db);
  expect(await readTour(world.db, who)).toEqual({ practice: undefined });
  expect(await readTour(world.db, undefined)).toBeUndefined();
  expect(await readTour(world.db, await world.person('reader'))).toBeUndefined();
  expect(await readTour(world.db, await world.person('coworker', 'agent'))).toBeUndefined();
});

describe('with a demo', () => {
  const step = async () => (await readPractice(world.db, who.id))?.step;

  test('it leads through petition, turn, acquire, lease, draft, push and release', async () => {
    const { slug } = await startPractice(world.db, who);
    expect(await step()).toBe('petition');
    expect((await world.lock(slug)).holder).toMatchObject({ name: 'Guide', kind: 'agent' });
    await handOver(world.db, who);
    expect((await world.lock(slug)).badge).toBe('HELD');
    await petition(world.db, slug, who.id, { reason: 'To try it' });
    expect(await step()).toBe('turn');
    await handOver(world.db, who);
    expect(await step()).toBe('acquire');
    expect((await world.lock(slug)).badge).toBe('HANDOVER');
    const { grant } = await acquire(world.db, slug, who.id, await world.revision(slug), {});
    expect(await step()).toBe('lease');
    const { from } = await world.lease(slug, who, { grant, to: who.id, count: 3 });
    expect(await readPractice(world.db, who.id)).toMatchObject({ step: 'draft', identifier: `PR-${from}` });
    await saveDraft(world.db, slug, who.id, `PR-${from}`, 0, { grant, title: 'My first entry', body: 'Hello' });
    expect(await step()).toBe('push');
    await pushDrafts(world.db, slug, who.id, 'key', { grant, message: 'The first', drafts: [{ identifier: `PR-${from}`, revision: 1 }] });
    expect(await step()).toBe('release');
    await release(world.db, slug, who.id, await world.revision(slug), { grant });
    expect(await step()).toBe('done');
    const again = await startPractice(world.db, who);
    expect(again.slug).not.toBe(slug);
    expect(again.step).toBe('petition');
  });

  test('begun twice at once, it is one practice; a guide that hands over twice hands over once', async () => {
    const begun = await Promise.all([startPractice(world.db, who), startPractice(world.db, who), startPractice(world.db, who)]);
    expect(new Set(begun.map((practice) => practice.slug)).size).toBe(1);
    const { slug } = await startPractice(world.db, who);
    const { rows } = await world.db.query(`SELECT count(*)::int AS n FROM container WHERE starts_with(slug, $1)`, [slug.slice(0, -1)]);
    expect(rows[0].n).toBe(1);
    await petition(world.db, slug, who.id, { reason: 'To try it' });
    await Promise.all([handOver(world.db, who), handOver(world.db, who), handOver(world.db, who)]);
    expect(await step()).toBe('acquire');
    expect((await world.lock(slug)).grant).toBe(1);
  });

  test('a newcomer whose grant ran out begins again at the petition', async () => {
    const { slug } = await startPractice(world.db, who);
    await petition(world.db, slug, who.id, { reason: 'To try it' });
    await handOver(world.db, who);
    await acquire(world.db, slug, who.id, await world.revision(slug), {});
    await world.fallSilent(slug);
    expect(await readPractice(world.db, who.id)).toMatchObject({ step: 'petition', held: false });
  });
});
