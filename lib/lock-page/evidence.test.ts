import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignBlock } from '../collaboration/block';
import { editCollaborationNotes } from '../collaboration/notes';
import { petition } from '../collaboration/petition';
import { saveDraft } from '../drafts/save';
import { letHistoryPass, openWorld, refusal, type World } from '../testing/world';
import { clear } from './clear';
import { readEvidence, whomToAsk } from './evidence';
import { heartbeat } from './heartbeat';
import { release } from './release';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const HOUR = 3600;
const beat = async (slug: string, who: { id: string }, grant: number) => heartbeat(w.db, slug, who.id, await w.revision(slug), { grant });
const evidence = async (slug: string) => (await readEvidence(w.db, slug, w.operator))!;

describe('the evidence of a silent holder', () => {
  test('is none while somebody holds or nobody does', async () => {
    const [slug, lea] = [await w.container(), await w.person()];
    expect(await readEvidence(w.db, slug, w.operator)).toBeNull();
    await w.lead(slug, lea);
    expect(await readEvidence(w.db, slug, w.operator)).toBeNull();
    await w.fallSilent(slug);
    expect(await readEvidence(w.db, slug, w.operator)).not.toBeNull();
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 1, reason: 'gone' });
    expect(await readEvidence(w.db, slug, w.operator)).toBeNull();
  });

  test('is for who may read the container (P-2)', async () => {
    const [priv, open, lea] = [await w.container(), await w.container({ public: true }), await w.person()];
    for (const slug of [priv, open]) {
      await w.lead(slug, lea);
      await w.fallSilent(slug);
    }
    expect(await refusal(readEvidence(w.db, priv, undefined))).toMatchObject({ code: 'unauthenticated' });
    expect(await readEvidence(w.db, open, undefined)).toMatchObject({ grant: 1, holder: { name: lea.name } });
  });

  test('measures the holder’s own rhythm, and names each heartbeat that came and that did not', async () => {
    const [slug, lea] = [await w.container(), await w.person()];
    await w.lead(slug, lea);
    for (let i = 0; i < 3; i++) {
      await letHistoryPass(w.db, slug, HOUR);
      await beat(slug, lea, 1);
    }
    await letHistoryPass(w.db, slug, 5 * HOUR);
    const found = await evidence(slug);
    expect(found).toMatchObject({ beatCount: 3, termSeconds: 4 * HOUR, rhythm: { from: 'beats' }, missed: { count: 3 } });
    expect(found.rhythm.seconds).toBeGreaterThan(HOUR);
    expect(found.rhythm.seconds).toBeLessThan(HOUR + 20);
    expect(found.beats).toHaveLength(3);
    expect(found.beats.at(-1)).toBe(found.lastBeatAt);
    expect(found.beats.every((at, i) => at > (found.beats[i - 1] ?? found.grantedAt))).toBe(true);
    expect(found.missed.at[0]! > found.lastBeatAt && found.missed.at.at(-1)! < found.expiresAt).toBe(true);
  });

  test('expects a heartbeat each third of the term from a holder that never sent one', async () => {
    const [slug, lea] = [await w.container({ termSeconds: 300 }), await w.person()];
    await w.lead(slug, lea);
    await letHistoryPass(w.db, slug, 400);
    expect(await evidence(slug)).toMatchObject({ beatCount: 0, beats: [], rhythm: { seconds: 100, from: 'term' }, missed: { count: 2 } });
  });

  test('tells the newest edit wherever it was made, but not what a draft says, and the last push under this grant', async () => {
    const [slug, lea, ann] = [await w.container(), await w.person(), await w.person()];
    await w.lead(slug, lea);
    const edit = async () => {
      await letHistoryPass(w.db, slug, 60);
      const moved = await w.lock(slug);
      await letHistoryPass(w.db, slug, 5 * HOUR);
      const found = await evidence(slug);
      await letHistoryPass(w.db, slug, -5 * HOUR);
      expect(moved.badge).toBe('HELD');
      return found;
    };
    expect((await edit()).lastEdit).toMatchObject({ on: 'lock', summary: expect.stringContaining('acquired the lock') });
    await editCollaborationNotes(w.db, slug, ann.id, 1, { notes: 'not hers', summary: 'By another' });
    expect((await edit()).lastEdit).toMatchObject({ on: 'lock' });
    await editCollaborationNotes(w.db, slug, lea.id, 2, { notes: 'hers', summary: 'The plan' });
    expect((await edit()).lastEdit).toMatchObject({ on: 'collaboration', summary: 'The plan', revision: 3 });
    await saveDraft(w.db, slug, lea.id, 'TS-7', 0, { grant: 1, title: 'Secret', body: 'Secret' });
    const drafted = await edit();
    expect(drafted.lastEdit).toMatchObject({ on: 'drafts', summary: 'Saved a draft' });
    expect(JSON.stringify(drafted)).not.toContain('Secret');
    expect(drafted.atStake.drafts).toBe(1);
    expect(drafted.lastPush).toBeNull();
    await w.push(slug, lea, 1);
    await beat(slug, lea, 1);
    const pushed = await edit();
    expect(pushed.lastPush).toMatchObject({ sequence: 1, message: 'A push', entries: 0 });
    expect(pushed.lastEdit).toMatchObject({ on: 'drafts' });
  });

  test('names who could be asked, each once, and what a clear ends: exactly what it then ends (LP-8)', async () => {
    const [slug, lea, ann, ben, old] = [await w.container(), await w.person(), await w.person(), await w.person(), await w.person()];
    await w.lead(slug, old);
    await w.push(slug, old, 1);
    await release(w.db, slug, old.id, await w.revision(slug), { grant: 1 });
    await w.lead(slug, lea);
    await w.lease(slug, lea, { grant: 2, to: ann.id, count: 3 });
    await assignBlock(w.db, slug, lea.id, { grant: 2, title: 'Sheet 1', assignee: ann.id });
    await petition(w.db, slug, ben.id, { reason: 'next' });
    await petition(w.db, slug, ann.id, { reason: 'then me' });
    await w.fallSilent(slug);
    const found = await evidence(slug);
    expect(found.waiting).toBe(2);
    expect(found.ask.map(({ principal, because }) => [principal.name, because])).toEqual([
      [lea.name, ['holder']],
      [ann.name, ['block', 'lease', 'waiting']],
      [ben.name, ['waiting']],
      [old.name, ['held-before']],
    ]);
    expect(found.atStake).toEqual({
      leases: [{ to: expect.objectContaining({ name: ann.name }), from: 'TS-1', through: 'TS-3' }],
      blocks: [{ title: 'Sheet 1', assignee: expect.objectContaining({ name: ann.name }) }],
      passes: [],
      amendments: 0,
      drafts: 0,
    });
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 2, reason: 'gone' });
    const { rows } = await w.db.query(
      `SELECT (SELECT count(*) FROM lease WHERE container_id = c.id AND state = 'reclaimed') AS leases, (SELECT count(*) FROM block WHERE container_id = c.id AND state = 'closed') AS blocks FROM container c WHERE slug = $1`,
      [slug],
    );
    expect(rows[0]).toEqual({ leases: 1, blocks: 1 });
  });

  test('a holder is asked once, as the holder, whatever else it has here', () => {
    const lea = { id: 'a', name: 'Lea', kind: 'person' as const };
    expect(whomToAsk(lea, { waiting: [], blocks: [lea], leases: [lea, lea], before: [lea] })).toEqual([{ principal: lea, because: ['holder', 'block', 'lease'] }]);
  });
});
