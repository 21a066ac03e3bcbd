import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignBlock } from '../collaboration/block';
import { propose, type ClauseStatus, type ClauseType, type Pass } from '../engine';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import type { Principal } from '../principals/record';
import { readGrid } from '../project/read';
import { contentOf } from '../testing/api';
import { arrow, bring, clausesOf, containerWith, start } from '../testing/work';
import { letTimePass, openWorld, refusal, waitUntilWaiting, type World } from '../testing/world';
import { abortPass, completePass, readPass } from './index';

let w: World;
let lead: Principal;
let starter: Principal;
let other: Principal;
beforeAll(async () => {
  w = await openWorld({ size: 12, recovered: true });
  [lead, starter, other] = [await w.person(), await w.person('coworker', 'agent'), await w.person()];
});
afterAll(() => w.close());

const TABLES = ['pass', 'clause', 'role_lock', 'arrow', 'transition', 'checkpoint', 'checkpoint_chain', 'audit_line', 'lock_page'];
async function refusedWhole(call: () => Promise<unknown>, code: string, members: object): Promise<void> {
  const before = await contentOf(w.db, TABLES);
  const problem = await refusal(call());
  expect({ code: problem.code, members: problem.members }).toEqual({ code, members });
  expect(await contentOf(w.db, TABLES)).toEqual(before);
}
const receiptOf = async (slug: string, yourGrant: number) => {
  const { grant, holder, grantedAt, expiresAt } = await w.lock(slug);
  return { yourGrant, currentGrant: grant, holder, grantedAt, expiresAt };
};
const lockOf = async (pass: Pass) => (await w.db.query('SELECT role, context FROM role_lock WHERE pass_id = $1', [pass.id])).rows[0];
const checkpointsOf = async (slug: string) =>
  (await w.db.query(`SELECT p.sequence, p.kind, p.content, p.at FROM checkpoint p JOIN container c ON c.id = p.container_id WHERE c.slug = $1 AND kind = 'pass' ORDER BY sequence`, [slug])).rows;

/** A pass under the lead's grant, started by an assignee, with clauses of these types. */
async function work(types: ClauseType[] = ['machine']): Promise<{ slug: string; pass: Pass; grant: number }> {
  const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(types) })]);
  const { grant } = await w.lead(slug, lead);
  await assignBlock(w.db, slug, lead.id, { grant, title: 'Work', description: '', assignee: starter.id });
  return { slug, pass: await start(w, slug, starter, 'a'), grant };
}
const bringAll = async (slug: string, pass: Pass, states: ClauseStatus[]) => {
  for (const [i, to] of states.entries()) await bring(w, slug, lead, w.operator, pass, `C${i + 1}`, to);
};

describe('N-2: completing', () => {
  test('not while a clause is pending or running: those are told, in the grid’s order', async () => {
    const { slug, pass, grant } = await work(['machine', 'attested', 'machine', 'machine']);
    const finish = () => completePass(w.db, slug, lead.id, pass.id, { grant });
    await refusedWhole(finish, 'clauses-open', { clauses: ['C1', 'C2', 'C3', 'C4'] });
    await bringAll(slug, pass, ['pass', 'pending', 'running', 'unevaluated']);
    await refusedWhole(finish, 'clauses-open', { clauses: ['C2', 'C3'] });
    await bring(w, slug, lead, w.operator, pass, 'C2', 'awaiting-attestation');
    await refusedWhole(finish, 'clauses-open', { clauses: ['C3'] });
    await propose(w.db, slug, starter.id, pass.id, 'C3', { to: 'fail' });
    const done = await finish();
    expect(done).toMatchObject({ id: pass.id, state: 'completed', reason: null, clauses: [{ status: 'pass' }, { status: 'awaiting-attestation' }, { status: 'fail' }, { status: 'unevaluated', reason: 'Not now' }] });
    expect(done.endedAt! > pass.startedAt).toBe(true);
    expect(await readPass(w.db, slug, other, pass.id)).toEqual(done);
    expect(await lockOf(pass)).toBeUndefined();
  });

  test('attestations may be outstanding: its arrow is then provisional', async () => {
    for (const state of ['awaiting-attestation', 'insufficient-basis'] as const) {
      const { slug, pass, grant } = await work(['machine', 'attested']);
      await bringAll(slug, pass, ['pass', state]);
      await completePass(w.db, slug, starter.id, pass.id, { grant });
      expect((await readGrid(w.db, slug, lead)).arrows).toEqual([{ id: 'a', status: 'provisional' }]);
    }
  });

  test('its starter or the lead; anyone else, an operator too, gets a receipt', async () => {
    for (const who of [starter, lead]) {
      const { slug, pass, grant } = await work();
      await bringAll(slug, pass, ['pass']);
      for (const no of [other, w.operator]) await refusedWhole(() => completePass(w.db, slug, no.id, pass.id, { grant }), 'not-holder', await receiptOf(slug, grant));
      expect(await completePass(w.db, slug, who.id, pass.id, { grant })).toMatchObject({ state: 'completed' });
      await refusedWhole(() => completePass(w.db, slug, who.id, pass.id, { grant }), 'pass-not-running', { state: 'completed', reason: null });
    }
  });

  test('the grant is fenced: unknown, expired, superseded, released, cleared; for starter and lead alike', async () => {
    const { slug, pass, grant } = await work();
    await bringAll(slug, pass, ['pass']);
    const by = (who: Principal, of: number) => () => completePass(w.db, slug, who.id, pass.id, { grant: of });
    for (const who of [starter, lead]) await refusedWhole(by(who, grant + 1), 'grant-unknown', await receiptOf(slug, grant + 1));
    await letTimePass(w.db, slug, 4 * 3600);
    for (const who of [starter, lead]) await refusedWhole(by(who, grant), 'grant-expired', await receiptOf(slug, grant));
    const next = await w.lead(slug, other);
    for (const who of [starter, lead]) await refusedWhole(by(who, grant), 'grant-superseded', await receiptOf(slug, grant));
    await refusedWhole(by(starter, next.grant), 'pass-not-running', { state: 'aborted', reason: 'grant-superseded' });

    const second = await work();
    await w.push(second.slug, lead, second.grant);
    await release(w.db, second.slug, lead.id, await w.revision(second.slug), { grant: second.grant });
    for (const who of [starter, lead]) await refusedWhole(() => completePass(w.db, second.slug, who.id, second.pass.id, { grant: second.grant }), 'grant-released', await receiptOf(second.slug, second.grant));
    const third = await work();
    await w.fallSilent(third.slug);
    await clear(w.db, third.slug, w.operator.id, await w.revision(third.slug), { grant: third.grant, reason: 'Gone' });
    await refusedWhole(() => completePass(w.db, third.slug, starter.id, third.pass.id, { grant: third.grant }), 'grant-cleared', await receiptOf(third.slug, third.grant));
  });
});

