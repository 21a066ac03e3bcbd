import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAudit } from '../audit/read';
import { archiveContainer } from '../containers/change';
import { changePrincipal } from '../principals/change';
import { HOST } from '../principals/record';
import { petitionInput } from '../schemas/inputs';
import { openWorld, refusal, type World } from '../testing/world';
import { petition } from './petition';
import { readCollaboration, readCollaborationRevisions } from './read';
import { withdrawPetitionsOfUnable } from './sweep';
import { withdraw } from './withdraw';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const page = (slug: string) => readCollaboration(w.db, slug, w.operator);
const latest = async (slug: string) => (await readCollaborationRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]!;
const notices = async (principalId: string) =>
  (await w.db.query(`SELECT kind, details FROM notice WHERE principal_id = $1`, [principalId])).rows;

describe('petitioning', () => {
  test('Q-1: is an edit of the collaboration page, and gets the revision number that its edit created', async () => {
    const [slug, who] = await Promise.all([w.container(), w.person('coworker', 'agent')]);
    const made = await petition(w.db, slug, who.id, { reason: 'Ledger\nwith details' });
    expect(made).toMatchObject({
      principal: { id: who.id, name: who.name, kind: 'agent' },
      reason: 'Ledger\nwith details',
      revision: 2,
      state: 'waiting',
    });
    expect((await page(slug)).petitions).toEqual([made]);
    expect(await latest(slug)).toMatchObject({
      revision: 2,
      kind: 'petition',
      author: { id: who.id },
      at: made.at,
      summary: `${who.name} petitioned: Ledger`,
    });
    expect((await w.lock(slug)).revision).toBe(1);
  });

  test('Q-1: the queue is the order of those numbers, which other edits of the page share', async () => {
    const [slug, a, b] = await Promise.all([w.container(), w.person(), w.person()]);
    const first = await petition(w.db, slug, b.id, { reason: 'One' });
    await withdraw(w.db, slug, b.id, first.id);
    const second = await petition(w.db, slug, a.id, { reason: 'Two' });
    const third = await petition(w.db, slug, b.id, { reason: 'Three' });
    expect([first, second, third].map((p) => p.revision)).toEqual([2, 4, 5]);
    expect((await w.lock(slug)).queue.map((q) => q.principal.id)).toEqual([a.id, b.id]);
  });

  test('Q-2: one waiting petition per principal and container, structurally; another container’s queue is its own', async () => {
    const [slug, other, who] = await Promise.all([w.container(), w.container(), w.person()]);
    const made = await petition(w.db, slug, who.id, { reason: 'One' });
    expect(await refusal(petition(w.db, slug, who.id, { reason: 'Two' }))).toMatchObject({
      code: 'already-waiting',
      status: 409,
      members: { petition: made.id },
    });
    expect((await page(slug)).revision).toBe(2);
    expect((await petition(w.db, other, who.id, { reason: 'One' })).revision).toBe(2);
    const twin = `INSERT INTO petition (container_id, principal_id, reason, revision, at) SELECT container_id, principal_id, reason, 99, at FROM petition WHERE id = $1`;
    await expect(w.db.query(twin, [made.id])).rejects.toThrow('petition_one_waiting');
  });

  test('Q-2: who holds cannot petition; a silent holder can', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    expect(await refusal(petition(w.db, slug, lead.id, { reason: 'More' }))).toMatchObject({ code: 'already-holder', status: 409 });
    await w.fallSilent(slug, 0.000001);
    expect((await petition(w.db, slug, lead.id, { reason: 'More' })).state).toBe('waiting');
  });

  test('a reader cannot, and an archived container takes none', async () => {
    const [slug, reader, who] = await Promise.all([w.container(), w.person('reader'), w.person()]);
    expect((await refusal(petition(w.db, slug, reader.id, { reason: 'Me' }))).code).toBe('forbidden');
    await archiveContainer(w.db, slug, w.operator.id);
    expect((await refusal(petition(w.db, slug, who.id, { reason: 'Me' }))).code).toBe('archived');
  });

  test('Q-6: carries a reason of 1 to 500 characters, as people count them, that is not blank', () => {
    for (const reason of ['', '   ', '\n', 'x'.repeat(501), '😀'.repeat(501), undefined])
      expect(petitionInput.safeParse({ reason }).success).toBe(false);
    for (const reason of ['x', 'x'.repeat(500), '😀'.repeat(500)]) expect(petitionInput.safeParse({ reason }).success).toBe(true);
  });
});

