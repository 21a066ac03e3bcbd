import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestAmendment } from '../amendment';
import { assignBlock, markBlock } from '../collaboration/block';
import { propose } from '../engine';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import { changePrincipal } from '../principals/change';
import { HOST, type Principal } from '../principals/record';
import { readGrid } from '../project/read';
import { contentOf } from '../testing/api';
import { arrow, clausesOf, complete, containerWith, gridOf, start } from '../testing/work';
import { letTimePass, openWorld, refusal, type World } from '../testing/world';
import { abortPass, completePass, readPass, startPass } from './index';

let w: World;
let lead: Principal;
let other: Principal;
beforeAll(async () => {
  w = await openWorld({ size: 12, recovered: true });
  [lead, other] = [await w.person(), await w.person('coworker', 'agent')];
});
afterAll(() => w.close());

const TABLES = ['pass', 'clause', 'role_lock', 'arrow', 'transition', 'checkpoint', 'checkpoint_chain', 'audit_line', 'lock_page'];
/** A start that is refused so, and leaves nothing behind. */
async function refused(slug: string, who: Principal, grant: number, arrowId: string, code: string, members: object = {}): Promise<void> {
  const before = await contentOf(w.db, TABLES);
  const problem = await refusal(startPass(w.db, slug, who.id, { grant, arrow: arrowId }));
  expect({ code: problem.code, members: problem.members }).toEqual({ code, members });
  expect(await contentOf(w.db, TABLES)).toEqual(before);
}
const locks = async (slug: string) =>
  (await w.db.query(`SELECT l.role, l.context, l.pass_id AS pass FROM role_lock l JOIN container c ON c.id = l.container_id WHERE c.slug = $1 ORDER BY 1, 2`, [slug])).rows;
const assign = (slug: string, grant: number, to: Principal) => assignBlock(w.db, slug, lead.id, { grant, title: 'Work', description: '', assignee: to.id });
const receiptOf = async (slug: string, yourGrant: number) => {
  const { grant, holder, grantedAt, expiresAt } = await w.lock(slug);
  return { yourGrant, currentGrant: grant, holder, grantedAt, expiresAt };
};

