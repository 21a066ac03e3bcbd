import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignBlock, markBlock } from '../collaboration/block';
import { lease } from '../collaboration/lease';
import { editCollaborationNotes } from '../collaboration/notes';
import { petition } from '../collaboration/petition';
import { withdraw } from '../collaboration/withdraw';
import { archiveContainer, changeContainer } from '../containers/change';
import { removeDraft } from '../drafts/remove';
import { saveDraft } from '../drafts/save';
import { liftAllGrants } from '../db/lift';
import { readIncarnation } from '../db/incarnation';
import { openWorld, refusal, setLockPage, type World } from '../testing/world';
import { acquire } from './acquire';
import { clear } from './clear';
import { heartbeat } from './heartbeat';
import { editLockNotes } from './notes';
import { release } from './release';
import { reopen } from './reopen';
import { readLockRevisions } from './revisions';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const REASON = 'A dump was restored in place';
const tryReopen = async (slug: string, nextGrant: number, who: { id: string } = w.operator) =>
  reopen(w.db, slug, who.id, await w.revision(slug), { nextGrant, reason: REASON });

describe('LP-4: reopen', () => {
  test('lifts the next grant; grant and holder stay, and the next acquisition gets it', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    const held = await w.lead(slug, lead);
    const after = await tryReopen(slug, 500);
    expect({ ...after, audit: [], now: held.now }).toEqual({ ...held, revision: held.revision + 1, nextGrant: 500 });
    expect(after.audit).toMatchObject([
      { action: 'reopen', actor: { id: w.operator.id }, grant: 1, reason: REASON, details: { nextGrant: 500, was: 2 } },
    ]);
    expect((await readLockRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({ kind: 'reopen', reason: REASON });
    await w.push(slug, lead, 1);
    await release(w.db, slug, lead.id, after.revision, { grant: 1 });
    expect(await w.lead(slug, lead)).toMatchObject({ grant: 500, nextGrant: 501 });
    expect((await refusal(w.push(slug, lead, 2))).code).toBe('grant-superseded');
  });

  test('takes only a higher next grant, and only from an operator', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    for (const nextGrant of [1, 0])
      expect(await refusal(tryReopen(slug, nextGrant))).toMatchObject({
        code: 'invalid-input',
        members: { errors: [{ path: 'nextGrant', message: 'must be above 1' }] },
      });
    expect((await refusal(tryReopen(slug, 2, lead))).code).toBe('forbidden');
    expect((await tryReopen(slug, 2)).nextGrant).toBe(2);
  });
});

