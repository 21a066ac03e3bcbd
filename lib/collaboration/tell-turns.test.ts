import { afterAll, beforeAll, expect, test } from 'vitest';
import { readNotices } from '../notices/read';
import { letTimePass, openWorld, type World } from '../testing/world';
import { petition } from './petition';
import { tellTurns } from './tell-turns';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const toldTo = async (id: string) => (await readNotices(w.db, id, { limit: 50 })).items.filter((n) => n.kind === 'turn-begun').length;

test('Q-5: a waiter is told once when its turn begins, the next when its own does, and both again in the next handover', async () => {
  const slug = await w.container({ windowSeconds: 60, termSeconds: 3600 });
  const [lead, head, next] = [await w.person(), await w.person(), await w.person()];
  await w.lead(slug, lead);
  await petition(w.db, slug, head.id, { reason: 'first' });
  await petition(w.db, slug, next.id, { reason: 'second' });
  await tellTurns(w.db);
  expect(await toldTo(head.id)).toBe(0);

  await letTimePass(w.db, slug, 3601);
  await Promise.all([tellTurns(w.db), tellTurns(w.db)]);
  await tellTurns(w.db);
  expect([await toldTo(head.id), await toldTo(next.id)]).toEqual([1, 0]);

  await letTimePass(w.db, slug, 61);
  await tellTurns(w.db);
  expect([await toldTo(head.id), await toldTo(next.id)]).toEqual([1, 1]);

  await w.lead(slug, head);
  await letTimePass(w.db, slug, 3601);
  await tellTurns(w.db);
  expect(await toldTo(next.id)).toBe(2);
});