describe('N-1: a pass is started', () => {
  test('by the lead: it occupies its arrow’s from role in its context, and has the clauses of the grid’s version, all pending', async () => {
    const slug = await containerWith(w, [arrow('a', { from: 'architect', to: 'implementer', context: 'ledger', clauses: clausesOf(['attested', 'machine', 'machine']) })]);
    const { grant, grantedAt } = await w.lead(slug, lead);
    const pass = await startPass(w.db, slug, lead.id, { grant, arrow: 'a' });
    expect(pass).toMatchObject({ arrow: 'a', role: 'architect', context: 'ledger', gridVersion: 1, grant, state: 'running', reason: null, endedAt: null, starter: { id: lead.id, name: lead.name, kind: 'person' } });
    expect(pass.startedAt > grantedAt!).toBe(true);
    expect(pass.clauses.map((c) => [c.id, c.type, c.status, c.reason])).toEqual([['C1', 'attested', 'pending', null], ['C2', 'machine', 'pending', null], ['C3', 'machine', 'pending', null]]);
    expect(await readPass(w.db, slug, lead, pass.id)).toEqual(pass);
    expect(await locks(slug)).toEqual([{ role: 'architect', context: 'ledger', pass: pass.id }]);
  });

  test('by the assignee of an open block, and by nobody else: not an operator, not one whose block is done, returned, of another container or of an earlier grant', async () => {
    const arrows = ['a', 'b', 'c', 'd'].map((id) => arrow(id, { context: id }));
    const slug = await containerWith(w, arrows);
    const elsewhere = await containerWith(w, arrows);
    const { grant } = await w.lead(slug, lead);
    await assignBlock(w.db, elsewhere, lead.id, { grant: (await w.lead(elsewhere, lead)).grant, title: 'Work', description: '', assignee: other.id });
    for (const who of [other, w.operator]) await refused(slug, who, grant, 'a', 'not-holder', await receiptOf(slug, grant));
    const [one, two] = [await assign(slug, grant, other), await assign(slug, grant, other)];
    expect(await start(w, slug, other, 'a')).toMatchObject({ state: 'running', starter: { id: other.id } });
    await markBlock(w.db, slug, other.id, one.id, { state: 'done' });
    expect(await start(w, slug, other, 'b')).toMatchObject({ state: 'running' });
    await markBlock(w.db, slug, lead.id, two.id, { state: 'returned' });
    await refused(slug, other, grant, 'c', 'not-holder', await receiptOf(slug, grant));
    await assign(slug, grant, other);
    await w.fallSilent(slug);
    const next = (await w.lead(slug, lead)).grant;
    await refused(slug, other, next, 'c', 'not-holder', await receiptOf(slug, next));
  });

  test('a reader may not, an assignee that became one neither, nor one that was deactivated (P-1)', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    const { grant } = await w.lead(slug, lead);
    const [reader, fallen] = [await w.person('reader'), await w.person()];
    await assign(slug, grant, fallen);
    await refused(slug, reader, grant, 'a', 'forbidden', { neededRole: 'coworker' });
    await changePrincipal(w.db, HOST, fallen.id, { role: 'reader' });
    await refused(slug, fallen, grant, 'a', 'forbidden', { neededRole: 'coworker' });
    await changePrincipal(w.db, HOST, fallen.id, { role: 'coworker', active: false });
    await refused(slug, fallen, grant, 'a', 'unauthenticated');
  });

  test('under the current grant, unexpired: else a receipt, before the grid and the arrow are looked at', async () => {
    const slug = await w.container();
    await refused(slug, lead, 1, 'x', 'grant-unknown', await receiptOf(slug, 1));
    const { grant } = await w.lead(slug, lead);
    await assign(slug, grant, other);
    for (const who of [lead, other]) await refused(slug, who, grant + 1, 'x', 'grant-unknown', await receiptOf(slug, grant + 1));
    await letTimePass(w.db, slug, 4 * 3600);
    for (const who of [lead, other]) await refused(slug, who, grant, 'x', 'grant-expired', await receiptOf(slug, grant));
    const third = await w.person();
    const next = await w.lead(slug, third);
    for (const who of [lead, other, third]) await refused(slug, who, grant, 'x', 'grant-superseded', await receiptOf(slug, grant));
    await w.push(slug, third, next.grant);
    await release(w.db, slug, third.id, await w.revision(slug), { grant: next.grant });
    for (const who of [third, lead]) await refused(slug, who, next.grant, 'x', 'grant-released', await receiptOf(slug, next.grant));
    const last = await w.lead(slug, third);
    await w.fallSilent(slug);
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: last.grant, reason: 'Gone' });
    await refused(slug, third, last.grant, 'x', 'grant-cleared', await receiptOf(slug, last.grant));
  });

  test('of an arrow of the current grid: before v1 it is grid-missing, an arrow that is not there or went is invalid-input', async () => {
    const slug = await w.container();
    const { grant } = await w.lead(slug, lead);
    await refused(slug, lead, grant, 'a', 'grid-missing');
    const made = await containerWith(w, [arrow('a'), arrow('b', { context: 'ledger' })]);
    await w.lead(made, lead);
    await refused(made, lead, 1, 'A', 'invalid-input', { errors: [{ path: 'arrow', message: 'is not in grid v1' }] });
    await requestAmendment(w.db, made, w.operator.id, { baseVersion: 1, changes: [], grid: gridOf([arrow('a', { clauses: clausesOf(['machine', 'attested']) })]), rationale: 'Why' });
    while ((await readGrid(w.db, made, lead)).version === 1);
    await refused(made, lead, 1, 'b', 'invalid-input', { errors: [{ path: 'arrow', message: 'is not in grid v2' }] });
    expect(await start(w, made, lead, 'a')).toMatchObject({ gridVersion: 2, clauses: [{ id: 'C1' }, { id: 'C2' }] });
  });
});

describe('N-1: every required arrow is complete', () => {
  const refusedBy = (status: string, clauses: [string, string][], which = 'a') => ({ arrow: which, arrowStatus: status, blockingClauses: clauses.map(([id, s]) => ({ id, status: s })) });

  test('each other status refuses, with the arrow, its status and the clauses that block', async () => {
    const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(['machine', 'attested', 'machine']) }), arrow('z', { context: 'ledger', requires: ['a'] })]);
    const { grant } = await w.lead(slug, lead);
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('unevaluated', []));
    const running = await start(w, slug, lead, 'a');
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('unevaluated', []));
    await abortPass(w.db, slug, lead.id, running.id, { reason: 'manual-stop' });
    await complete(w, slug, lead, 'a', { C1: 'fail', C2: 'awaiting-attestation', C3: 'unevaluated' });
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('blocked', [['C1', 'fail'], ['C2', 'awaiting-attestation'], ['C3', 'unevaluated']]));
    await complete(w, slug, lead, 'a', { C1: 'pass', C2: 'awaiting-attestation', C3: 'unevaluated' });
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('unevaluated', [['C2', 'awaiting-attestation'], ['C3', 'unevaluated']]));
    const waiting = await complete(w, slug, lead, 'a', { C1: 'pass', C2: 'insufficient-basis', C3: 'pass' });
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('provisional', [['C2', 'insufficient-basis']]));
    // A verdict that comes late opens the way.
    await propose(w.db, slug, w.operator.id, waiting.id, 'C2', { to: 'pass' });
    const pass = await start(w, slug, lead, 'z');
    await abortPass(w.db, slug, lead.id, pass.id, { reason: 'manual-stop' });
    await requestAmendment(w.db, slug, w.operator.id, { baseVersion: 1, changes: [{ artifact: 'features/a.feature', section: 'any' }], grid: (await readGrid(w.db, slug, lead)).grid, rationale: 'Why' });
    while ((await readGrid(w.db, slug, lead)).version === 1);
    await refused(slug, lead, grant, 'z', 'transition-refused-invalidated', refusedBy('invalidated', []));
    await complete(w, slug, lead, 'a');
    expect(await start(w, slug, lead, 'z')).toMatchObject({ state: 'running', gridVersion: 2 });
  });

  test('all of several: the first that is not is told', async () => {
    const slug = await containerWith(w, [arrow('a'), arrow('b', { context: 'ledger' }), arrow('z', { context: 'mail', requires: ['b', 'a'] })]);
    const { grant } = await w.lead(slug, lead);
    await complete(w, slug, lead, 'a');
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('unevaluated', [], 'b'));
    await complete(w, slug, lead, 'b');
    await complete(w, slug, lead, 'a', 'fail');
    await refused(slug, lead, grant, 'z', 'transition-refused', refusedBy('blocked', [['C1', 'fail']], 'a'));
    await complete(w, slug, lead, 'a');
    expect(await start(w, slug, lead, 'z')).toMatchObject({ state: 'running' });
  });
});