describe('LP-4: a record that shows a grant above the page’s', () => {
  /** A container whose page was put back alone: the register, or only a revision, shows a later grant. */
  async function putBack(by: 'register' | 'revision') {
    const [slug, lead, next] = await Promise.all([w.container(), w.person(), w.person()]);
    await w.lead(slug, lead);
    await w.push(slug, lead, 1);
    await w.fallSilent(slug);
    await w.lead(slug, next);
    if (by === 'register') await w.push(slug, next, 2);
    await saveDraft(w.db, slug, next.id, 'TS-1', 0, { grant: 2, title: 'Kept', body: '' });
    const block = await assignBlock(w.db, slug, next.id, { grant: 2, title: 'Ledger', assignee: next.id });
    const asked = await petition(w.db, slug, lead.id, { reason: 'Again' });
    await w.fallSilent(slug);
    await setLockPage(
      w.db,
      slug,
      `revision = 2, holder_id = '${lead.id}', "grant" = 1, next_grant = 2, expires_at = granted_at + interval '24 hours'`,
    );
    return { slug, lead, next, block, asked };
  }

  test.each(['register', 'revision'] as const)(
    'closes the container to every write (evidence: the %s) until an operator re-opens it above that grant',
    async (by) => {
      const { slug, lead, next, block, asked } = await putBack(by);
      const writes: Promise<unknown>[] = [
        heartbeat(w.db, slug, lead.id, 2, { grant: 1 }),
        release(w.db, slug, lead.id, 2, { grant: 1 }),
        editLockNotes(w.db, slug, lead.id, 2, { notes: 'x' }),
        lease(w.db, slug, lead.id, { grant: 1, to: lead.id, count: 1 }),
        w.push(slug, lead, 1),
        saveDraft(w.db, slug, lead.id, 'TS-2', 0, { grant: 1, title: 'New', body: '' }),
        removeDraft(w.db, slug, next.id, 'TS-1'),
        assignBlock(w.db, slug, lead.id, { grant: 1, title: 'More', assignee: next.id }),
        markBlock(w.db, slug, next.id, block.id, { state: 'done' }),
        withdraw(w.db, slug, lead.id, asked.id),
        changeContainer(w.db, slug, w.operator.id, 1, { title: 'Other' }),
        archiveContainer(w.db, slug, w.operator.id),
        petition(w.db, slug, next.id, { reason: 'Mine' }),
        editCollaborationNotes(w.db, slug, next.id, 1, { notes: 'x' }),
        acquire(w.db, slug, next.id, 2, {}),
        clear(w.db, slug, w.operator.id, 2, { grant: 1, reason: 'Gone' }),
      ];
      const codes = (await Promise.all(writes.map(refusal))).map((p) => p.code);
      expect(codes).toEqual(Array(codes.length).fill('container-closed'));
      expect((await refusal(tryReopen(slug, 2))).code).toBe('invalid-input');
      const opened = await tryReopen(slug, 1000);
      expect(opened).toMatchObject({ grant: 1, holder: { id: lead.id }, nextGrant: 1000 });
      expect((await w.push(slug, lead, 1)).grant).toBe(1);
      await release(w.db, slug, lead.id, await w.revision(slug), { grant: 1 });
      expect((await w.lead(slug, lead)).grant).toBe(1000);
    },
  );
});

describe('LP-4: another life of the database', () => {
  const foreign = (slug: string) => w.db.query(`UPDATE container SET timeline = '0000002A' WHERE slug = $1`, [slug]);

  test('the first write there lifts nextGrant by 1,000 by a reopen revision with an audit line, before it is judged', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    await foreign(slug);
    await w.push(slug, lead, 1);
    const after = await w.lock(slug);
    expect(after).toMatchObject({ revision: 3, grant: 1, nextGrant: 1002, holder: { id: lead.id } });
    expect(after.audit).toMatchObject([{ action: 'reopen', actor: null, details: { nextGrant: 1002, was: { timeline: '0000002A' } } }]);
    expect((await readLockRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({
      kind: 'reopen',
      author: null,
      revision: 3,
    });
    await w.fallSilent(slug);
    expect((await w.lead(slug, w.operator)).grant).toBe(1002);
  });

  test('an acquisition from a base before the lift is an edit-conflict, and gets the lifted grant from the new base', async () => {
    const slug = await w.container();
    await foreign(slug);
    expect((await refusal(acquire(w.db, slug, w.operator.id, 1, {}))).code).toBe('edit-conflict');
    expect((await acquire(w.db, slug, w.operator.id, 2, {})).grant).toBe(1001);
  });

  test('a shared write lifts too, once, and side by side writes lift once together', async () => {
    const [slug, ...people] = await Promise.all([w.container(), w.person(), w.person(), w.person(), w.person()]);
    await foreign(slug);
    await Promise.all(people.map((p) => petition(w.db, slug, p.id, { reason: 'Next' })));
    expect(await w.lock(slug)).toMatchObject({ revision: 2, nextGrant: 1001 });
  });

  test('at boot every such container is lifted, and a second boot lifts none', async () => {
    const slugs = [await w.container(), await w.container()];
    for (const slug of slugs) await foreign(slug);
    const incarnation = await readIncarnation(w.db);
    expect(await liftAllGrants(w.db, incarnation)).toEqual(expect.arrayContaining(slugs));
    expect(await liftAllGrants(w.db, incarnation)).toEqual([]);
    for (const slug of slugs) expect((await w.lock(slug)).nextGrant).toBe(1001);
  });
});
