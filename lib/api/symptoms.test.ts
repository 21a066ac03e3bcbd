/**
 * What users of other systems suffer, one test for each: here it is impossible, or clear. Those
 * that only a browser can show are in `e2e/symptoms.spec.ts`. The numbers are those of the list.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { changePrincipal } from '../principals/change';
import { HOST, type Principal } from '../principals/record';
import { openApi, type Api } from '../testing/api';
import { holdGate, waitUntil, waitUntilWaiting } from '../testing/world';
import { tellGrants } from '../lock-page/tell-grants';
import { tellTurns } from '../collaboration/tell-turns';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const lockOf = async (slug: string, as: Principal) => (await api.call('GET', `/containers/${slug}/lock`, { as })).body;
const acquire = async (slug: string, as: Principal, reason?: string) =>
  api.call('POST', `/containers/${slug}/lock/acquire`, { as, base: (await lockOf(slug, as)).revision, body: { reason } });
const push = (slug: string, as: Principal, grant: number, key = 'key') =>
  api.call('POST', `/containers/${slug}/landings`, { as, key, body: { grant, message: 'A push', entries: [] } });
const clear = async (slug: string, grant: number, reason = 'The machine is gone') =>
  api.call('POST', `/containers/${slug}/lock/clear`, { as: api.operator, base: (await lockOf(slug, api.operator)).revision, body: { grant, reason } });
const noticesOf = async (who: Principal): Promise<string[]> =>
  (await api.db.query('SELECT kind FROM notice WHERE principal_id = $1 ORDER BY at, id', [who.id])).rows.map((r) => r.kind);

test('1. a lock error names the holder, never the caller', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container();
  await acquire(slug, ann, 'To chart');
  const refused = await acquire(slug, bea);
  expect(refused).toMatchObject({ status: 409, body: { code: 'lock-held', holder: { id: ann.id, name: ann.name }, reason: 'To chart', grant: 1 } });
  expect(refused.text).not.toContain(bea.name);
});

test('2. a release needs no id that could be missing: whoever lost its answer reads the grant on the page', async () => {
  const ann = await api.person();
  const slug = await api.container();
  await acquire(slug, ann);
  const without = await api.call('POST', `/containers/${slug}/lock/release`, { as: ann, base: 2, body: {} });
  expect(without).toMatchObject({ status: 422, body: { code: 'invalid-input', errors: [{ path: 'grant' }] } });
  const { grant, revision } = await lockOf(slug, ann);
  await push(slug, ann, grant);
  expect((await api.call('POST', `/containers/${slug}/lock/release`, { as: ann, base: revision, body: { grant } })).status).toBe(200);
});

test('3. a clear with the grant that the page shows works', async () => {
  const ann = await api.person();
  const slug = await api.container();
  await acquire(slug, ann);
  await api.fallSilent(slug);
  const { grant, badge } = await lockOf(slug, api.operator);
  expect(badge).toBe('HOLDER SILENT');
  expect((await clear(slug, grant)).body).toMatchObject({ holder: null, badge: 'OPEN' });
});

test('4. a grant that went stale is refused with the current one, and that one works', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container({ windowSeconds: 1 });
  await acquire(slug, ann);
  await api.fallSilent(slug, 5);
  await acquire(slug, bea);
  await api.fallSilent(slug, 5);
  const refused = await clear(slug, 1);
  expect(refused).toMatchObject({ status: 409, body: { code: 'grant-moved', currentGrant: 2 } });
  expect((await clear(slug, refused.body.currentGrant)).status).toBe(200);
});

test('5. a crash leaves no lock for ever: without heartbeats it ends, and the next one acquires', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container({ termSeconds: 1 });
  const held = await acquire(slug, ann);
  expect((await acquire(slug, bea)).body.code).toBe('lock-held');
  await waitUntil(api.db, held.body.expiresAt);
  expect((await acquire(slug, bea)).body).toMatchObject({ grant: 2, holder: { id: bea.id } });
});

test('6. a cancelled job that leaves many locks: all are listed, and each can be cleared', async () => {
  const ann = await api.person();
  const slugs = await Promise.all(Array.from({ length: 12 }, (_, i) => api.container({ slug: `cancelled-job-${i}` })));
  for (const slug of slugs) await acquire(slug, ann);
  for (const slug of slugs) await api.fallSilent(slug);
  const listed: string[] = [];
  for (let cursor = ''; ; ) {
    const { items, next } = (await api.call('GET', `/containers?badge=HOLDER%20SILENT&limit=5${cursor}`, { as: api.operator })).body;
    listed.push(...items.map((c: { slug: string }) => c.slug));
    if (!next) break;
    cursor = `&cursor=${next}`;
  }
  expect(listed).toEqual(expect.arrayContaining(slugs));
  for (const slug of slugs) expect((await clear(slug, 1)).status).toBe(200);
});

test('7. nobody polls by hand: there is a queue, and a waiter is told when its turn comes', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container();
  await acquire(slug, ann);
  const { status } = await api.call('POST', `/containers/${slug}/petitions`, { as: bea, body: { reason: 'To check' } });
  expect(status).toBe(201);
  expect((await lockOf(slug, bea)).queue).toMatchObject([{ principal: { id: bea.id }, place: 1, reason: 'To check', turnAt: expect.any(String) }]);
  await push(slug, ann, 1);
  await api.call('POST', `/containers/${slug}/lock/release`, { as: ann, base: (await lockOf(slug, ann)).revision, body: { grant: 1 } });
  await tellTurns(api.db);
  expect(await noticesOf(bea)).toContain('turn-begun');
});

test('8. a lock has a reason: on its page, on the board and in every refusal', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container();
  await acquire(slug, ann, 'Soundings of the inner basin');
  expect((await lockOf(slug, bea)).reason).toBe('Soundings of the inner basin');
  expect((await api.call('GET', `/containers?q=${slug}`, { as: bea })).body.items[0].lock.reason).toBe('Soundings of the inner basin');
  expect((await acquire(slug, bea)).body.reason).toBe('Soundings of the inner basin');
});

test('10. a push into what somebody else holds is refused with a receipt, and nothing of it lands', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container();
  await acquire(slug, ann);
  const refused = await push(slug, bea, 1);
  expect(refused).toMatchObject({ status: 409, body: { code: 'not-holder', yourGrant: 1, currentGrant: 1, holder: { id: ann.id }, grantedAt: expect.any(String), expiresAt: expect.any(String) } });
  expect((await api.call('GET', `/containers/${slug}/landings`, { as: ann })).body.items).toEqual([]);
});

test('11. a holder that was fenced off does not run on: its very next push is refused', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container();
  await acquire(slug, ann);
  expect((await push(slug, ann, 1, 'while it holds')).status).toBe(201);
  await api.fallSilent(slug, 3_600);
  await acquire(slug, bea);
  expect((await push(slug, ann, 1, 'after')).body).toMatchObject({ code: 'grant-superseded', currentGrant: 2, holder: { id: bea.id } });
});

test('12. servers whose clocks are three minutes apart give no second holder: all time is the database’s', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container({ termSeconds: 120 });
  const held = await acquire(slug, ann);
  const real = Date.now;
  const skewed = vi.spyOn(Date, 'now').mockImplementation(() => real() + 180_000);
  try {
    expect((await acquire(slug, bea)).body.code).toBe('lock-held');
    const beat = await api.call('POST', `/containers/${slug}/lock/heartbeat`, { as: ann, base: held.body.revision, body: { grant: 1 } });
    expect(Date.parse(beat.body.expiresAt) - real()).toBeLessThan(125_000);
  } finally {
    skewed.mockRestore();
  }
});

test('13. a transaction that began long ago does not acquire by its old `now()`: the instant is read after the wait', async () => {
  const [ann, bea] = [await api.person(), await api.person()];
  const slug = await api.container({ termSeconds: 1 });
  const held = await acquire(slug, ann);
  const grip = await holdGate(api.runtime.db, slug);
  const late = push(slug, ann, 1);
  await waitUntilWaiting(api.db, 1, slug);
  await waitUntil(api.db, held.body.expiresAt);
  await grip.letGo();
  // It was sent in time, and judged when its turn came.
  expect((await late).body.code).toBe('grant-expired');
  expect((await acquire(slug, bea)).body).toMatchObject({ grant: 2 });
});

test('16. operators can list all locks that are silent, and free each', async () => {
  const ann = await api.person();
  const slug = await api.container({ slug: 'to-be-freed' });
  await acquire(slug, ann);
  const query = '/containers?badge=HOLDER%20SILENT&q=to-be-freed';
  expect((await api.call('GET', query, { as: api.operator })).body.items).toEqual([]);
  await api.fallSilent(slug);
  const [found] = (await api.call('GET', query, { as: api.operator })).body.items;
  expect(found).toMatchObject({ slug, lock: { holder: { id: ann.id }, grant: 1 } });
  expect((await clear(slug, found.lock.grant)).status).toBe(200);
});

test('17. a machine that was switched off keeps its lock for a term at most, and operators are told', async () => {
  const ann = await api.person();
  const slug = await api.container({ termSeconds: 3_600 });
  const held = await acquire(slug, ann);
  expect(Date.parse(held.body.expiresAt) - Date.parse(held.body.grantedAt)).toBe(3_600_000);
  await api.fallSilent(slug);
  await tellGrants(api.db);
  expect(await noticesOf(api.operator)).toContain('holder-silent');
});

test('22. the queue is served first in, first out', async () => {
  const [ann, ...waiters] = [await api.person(), await api.person(), await api.person(), await api.person()];
  const slug = await api.container();
  await acquire(slug, ann!);
  for (const waiter of waiters) await api.call('POST', `/containers/${slug}/petitions`, { as: waiter, body: { reason: 'To check' } });
  const { queue } = await lockOf(slug, ann!);
  expect(queue.map((q: { principal: { id: string } }) => q.principal.id)).toEqual(waiters.map((w) => w.id));
  await push(slug, ann!, 1);
  await api.call('POST', `/containers/${slug}/lock/release`, { as: ann!, base: (await lockOf(slug, ann!)).revision, body: { grant: 1 } });
  for (const early of waiters.slice(1)) expect((await acquire(slug, early)).body).toMatchObject({ code: 'not-your-turn', turnOf: { id: waiters[0]!.id } });
  expect((await acquire(slug, waiters[0]!)).status).toBe(200);
});

test('23. nobody is dropped from the queue untold: not by an operator, not by a lost role, not by turns that went by', async () => {
  const [ann, byOperator, byRole, byTime] = [await api.person(), await api.person(), await api.person(), await api.person()];
  const slug = await api.container({ windowSeconds: 1 });
  await acquire(slug, ann!);
  const asked = async (who: Principal) => (await api.call('POST', `/containers/${slug}/petitions`, { as: who, body: { reason: 'To check' } })).body.id as string;
  const [one] = [await asked(byOperator!), await asked(byRole!)];
  await api.call('DELETE', `/containers/${slug}/petitions/${one}`, { as: api.operator });
  expect(await noticesOf(byOperator!)).toEqual(['petition-withdrawn']);
  await changePrincipal(api.db, HOST, byRole!.id, { role: 'reader' });
  expect(await noticesOf(byRole!)).toContain('petition-withdrawn');
  await asked(byTime!);
  for (const later of [await api.person(), await api.person()]) {
    await api.fallSilent(slug, 60);
    expect((await acquire(slug, later)).status).toBe(200);
  }
  expect(await noticesOf(byTime!)).toContain('petition-lapsed');
});

test('24. the audit line of a clear has its target: whose grant, since when, and why', async () => {
  const ann = await api.person();
  const slug = await api.container();
  const held = await acquire(slug, ann);
  await api.fallSilent(slug);
  await clear(slug, 1, 'Her laptop is at sea');
  const [line] = (await api.call('GET', `/containers/${slug}/audit?limit=1`, { as: api.operator })).body.items;
  expect(line).toMatchObject({ action: 'clear', grant: 1, reason: 'Her laptop is at sea', actor: { id: api.operator.id } });
  expect(JSON.stringify(line)).toContain(ann.name);
  expect(line.details).toMatchObject({ grantedAt: expect.stringMatching(/Z$/), expiresAt: expect.stringMatching(/Z$/) });
  expect(held.body.grantedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});