describe('withdrawing (Q-6)', () => {
  test('its author may, without a base; it is a revision, and no audit line', async () => {
    const [slug, who] = await Promise.all([w.container(), w.person()]);
    const { id } = await petition(w.db, slug, who.id, { reason: 'One' });
    await withdraw(w.db, slug, who.id, id);
    expect((await page(slug)).petitions).toMatchObject([{ id, state: 'withdrawn' }]);
    expect(await latest(slug)).toMatchObject({ revision: 3, kind: 'withdraw', author: { id: who.id } });
    expect((await readAudit(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({ action: 'container-created' });
    expect(await notices(who.id)).toEqual([]);
  });

  test('so may an operator: audited, and its author is told', async () => {
    const [slug, who] = await Promise.all([w.container(), w.person()]);
    const { id } = await petition(w.db, slug, who.id, { reason: 'One' });
    await withdraw(w.db, slug, w.operator.id, id);
    const [line] = (await readAudit(w.db, slug, w.operator, { limit: 1 })).items;
    expect(line).toMatchObject({
      action: 'petition-withdrawn',
      target: id,
      actor: { id: w.operator.id },
      details: { of: { id: who.id, name: who.name }, reason: 'One' },
    });
    expect(await notices(who.id)).toEqual([{ kind: 'petition-withdrawn', details: { petition: id, by: w.operator.name } }]);
  });

  test('another coworker may not, the lead included', async () => {
    const [slug, who, lead] = await Promise.all([w.container(), w.person(), w.person()]);
    await w.lead(slug, lead);
    const { id } = await petition(w.db, slug, who.id, { reason: 'One' });
    expect((await refusal(withdraw(w.db, slug, lead.id, id))).code).toBe('forbidden');
    expect((await page(slug)).revision).toBe(2);
  });

  test('one that is not waiting is wrong-state with its state; one that is not here is not-found', async () => {
    const [slug, other, who] = await Promise.all([w.container(), w.container(), w.person()]);
    const first = await petition(w.db, slug, who.id, { reason: 'One' });
    await withdraw(w.db, slug, who.id, first.id);
    expect(await refusal(withdraw(w.db, slug, who.id, first.id))).toMatchObject({ code: 'wrong-state', members: { state: 'withdrawn' } });
    const second = await petition(w.db, slug, who.id, { reason: 'Two' });
    expect((await refusal(withdraw(w.db, other, who.id, second.id))).code).toBe('not-found');
    await w.lead(slug, who);
    expect(await refusal(withdraw(w.db, slug, who.id, second.id))).toMatchObject({ code: 'wrong-state', members: { state: 'granted' } });
  });
});

describe('P-1: a waiter that is deactivated or demoted', () => {
  test.each([
    ['deactivated', { active: false }],
    ['a reader now', { role: 'reader' as const }],
  ])('has its petitions withdrawn in every container, each by a revision, and is told (%s)', async (_what, change) => {
    const [one, two, who, stays] = await Promise.all([w.container(), w.container(), w.person(), w.person()]);
    for (const slug of [one, two]) {
      await petition(w.db, slug, who.id, { reason: 'Gone soon' });
      await petition(w.db, slug, stays.id, { reason: 'Stays' });
    }
    await changePrincipal(w.db, HOST, who.id, change);
    for (const slug of [one, two]) {
      expect((await w.lock(slug)).queue.map((q) => q.principal.id)).toEqual([stays.id]);
      expect(await latest(slug)).toMatchObject({ revision: 4, kind: 'withdraw', author: null });
    }
    expect((await notices(who.id)).map((n) => n.kind)).toEqual(['petition-withdrawn', 'petition-withdrawn']);
    expect(await withdrawPetitionsOfUnable(w.db)).toBe(0);
  });

  test('keeps its grant, which runs to its expiry; it cannot use it', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    await changePrincipal(w.db, HOST, lead.id, { active: false });
    expect((await w.lock(slug)).badge).toBe('HELD');
    expect((await refusal(w.push(slug, lead, 1))).code).toBe('unauthenticated');
    await w.fallSilent(slug);
    expect((await w.lead(slug, w.operator)).grant).toBe(2);
  });
});