describe('N-2: aborting', () => {
  test('the lead or an operator, for either reason, with clauses in any state; not the starter, nor anyone else', async () => {
    for (const who of [lead, w.operator]) {
      for (const reason of ['manual-stop', 'operator-interrupt'] as const) {
        const { slug, pass } = await work(['machine', 'attested', 'machine']);
        await bringAll(slug, pass, ['running', 'awaiting-attestation', 'pending']);
        for (const no of [starter, other]) await refusedWhole(() => abortPass(w.db, slug, no.id, pass.id, { reason }), 'forbidden', { neededRole: 'operator' });
        const aborted = await abortPass(w.db, slug, who.id, pass.id, { reason });
        expect(aborted).toMatchObject({ state: 'aborted', reason, clauses: [{ status: 'running' }, { status: 'awaiting-attestation' }, { status: 'pending' }] });
        expect(await lockOf(pass)).toBeUndefined();
        for (const again of ['manual-stop', 'operator-interrupt'] as const) {
          await refusedWhole(() => abortPass(w.db, slug, w.operator.id, pass.id, { reason: again }), 'pass-not-running', { state: 'aborted', reason });
        }
        expect((await readGrid(w.db, slug, lead)).arrows).toEqual([{ id: 'a', status: 'unevaluated' }]);
      }
    }
  });

  test('a silent lead no longer aborts; an operator does', async () => {
    const { slug, pass } = await work();
    await w.fallSilent(slug);
    await refusedWhole(() => abortPass(w.db, slug, lead.id, pass.id, { reason: 'manual-stop' }), 'forbidden', { neededRole: 'operator' });
    expect(await abortPass(w.db, slug, w.operator.id, pass.id, { reason: 'operator-interrupt' })).toMatchObject({ state: 'aborted' });
  });

  test('a pass that completed stays so', async () => {
    const { slug, pass, grant } = await work();
    await bringAll(slug, pass, ['pass']);
    await completePass(w.db, slug, lead.id, pass.id, { grant });
    await refusedWhole(() => abortPass(w.db, slug, lead.id, pass.id, { reason: 'manual-stop' }), 'pass-not-running', { state: 'completed', reason: null });
  });
});

