import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorld, refusal, type World } from '../testing/world';
import { assignBlock, markBlock } from './block';
import { readCollaboration, readCollaborationRevisions } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const NOBODY = '00000000-0000-0000-0000-000000000000';

async function held() {
  const [slug, lead, worker, other] = await Promise.all([w.container(), w.person(), w.person('coworker', 'agent'), w.person()]);
  await w.lead(slug, lead);
  const assign = (who = lead, more: Partial<Parameters<typeof assignBlock>[3]> = {}) =>
    assignBlock(w.db, slug, who.id, { grant: 1, title: 'Ledger', assignee: worker.id, ...more });
  const mark = (who: { id: string }, id: string, state: 'done' | 'returned' = 'done') => markBlock(w.db, slug, who.id, id, { state });
  return { slug, lead, worker, other, assign, mark };
}

describe('B-1: blocks', () => {
  test('the lead assigns one, by a revision, and its assignee is told', async () => {
    const { slug, lead, worker, assign } = await held();
    const made = await assign(lead, { description: 'All of it' });
    expect(made).toMatchObject({
      title: 'Ledger',
      description: 'All of it',
      assignee: { id: worker.id, kind: 'agent' },
      leaseId: null,
      state: 'open',
      grant: 1,
    });
    expect((await readCollaboration(w.db, slug, w.operator)).blocks).toEqual([made]);
    expect((await readCollaborationRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({
      revision: 2,
      kind: 'block',
      author: { id: lead.id },
      at: made.at,
    });
    const { rows } = await w.db.query(`SELECT kind, details FROM notice WHERE principal_id = $1`, [worker.id]);
    expect(rows).toEqual([{ kind: 'block-assigned', details: { title: 'Ledger', by: lead.name } }]);
  });

  test('only the lead, with its live grant', async () => {
    const { slug, lead, worker, assign } = await held();
    for (const who of [worker, w.operator]) expect((await refusal(assign(who))).code).toBe('not-holder');
    expect((await refusal(assign(lead, { grant: 2 }))).code).toBe('grant-unknown');
    await w.fallSilent(slug);
    expect((await refusal(assign())).code).toBe('grant-expired');
    expect((await readCollaboration(w.db, slug, w.operator)).revision).toBe(1);
  });

  test('an optional lease must be an active one of this grant, and the assignee’s', async () => {
    const { slug, lead, worker, other, assign } = await held();
    const [mine, others] = [
      await w.lease(slug, lead, { grant: 1, to: worker.id, count: 5 }),
      await w.lease(slug, lead, { grant: 1, to: other.id, count: 5 }),
    ];
    expect((await assign(lead, { leaseId: mine.id })).leaseId).toBe(mine.id);
    for (const leaseId of [others.id, NOBODY])
      expect(await refusal(assign(lead, { leaseId }))).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'leaseId' }] } });
    await w.push(slug, lead, 1, [{ identifier: 'TS-1', title: 'T', body: '' }]);
    expect((await refusal(assign(lead, { leaseId: mine.id }))).code).toBe('invalid-input');
  });

  test('work goes to an active coworker', async () => {
    const { lead, assign } = await held();
    const reader = await w.person('reader');
    for (const assignee of [reader.id, NOBODY])
      expect(await refusal(assign(lead, { assignee }))).toMatchObject({
        code: 'invalid-input',
        members: { errors: [{ path: 'assignee' }] },
      });
  });

  test('its assignee or the lead marks it done or returned; nobody else, not even an operator', async () => {
    const { lead, worker, other, assign, mark } = await held();
    const [one, two] = [await assign(), await assign()];
    for (const who of [other, w.operator]) expect((await refusal(mark(who, one.id))).code).toBe('forbidden');
    expect(await mark(worker, one.id)).toEqual({ ...one, state: 'done' });
    expect(await mark(lead, two.id, 'returned')).toEqual({ ...two, state: 'returned' });
  });

  test('one that is not open is wrong-state with its state; one that is not here is not-found', async () => {
    const { slug, lead, worker, assign, mark } = await held();
    const [done, open] = [await assign(), await assign()];
    await mark(worker, done.id);
    expect(await refusal(mark(lead, done.id, 'returned'))).toMatchObject({ code: 'wrong-state', members: { state: 'done' } });
    expect((await refusal(mark(worker, NOBODY))).code).toBe('not-found');
    const elsewhere = await held();
    expect((await refusal(elsewhere.mark(worker, open.id))).code).toBe('not-found');
    await w.fallSilent(slug);
    await w.lead(slug, worker);
    expect(await refusal(mark(worker, open.id))).toMatchObject({ code: 'wrong-state', members: { state: 'closed' } });
    expect((await readCollaboration(w.db, slug, w.operator)).blocks.map((b) => b.state).sort()).toEqual(['closed', 'done']);
  });

  test('a silent holder leads no more: it marks no block of another, and its assignee still may until the next grant', async () => {
    const { slug, lead, worker, assign, mark } = await held();
    const made = await assign();
    await w.fallSilent(slug);
    expect((await refusal(mark(lead, made.id))).code).toBe('forbidden');
    expect((await mark(worker, made.id)).state).toBe('done');
  });
});
