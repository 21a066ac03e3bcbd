import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { write } from '../db/state';
import { openWorld, refusal, type World } from '../testing/world';
import { acquire } from './acquire';
import { clear } from './clear';
import { heartbeat } from './heartbeat';
import { editLockNotes } from './notes';
import type { LockView } from './read';
import { release } from './release';
import { reopen } from './reopen';
import { revise, type LockRevisionKind } from './revise';
import { readLockRevisions } from './revisions';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

type Later = Exclude<LockRevisionKind, 'create'>;
const KINDS: Later[] = ['acquire', 'heartbeat', 'release', 'clear', 'notes', 'reopen'];
type Edit = { container(): Promise<{ slug: string; lead: string }>; of(slug: string, lead: string, base: number): Promise<LockView> };

const free = async () => ({ slug: await w.container(), lead: (await w.person()).id });
const held = async () => {
  const [slug, lead] = await Promise.all([w.container(), w.person()]);
  await w.lead(slug, lead);
  await w.push(slug, lead, 1);
  return { slug, lead: lead.id };
};
const silent = async () => {
  const { slug, lead } = await held();
  await w.fallSilent(slug);
  return { slug, lead };
};

/** Each edit on a container whose state allows it, so that the base alone decides. */
const EDITS: Record<Later, Edit> = {
  acquire: { container: free, of: (slug, lead, base) => acquire(w.db, slug, lead, base, {}) },
  heartbeat: { container: held, of: (slug, lead, base) => heartbeat(w.db, slug, lead, base, { grant: 1 }) },
  release: { container: held, of: (slug, lead, base) => release(w.db, slug, lead, base, { grant: 1 }) },
  clear: { container: silent, of: (slug, _lead, base) => clear(w.db, slug, w.operator.id, base, { grant: 1, reason: 'Gone' }) },
  notes: { container: held, of: (slug, lead, base) => editLockNotes(w.db, slug, lead, base, { notes: randomUUID() }) },
  reopen: { container: free, of: (slug, _lead, base) => reopen(w.db, slug, w.operator.id, base, { nextGrant: 99, reason: 'A copy' }) },
};

/** What may have come after the base of an edit (LP-2). All else spoils it. */
const HARMLESS: Record<Later, Later[]> = {
  acquire: ['notes'],
  clear: ['notes'],
  reopen: ['notes'],
  heartbeat: ['heartbeat', 'notes'],
  release: ['heartbeat', 'notes'],
  notes: ['heartbeat', 'reopen'],
};

/** Appends a revision of a kind that changes no field, so that nothing but the base rule can tell. */
const comesAfter = (slug: string, kind: Later) =>
  write(w.db, slug, w.operator.id, 'exclusive', (gated) => revise(gated, kind, {}, { summary: `A later ${kind}` }));

describe('LP-2: the base', () => {
  for (const edit of KINDS) {
    for (const later of KINDS) {
      const holds = HARMLESS[edit].includes(later);
      test(`of ${edit} ${holds ? 'holds' : 'does not hold'} when ${later} came after it`, async () => {
        const { slug, lead } = await EDITS[edit].container();
        const base = await w.revision(slug);
        await comesAfter(slug, later);
        if (holds) {
          expect((await EDITS[edit].of(slug, lead, base)).revision).toBe(base + 2);
          return;
        }
        const before = await w.lock(slug);
        const refused = await refusal(EDITS[edit].of(slug, lead, base));
        expect(refused.code).toBe('edit-conflict');
        expect(refused.status).toBe(412);
        expect(refused.members.current).toEqual({ ...before, now: expect.any(String) });
        expect({ ...(await w.lock(slug)), now: before.now }).toEqual(before);
      });
    }

    test(`of ${edit} does not hold when a harmless edit and then a spoiling one came after it`, async () => {
      const { slug, lead } = await EDITS[edit].container();
      const base = await w.revision(slug);
      await comesAfter(slug, HARMLESS[edit][0]!);
      await comesAfter(slug, 'clear');
      await comesAfter(slug, HARMLESS[edit][0]!);
      expect((await refusal(EDITS[edit].of(slug, lead, base))).code).toBe('edit-conflict');
    });

    test(`of ${edit} never holds when it is no existing revision`, async () => {
      const { slug, lead } = await EDITS[edit].container();
      const current = await w.revision(slug);
      for (const base of [0, -1, current + 1, current - 0.5, 2 ** 31, 2 ** 53, Number.NaN]) {
        expect((await refusal(EDITS[edit].of(slug, lead, base))).code).toBe('edit-conflict');
      }
      expect(await w.revision(slug)).toBe(current);
    });

    test(`of ${edit} holds when it is the present revision; the edit adds exactly 1 and its row`, async () => {
      const { slug, lead } = await EDITS[edit].container();
      const base = await w.revision(slug);
      const after = await EDITS[edit].of(slug, lead, base);
      expect(after.revision).toBe(base + 1);
      const { items } = await readLockRevisions(w.db, slug, w.operator, { limit: 50 });
      expect(items).toHaveLength(base + 1);
      expect(items.map((r) => r.revision)).toEqual(items.map((_, i) => base + 1 - i));
      const author = edit === 'clear' || edit === 'reopen' ? w.operator.id : lead;
      expect(items[0]).toMatchObject({ kind: edit, author: { id: author }, at: after.now });
      expect(after).toMatchObject(items[0]!.fields);
    });
  }
});