describe('N-1: one active role instance', () => {
  test('per (from role, context) of a container; the to role is free', async () => {
    const slug = await containerWith(w, [
      arrow('one', { from: 'analyst', to: 'architect', context: 'payments' }),
      arrow('same', { from: 'analyst', to: 'implementer', context: 'payments' }),
      arrow('context', { from: 'analyst', to: 'architect', context: 'ledger' }),
      arrow('role', { from: 'architect', to: 'architect', context: 'payments' }),
      arrow('back', { from: 'architect', to: 'analyst', context: 'payments' }),
    ]);
    const elsewhere = await containerWith(w, [arrow('one')]);
    const { grant } = await w.lead(slug, lead);
    await w.lead(elsewhere, lead);
    const one = await start(w, slug, lead, 'one');
    await refused(slug, lead, grant, 'same', 'single-active-role-violation', { pass: one });
    await refused(slug, lead, grant, 'one', 'single-active-role-violation', { pass: one });
    const role = await start(w, slug, lead, 'role');
    await start(w, slug, lead, 'context');
    await start(w, elsewhere, lead, 'one');
    await refused(slug, lead, grant, 'back', 'single-active-role-violation', { pass: role });
    expect((await locks(slug)).map((l) => [l.role, l.context])).toEqual([['analyst', 'ledger'], ['analyst', 'payments'], ['architect', 'payments']]);
    // It goes with its pass, however that ends.
    await abortPass(w.db, slug, lead.id, one.id, { reason: 'manual-stop' });
    const same = await start(w, slug, lead, 'same');
    await refused(slug, lead, grant, 'one', 'single-active-role-violation', { pass: same });
    await propose(w.db, slug, lead.id, same.id, 'C1', { to: 'pass' });
    await completePass(w.db, slug, lead.id, same.id, { grant });
    expect(await start(w, slug, lead, 'one')).toMatchObject({ state: 'running' });
  });
});

test('BR-6: a container with an open alert of a broken chain or a diverged grid takes no new pass; what runs goes on', async () => {
  const slug = await containerWith(w, [arrow('a'), arrow('b', { context: 'ledger' })]);
  const { grant } = await w.lead(slug, lead);
  const pass = await start(w, slug, lead, 'a');
  for (const kind of ['chain-broken', 'grid-diverged']) {
    await w.db.query(`INSERT INTO alert (container_id, kind, details, at) SELECT id, $2, '{}', clock_timestamp() FROM container WHERE slug = $1`, [slug, kind]);
    await refused(slug, lead, grant, 'b', 'container-closed', { reason: kind });
    await w.db.query(`UPDATE alert SET closed_at = clock_timestamp() WHERE kind = $1`, [kind]);
  }
  await w.db.query(`INSERT INTO alert (container_id, kind, details, at) SELECT id, 'chain-broken', '{}', clock_timestamp() FROM container WHERE slug = $1`, [slug]);
  await propose(w.db, slug, lead.id, pass.id, 'C1', { to: 'pass' });
  expect(await completePass(w.db, slug, lead.id, pass.id, { grant })).toMatchObject({ state: 'completed' });
  const elsewhere = await containerWith(w, [arrow('a')]);
  await w.lead(elsewhere, lead);
  expect(await start(w, elsewhere, lead, 'a')).toMatchObject({ state: 'running' });
});