describe('LP-6, LP-8: passes end with their grant', () => {
  test('a release aborts them manual-stop, an acquisition over a silent holder and a clear grant-superseded; role locks go, checkpoints are written', async () => {
    const ENDS: [string, string, (slug: string, grant: number) => Promise<unknown>][] = [
      ['release', 'manual-stop', async (slug, grant) => (await w.push(slug, lead, grant), release(w.db, slug, lead.id, await w.revision(slug), { grant }))],
      ['acquire', 'grant-superseded', async (slug) => (await w.fallSilent(slug), w.lead(slug, other))],
      ['clear', 'grant-superseded', async (slug, grant) => (await w.fallSilent(slug), clear(w.db, slug, w.operator.id, await w.revision(slug), { grant, reason: 'Gone' }))],
    ];
    for (const [, reason, end] of ENDS) {
      const slug = await containerWith(w, ['a', 'b', 'c'].map((id) => arrow(id, { context: id })));
      const { grant } = await w.lead(slug, lead);
      const [a, b, c] = [await start(w, slug, lead, 'a'), await start(w, slug, lead, 'b'), await start(w, slug, lead, 'c')];
      await bring(w, slug, lead, w.operator, a!, 'C1', 'pass');
      await completePass(w.db, slug, lead.id, a!.id, { grant });
      await bring(w, slug, lead, w.operator, b!, 'C1', 'running');
      await end(slug, grant);
      for (const pass of [b!, c!]) {
        expect(await readPass(w.db, slug, lead, pass.id)).toMatchObject({ state: 'aborted', reason });
        expect(await lockOf(pass)).toBeUndefined();
      }
      expect(await readPass(w.db, slug, lead, a!.id)).toMatchObject({ state: 'completed', reason: null });
      const told = (await checkpointsOf(slug)).map((p) => [p.content.arrow, p.content.state, p.content.reason]);
      expect(told[0]).toEqual(['a', 'completed', null]);
      expect(told.slice(1).sort()).toEqual([['b', 'aborted', reason], ['c', 'aborted', reason]]);
    }
  });
});

describe('N-2, E-6: what ends with a pass ends in one transaction', () => {
  test('the role lock goes, and the checkpoint comes, when the state changes: nobody sees one without the other', async () => {
    const { slug, pass, grant } = await work();
    await bringAll(slug, pass, ['pass']);
    const seen = async () =>
      (await w.db.query(`SELECT p.state, EXISTS (SELECT 1 FROM role_lock l WHERE l.pass_id = p.id) AS locked, (SELECT count(*)::int FROM checkpoint k WHERE k.content->>'id' = p.id::text) AS checkpoints FROM pass p WHERE p.id = $1`, [pass.id])).rows[0];
    // Somebody holds the role lock's row: the completion, which lets it go last, waits with everything else done.
    const holder = await w.db.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`UPDATE role_lock SET role = role WHERE pass_id = $1`, [pass.id]);
      const done = completePass(w.db, slug, lead.id, pass.id, { grant });
      await waitUntilWaiting(w.db, 1);
      expect(await seen()).toEqual({ state: 'running', locked: true, checkpoints: 0 });
      await holder.query('COMMIT');
      await done;
    } finally {
      holder.release();
    }
    expect(await seen()).toEqual({ state: 'completed', locked: false, checkpoints: 1 });
  });

  test('over many starts and ends no reading finds a running pass without its lock, or a lock without its running pass', async () => {
    const { slug, pass: first, grant } = await work();
    const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
    let working = true;
    const cycle = (async () => {
      let pass = first;
      for (let i = 0; i < 12; i++) {
        if (i % 2) await abortPass(w.db, slug, lead.id, pass.id, { reason: 'manual-stop' });
        else {
          await bringAll(slug, pass, ['pass']);
          await completePass(w.db, slug, lead.id, pass.id, { grant });
        }
        pass = await start(w, slug, starter, 'a');
      }
    })().finally(() => (working = false));
    let readings = 0;
    while (working) {
      const { rows: odd } = await w.db.query(
        `SELECT p.id, l.pass_id FROM (SELECT * FROM pass WHERE container_id = $1 AND state = 'running') p FULL JOIN (SELECT * FROM role_lock WHERE container_id = $1) l ON l.pass_id = p.id WHERE p.id IS NULL OR l.pass_id IS NULL`,
        [rows[0].id],
      );
      expect(odd).toEqual([]);
      readings++;
    }
    await cycle;
    expect(readings).toBeGreaterThan(10);
  });

  test('the checkpoint is the pass whole, as it ended, at the instant of its end; a late verdict does not change it', async () => {
    const { slug, pass, grant } = await work(['machine', 'attested']);
    await bringAll(slug, pass, ['pass', 'awaiting-attestation']);
    const done = await completePass(w.db, slug, starter.id, pass.id, { grant });
    await propose(w.db, slug, w.operator.id, pass.id, 'C2', { to: 'pass' });
    const next = await start(w, slug, lead, 'a');
    const aborted = await abortPass(w.db, slug, w.operator.id, next.id, { reason: 'operator-interrupt' });
    expect(await checkpointsOf(slug)).toEqual([
      { sequence: 2, kind: 'pass', content: done, at: done.endedAt },
      { sequence: 3, kind: 'pass', content: aborted, at: aborted.endedAt },
    ]);
  });
});
