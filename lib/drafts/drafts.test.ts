import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEntry } from '../copy/read';
import { readLandings } from '../register/read';
import { holdGate, openWorld, outcomes, refusal, waitUntilWaiting, type World } from '../testing/world';
import { pushDrafts, type PushInput } from './push';
import { readDraftRevisions, readDrafts } from './read';
import { removeDraft } from './remove';
import { copyDraft, saveDraft } from './save';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

async function held() {
  const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person()]);
  await w.lead(slug, lead);
  await w.lease(slug, lead, { grant: 1, to: other.id, from: 1, through: 9 });
  const save = (identifier: string, base: number, title = 'Draft', body = 'Text', grant = 1, who = lead) =>
    saveDraft(w.db, slug, who.id, identifier, base, { grant, title, body });
  const push = (drafts: PushInput['drafts'], more: Partial<PushInput> = {}, key: string = randomUUID()) =>
    pushDrafts(w.db, slug, lead.id, key, { grant: 1, message: 'From drafts', drafts, ...more });
  const open = async (who = lead) => (await readDrafts(w.db, slug, who, { limit: 50 })).items;
  const history = async (identifier: string, grant = 1) =>
    (await readDraftRevisions(w.db, slug, lead, grant, identifier, { limit: 50 })).items;
  return {
    slug,
    lead,
    other,
    save,
    push,
    open,
    history,
    remove: (identifier: string, options = {}) => removeDraft(w.db, slug, lead.id, identifier, options),
  };
}

describe('R-7: drafts', () => {
  test('a new one is saved against revision 0, later ones against the revision that was seen; history is kept', async () => {
    const { save, open, history, lead } = await held();
    const one = await save('TS-3', 0);
    expect(one).toMatchObject({ identifier: 'TS-3', grant: 1, title: 'Draft', body: 'Text', revision: 1, state: 'open' });
    const two = await save('TS-3', 1, 'Draft', 'Better');
    expect(two).toMatchObject({ revision: 2, body: 'Better' });
    expect(await open()).toEqual([two]);
    expect((await history('TS-3')).map((r) => [r.revision, r.body, r.author.id])).toEqual([
      [2, 'Better', lead.id],
      [1, 'Text', lead.id],
    ]);
  });

  test('a base that does not hold is an edit-conflict with the current draft; nothing changes', async () => {
    const { save, open } = await held();
    expect(await refusal(save('TS-3', 1))).toMatchObject({ code: 'edit-conflict', members: { current: null } });
    const current = await save('TS-3', 0);
    for (const base of [0, 2, -1, 1.5, 2 ** 31, 2 ** 53])
      expect(await refusal(save('TS-3', base))).toMatchObject({ code: 'edit-conflict', status: 412, members: { current } });
    expect(await open()).toEqual([current]);
  });

  test('of two saves from one base at once one wins', async () => {
    const { slug, save, history } = await held();
    await save('TS-3', 0);
    for (const base of [1, 0]) {
      const identifier = base ? 'TS-3' : 'TS-4';
      const grip = await holdGate(w.db, slug);
      const calls = outcomes([save(identifier, base, 'A'), save(identifier, base, 'B')]);
      await waitUntilWaiting(w.db, 2, slug);
      await grip.letGo();
      expect((await calls).filter((d) => 'refused' in d)).toEqual([{ refused: 'edit-conflict' }]);
      expect(await history(identifier)).toHaveLength(base + 1);
    }
  });

  test('R-1: saving is fenced: only the lead, with its live grant', async () => {
    const { slug, save, other, lead } = await held();
    expect((await refusal(save('TS-3', 0, 'T', 'B', 1, other))).code).toBe('not-holder');
    expect((await refusal(save('TS-3', 0, 'T', 'B', 2))).code).toBe('grant-unknown');
    await w.fallSilent(slug);
    expect((await refusal(save('TS-3', 0))).code).toBe('grant-expired');
    await w.lead(slug, lead);
    expect((await refusal(save('TS-3', 0))).code).toBe('grant-superseded');
  });

  test('L-1: a malformed identifier is invalid-input', async () => {
    const { save } = await held();
    for (const identifier of ['TS-0', 'TS-01', 'HF-1', 'TS-9007199254740992', 'x']) {
      expect(await refusal(save(identifier, 0))).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'identifier' }] } });
    }
  });

  test('are their author’s alone', async () => {
    const { slug, save, open, other } = await held();
    await save('TS-3', 0);
    expect(await open(other)).toEqual([]);
    expect(await open(w.operator)).toEqual([]);
    expect((await refusal(readDraftRevisions(w.db, slug, other, 1, 'TS-3', { limit: 9 }))).code).toBe('not-found');
    expect((await refusal(removeDraft(w.db, slug, other.id, 'TS-3'))).code).toBe('not-found');
    expect((await refusal(readDrafts(w.db, slug, undefined, { limit: 9 }))).code).toBe('unauthenticated');
  });

  test('a deleted one keeps its history, and its entry can be drafted anew', async () => {
    const { save, open, history, remove } = await held();
    const made = await save('TS-3', 0);
    expect(await refusal(remove('TS-3', { base: 2 }))).toMatchObject({ code: 'edit-conflict', members: { current: made } });
    await remove('TS-3', { base: 1 });
    expect(await open()).toEqual([]);
    expect(await refusal(remove('TS-3'))).toMatchObject({ code: 'wrong-state', members: { state: 'deleted' } });
    expect(await refusal(save('TS-3', 1))).toMatchObject({ code: 'wrong-state', members: { state: 'deleted' } });
    expect(await save('TS-3', 0, 'Again')).toMatchObject({ revision: 2, state: 'open' });
    expect((await history('TS-3')).map((r) => r.title)).toEqual(['Again', 'Draft']);
    expect((await refusal(remove('TS-4'))).code).toBe('not-found');
  });
});

