import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorld, refusal, type World } from '../testing/world';
import { heartbeat } from './heartbeat';
import { editLockNotes } from './notes';
import { readLockRevision, readLockRevisions } from './revisions';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const edit = async (slug: string, who: { id: string }, notes: string, summary?: string) =>
  editLockNotes(w.db, slug, who.id, await w.revision(slug), { notes, summary });

describe('LP-9: the lock page’s notes', () => {
  test('while nobody holds, any coworker edits them, a reader does not', async () => {
    const [slug, coworker, reader] = await Promise.all([w.container(), w.person(), w.person('reader')]);
    expect(await edit(slug, coworker, '# Plan')).toMatchObject({ notes: '# Plan', revision: 2 });
    expect((await refusal(edit(slug, reader, 'No'))).code).toBe('forbidden');
  });

  test('while somebody holds, only the holder does; others are told who holds', async () => {
    const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person()]);
    const { grant, grantedAt, expiresAt, holder } = await w.lead(slug, lead, 'Refunds');
    for (const who of [other, w.operator]) {
      expect(await refusal(edit(slug, who, 'Mine'))).toMatchObject({
        code: 'lock-held',
        members: { holder, reason: 'Refunds', grant, grantedAt, expiresAt },
      });
    }
    expect((await edit(slug, lead, 'Ours')).notes).toBe('Ours');
  });

  test('past the expiry nobody holds: any coworker edits them again, and the silent holder too', async () => {
    const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person()]);
    await w.lead(slug, lead);
    await w.fallSilent(slug, 0.000001);
    expect((await edit(slug, other, 'Where is the lead?')).badge).toBe('HOLDER SILENT');
    expect((await edit(slug, lead, 'Here')).notes).toBe('Here');
  });

  test('an edit changes the notes alone, and the history keeps each text through edits that are no notes', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    const held = await w.lead(slug, lead);
    const noted = await edit(slug, lead, 'One', 'First note');
    expect(noted).toEqual({ ...held, notes: 'One', revision: held.revision + 1, now: noted.now });
    await heartbeat(w.db, slug, lead.id, noted.revision, { grant: 1 });
    await edit(slug, lead, 'Two');
    const { items } = await readLockRevisions(w.db, slug, w.operator, { limit: 9 });
    expect(items.map((r) => [r.kind, r.fields.notes, r.summary])).toEqual([
      ['notes', 'Two', 'Edited the notes'],
      ['heartbeat', 'One', 'Heartbeat'],
      ['notes', 'One', 'First note'],
      ['acquire', '', expect.any(String)],
      ['create', '', 'Created'],
    ]);
    expect((await readLockRevision(w.db, slug, w.operator, 4)).fields.notes).toBe('One');
  });

  test('notes can be emptied again', async () => {
    const slug = await w.container();
    await edit(slug, w.operator, 'Text');
    expect((await edit(slug, w.operator, '')).notes).toBe('');
    expect((await readLockRevision(w.db, slug, w.operator, 3)).fields.notes).toBe('');
  });
});
