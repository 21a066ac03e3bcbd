import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdGate, openWorld, outcomes, refusal, waitUntilWaiting, type World } from '../testing/world';
import { editCollaborationNotes } from './notes';
import { petition } from './petition';
import { readCollaboration, readCollaborationRevision, readCollaborationRevisions } from './read';
import { withdraw } from './withdraw';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const edit = (slug: string, who: { id: string }, base: number, notes: string, summary?: string) =>
  editCollaborationNotes(w.db, slug, who.id, base, { notes, summary });

describe('W-1: the collaboration page’s notes', () => {
  test('any coworker edits them, also while another holds; a reader does not', async () => {
    const [slug, lead, coworker, reader] = await Promise.all([w.container(), w.person(), w.person(), w.person('reader')]);
    await w.lead(slug, lead);
    expect(await edit(slug, coworker, 1, '# Plan')).toMatchObject({ notes: '# Plan', revision: 2 });
    expect((await refusal(edit(slug, reader, 2, 'No'))).code).toBe('forbidden');
  });

  test('their base holds through petitions, withdrawals, grants, leases, blocks and landings', async () => {
    const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person()]);
    const { revision: base } = await readCollaboration(w.db, slug, w.operator);
    await petition(w.db, slug, lead.id, { reason: 'Me' });
    const { id } = await petition(w.db, slug, other.id, { reason: 'Then me' });
    await withdraw(w.db, slug, other.id, id);
    await w.lead(slug, lead);
    await w.lease(slug, lead, { grant: 1, to: lead.id, count: 5 });
    await w.push(slug, lead, 1, [{ identifier: 'TS-1', title: 'T', body: '' }]);
    const { revision } = await readCollaboration(w.db, slug, w.operator);
    expect(revision).toBe(base + 6);
    expect(await edit(slug, other, base, 'Still good')).toMatchObject({ notes: 'Still good', revision: revision + 1 });
  });

  test('another notes edit after the base is an edit-conflict with the current page; nothing changes', async () => {
    const [slug, a, b] = await Promise.all([w.container(), w.person(), w.person()]);
    await edit(slug, a, 1, 'Theirs');
    const before = await readCollaboration(w.db, slug, w.operator);
    expect(await refusal(edit(slug, b, 1, 'Mine'))).toMatchObject({
      code: 'edit-conflict',
      status: 412,
      members: { current: { ...before, now: expect.any(String) } },
    });
    await petition(w.db, slug, b.id, { reason: 'Anyway' });
    expect((await refusal(edit(slug, b, 1, 'Mine'))).code).toBe('edit-conflict');
    expect((await edit(slug, b, 2, 'Mine')).revision).toBe(4);
  });

  test('a base that is no existing revision never holds', async () => {
    const slug = await w.container();
    for (const base of [0, -1, 2, 1.5, 2 ** 31, 2 ** 53])
      expect((await refusal(edit(slug, w.operator, base, 'x'))).code).toBe('edit-conflict');
    expect((await readCollaboration(w.db, slug, w.operator)).revision).toBe(1);
  });

  test('of two edits from one base at once one wins, and no revision number is lost', async () => {
    const [slug, a, b] = await Promise.all([w.container(), w.person(), w.person()]);
    const grip = await holdGate(w.db, slug);
    const calls = outcomes([
      edit(slug, a, 1, 'A'),
      edit(slug, b, 1, 'B'),
      petition(w.db, slug, b.id, { reason: 'Beside' }),
    ] as Promise<unknown>[]);
    await waitUntilWaiting(w.db, 3, slug);
    await grip.letGo();
    const done = await calls;
    expect(done.filter((d) => (d as { refused?: string }).refused === 'edit-conflict')).toHaveLength(1);
    const { items } = await readCollaborationRevisions(w.db, slug, w.operator, { limit: 9 });
    expect(items.map((r) => r.revision)).toEqual([3, 2, 1]);
  });

  test('the full history is kept, with author and summary, and each revision tells the notes as they then were', async () => {
    const [slug, a] = await Promise.all([w.container(), w.person()]);
    await edit(slug, a, 1, 'One', 'Began');
    await petition(w.db, slug, a.id, { reason: 'Me' });
    await edit(slug, a, 3, 'Two');
    const { items } = await readCollaborationRevisions(w.db, slug, w.operator, { limit: 9 });
    expect(items.map((r) => [r.revision, r.kind, r.notes, r.summary])).toEqual([
      [4, 'notes', 'Two', 'Edited the notes'],
      [3, 'petition', 'One', `${a.name} petitioned: Me`],
      [2, 'notes', 'One', 'Began'],
      [1, 'create', '', 'Created'],
    ]);
    expect(await readCollaborationRevision(w.db, slug, w.operator, 3)).toMatchObject({ notes: 'One', author: { id: a.id } });
    const page = await readCollaborationRevisions(w.db, slug, w.operator, { limit: 2 });
    expect(page.next).toBe('3');
    expect(
      (await readCollaborationRevisions(w.db, slug, w.operator, { limit: 2, cursor: page.next! })).items.map((r) => r.revision),
    ).toEqual([2, 1]);
  });

  test('history is append-only in the database itself', async () => {
    const slug = await w.container();
    for (const table of ['collaboration_revision', 'lock_revision', 'container_revision', 'audit_line']) {
      const of = `${table} WHERE container_id = (SELECT id FROM container WHERE slug = '${slug}')`;
      await expect(w.db.query(`DELETE FROM ${of}`)).rejects.toThrow('append-only');
      await expect(w.db.query(`UPDATE ${of.replace(' WHERE', ' SET at = at WHERE')}`)).rejects.toThrow('append-only');
    }
  });
});