describe('LP-8: drafts of an ended grant', () => {
  test('are kept for their author, who can read, delete, and copy them to a later grant of its own', async () => {
    const { slug, lead, other, save, open, remove } = await held();
    await save('TS-3', 0, 'Kept', 'Text of grant 1');
    await save('TS-4', 0, 'Dropped');
    await w.fallSilent(slug);
    await w.lead(slug, other);
    expect((await open()).map((d) => [d.identifier, d.grant])).toEqual([
      ['TS-3', 1],
      ['TS-4', 1],
    ]);
    await remove('TS-4');
    const copy = (grant: number, from = 1, who = lead) => copyDraft(w.db, slug, who.id, 'TS-3', { from, grant });
    expect((await refusal(copy(2))).code).toBe('not-holder');
    expect((await refusal(copy(2, 1, other))).code).toBe('not-found');
    await w.fallSilent(slug);
    await w.lead(slug, lead);
    expect(await copy(3)).toMatchObject({ identifier: 'TS-3', grant: 3, title: 'Kept', body: 'Text of grant 1', revision: 1 });
    expect((await refusal(copy(3))).code).toBe('edit-conflict');
    expect((await open()).map((d) => d.grant)).toEqual([3, 1]);
  });
});

describe('R-7: the push', () => {
  test('lands the drafts as one landing and marks them landed, in one transaction', async () => {
    const { slug, other, save, push, open, history } = await held();
    await save('TS-3', 0, 'Three');
    await save('TS-4', 0, 'Four');
    const kept = await save('TS-5', 0, 'Not yet');
    const landed = await push([
      { identifier: 'TS-4', revision: 1 },
      { identifier: 'TS-3', revision: 1 },
    ]);
    expect(landed).toMatchObject({ sequence: 1, message: 'From drafts', entries: [{ identifier: 'TS-4' }, { identifier: 'TS-3' }] });
    expect(await readEntry(w.db, slug, w.operator, 'TS-3')).toMatchObject({ title: 'Three', author: { id: other.id } });
    expect(await open()).toEqual([kept]);
    expect(await history('TS-3')).toHaveLength(1);
    expect(await refusal(save('TS-3', 1))).toMatchObject({ code: 'wrong-state', members: { state: 'landed' } });
    expect((await save('TS-3', 0, 'Amended')).revision).toBe(2);
  });

  test('without drafts says that there is nothing to land', async () => {
    const { push } = await held();
    expect(await push([])).toMatchObject({ sequence: 1, entries: [] });
  });

  test('each draft must still be at the revision that was shown; else nothing lands and all stay open', async () => {
    const { slug, save, push, open } = await held();
    await save('TS-3', 0);
    await save('TS-4', 0);
    const current = await save('TS-4', 1, 'Changed meanwhile');
    const shown = [
      { identifier: 'TS-3', revision: 1 },
      { identifier: 'TS-4', revision: 1 },
    ];
    expect(await refusal(push(shown))).toMatchObject({ code: 'edit-conflict', members: { current } });
    expect(await refusal(push([{ identifier: 'TS-8', revision: 1 }]))).toMatchObject({
      code: 'invalid-input',
      members: { errors: [{ path: 'drafts[0]' }] },
    });
    expect((await readLandings(w.db, slug, w.operator, { limit: 9 })).items).toEqual([]);
    expect((await open()).map((d) => d.state)).toEqual(['open', 'open']);
  });

  test('a draft outside every lease makes the landing invalid, and it stays open', async () => {
    const { save, push, open } = await held();
    await save('TS-77', 0);
    expect(await refusal(push([{ identifier: 'TS-77', revision: 1 }]))).toMatchObject({
      code: 'landing-invalid',
      members: { errors: [{ index: 0, identifier: 'TS-77', code: 'identifier-not-leased' }] },
    });
    expect(await open()).toHaveLength(1);
  });

  test('R-4: a double click lands once, and the repeat gets the first answer though the drafts are landed; also after the grant has ended', async () => {
    const { slug, save, push } = await held();
    await save('TS-3', 0);
    const key = randomUUID();
    const click = () => push([{ identifier: 'TS-3', revision: 1 }], {}, key);
    const grip = await holdGate(w.db, slug);
    const both = Promise.all([click(), click()]);
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    const [first, second] = await both;
    expect(second).toEqual(first);
    await w.fallSilent(slug);
    expect(await click()).toEqual(first);
    expect((await refusal(push([], {}, key))).code).toBe('idempotency-mismatch');
    expect((await readLandings(w.db, slug, w.operator, { limit: 9 })).items).toHaveLength(1);
  });

  test('R-1: is fenced, and a refusal leaves the drafts open', async () => {
    const { slug, other, save, push, open } = await held();
    await save('TS-3', 0);
    await w.fallSilent(slug);
    expect((await refusal(push([{ identifier: 'TS-3', revision: 1 }]))).code).toBe('grant-expired');
    await w.lead(slug, other);
    expect((await refusal(push([{ identifier: 'TS-3', revision: 1 }]))).code).toBe('grant-superseded');
    expect((await open()).map((d) => d.state)).toEqual(['open']);
  });

  test('L-4: may name leases to keep', async () => {
    const { slug, lead, save, push } = await held();
    const lease = await w.lease(slug, lead, { grant: 1, to: lead.id, from: 20, through: 29 });
    await save('TS-20', 0);
    expect((await push([{ identifier: 'TS-20', revision: 1 }], { keepLeases: [lease.id] })).reclaimed).toMatchObject([
      { from: 1, through: 9 },
    ]);
    await save('TS-21', 0);
    expect((await push([{ identifier: 'TS-21', revision: 1 }])).reclaimed).toMatchObject([{ id: lease.id, from: 21, through: 29 }]);
  });
});
