/** LP-6 and LP-8, as far as amendments and passes go: what a grant asked for and left running ends with it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import type { Principal } from '../principals/record';
import type { Registered } from '../recovery/instance';
import { completePass, readPass } from '../runner';
import { amendmentsOf, ask, found, gridNow, quietInstance } from '../testing/amendments';
import { arrow, bring, complete, containerWith, start } from '../testing/work';
import { holdGate, openWorld, refusal, waitUntilWaiting, type World } from '../testing/world';
import { decideQueue, resubmitAmendment } from '.';
import { lockGrid } from './write-lock';

let w: World;
let instance: Registered;
beforeAll(async () => {
  w = await openWorld({ size: 20 });
  instance = await quietInstance(w);
});
afterAll(async () => {
  await instance.close();
  await w.close();
});

type Scene = { slug: string; lead: Principal; next: Principal };
/** How a grant ends: the words for its amendments, the reason for its passes. */
const ENDS: Record<string, { end: (scene: Scene) => Promise<unknown>; outcome: string; reason: string }> = {
  'a release': {
    end: async ({ slug, lead }) => release(w.db, slug, lead.id, await w.revision(slug), { grant: 1 }),
    outcome: 'Grant 1 was released',
    reason: 'manual-stop',
  },
  'a clear': {
    end: async ({ slug }) => clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 1, reason: 'Gone' }),
    outcome: 'Grant 1 was cleared',
    reason: 'grant-superseded',
  },
  'the next grant, after silence': { end: ({ slug, next }) => w.lead(slug, next), outcome: 'Grant 1 ended by silence', reason: 'grant-superseded' },
  'its own holder’s next grant, after silence': { end: ({ slug, lead }) => w.lead(slug, lead), outcome: 'Grant 1 ended by silence', reason: 'grant-superseded' },
};

async function scene(): Promise<Scene> {
  const [slug, lead, next] = await Promise.all([containerWith(w, [arrow('a'), arrow('b', { context: 'ledger' })]), w.person(), w.person()]);
  await w.lead(slug, lead);
  await w.push(slug, lead, 1);
  return { slug, lead, next };
}
const silent = async (how: string, { slug }: Scene) => {
  if (how !== 'a release') await w.fallSilent(slug);
};

describe.each(Object.entries(ENDS))('%s', (how, { end, outcome, reason }) => {
  test('sets the queued amendments of the grant aside, and leaves an operator’s and those that were decided', async () => {
    const s = await scene();
    const { slug, lead } = s;
    await ask(w, slug, { grant: 1, rationale: 'Decided before' }, lead);
    await decideQueue(w.db, slug);
    await ask(w, slug, { grant: 1 }, lead);
    await ask(w, slug);
    await ask(w, slug, { grant: 1 }, lead);
    await silent(how, s);
    await end(s);
    expect((await amendmentsOf(w, slug)).map((a) => [a.state, a.outcome])).toEqual([
      ['committed', null],
      ['needs-rejustification', outcome],
      ['queued', null],
      ['needs-rejustification', outcome],
    ]);
    expect(await decideQueue(w.db, slug)).toBe(1);
    expect((await gridNow(w, slug)).version).toBe(3);
  });

  test('aborts what runs, its attestations too, and lets the role locks go; what was completed stays', async () => {
    const s = await scene();
    const { slug, lead } = s;
    await complete(w, slug, lead, 'a');
    const running = await start(w, slug, lead, 'a');
    const other = await start(w, slug, lead, 'b');
    await bring(w, slug, lead, w.operator, other, 'C1', 'pass');
    await silent(how, s);
    await end(s);
    for (const pass of [running, other]) expect(await readPass(w.db, slug, w.operator, pass.id)).toMatchObject({ state: 'aborted', reason });
    expect(await found(w, slug, 'SELECT * FROM role_lock WHERE container_id = $1')).toEqual([]);
    expect((await gridNow(w, slug)).arrows).toEqual([{ id: 'a', status: 'complete' }, { id: 'b', status: 'unevaluated' }]);
    const late = await refusal(completePass(w.db, slug, lead.id, other.id, { grant: 1 }));
    expect(late.code).toMatch(/^grant-/);
    expect(await found(w, slug, `SELECT 1 FROM checkpoint WHERE container_id = $1 AND kind = 'pass' AND content->>'state' = 'aborted'`)).toHaveLength(2);
  });

  test('sets aside also the amendment that is being committed: claimed, and not yet decided', async () => {
    const s = await scene();
    const { slug, lead } = s;
    const { id } = await ask(w, slug, { grant: 1, changes: [{ artifact: 'x' }] }, lead);
    await ask(w, slug);
    await silent(how, s);
    // The claim waits behind our grip, the end of the grant behind the claim, and the decision behind that: the gate is fair.
    const grip = await holdGate(w.db, slug, 'shared', async (client) => lockGrid(client, (await client.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id));
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 1);
    const ending = end(s);
    await waitUntilWaiting(w.db, 2);
    await grip.letGo();
    await ending;
    await deciding;
    expect((await amendmentsOf(w, slug)).map((a) => [a.state, a.version, a.outcome])).toEqual([
      ['needs-rejustification', null, outcome],
      ['committed', 2, null],
    ]);
    expect(await found(w, slug, 'SELECT * FROM grid_write_lock WHERE container_id = $1')).toEqual([]);
    expect((await amendmentsOf(w, slug))[0]!.id).toBe(id);
  });
});

test('silence alone ends nothing: until the next grant or a clear the queue is decided and passes run', async () => {
  const { slug, lead } = await scene();
  const pass = await start(w, slug, lead, 'a');
  await ask(w, slug, { grant: 1, changes: [{ artifact: 'y' }] }, lead);
  await w.fallSilent(slug);
  expect(await decideQueue(w.db, slug)).toBe(1);
  expect((await amendmentsOf(w, slug))[0]).toMatchObject({ state: 'committed', version: 2 });
  expect((await readPass(w.db, slug, w.operator, pass.id)).state).toBe('running');
});

test('what was set aside with its grant is its author’s to submit again, under a later grant of its own', async () => {
  const { slug, lead } = await scene();
  const { id } = await ask(w, slug, { grant: 1 }, lead);
  await release(w.db, slug, lead.id, await w.revision(slug), { grant: 1 });
  const { grid } = await gridNow(w, slug);
  const again = { baseVersion: 1, changes: [], grid, rationale: 'Still right' };
  expect((await refusal(resubmitAmendment(w.db, slug, lead.id, id, { ...again, grant: 1 }))).code).toBe('grant-released');
  await w.lead(slug, lead);
  expect((await refusal(resubmitAmendment(w.db, slug, lead.id, id, { ...again, grant: 1 }))).code).toBe('grant-superseded');
  expect(await resubmitAmendment(w.db, slug, lead.id, id, { ...again, grant: 2 })).toMatchObject({ state: 'queued', grant: 2, place: 2 });
  expect(await decideQueue(w.db, slug)).toBe(1);
});
