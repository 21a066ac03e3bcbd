/* eslint-disable no-restricted-syntax -- its barriers are locks of the test's own */
/** Races of movers, starters and enders, on real PostgreSQL, with barriers. */
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { assignBlock } from '../collaboration/block';
import { isLegal, propose, verifyChain, type ClauseStatus, type Pass, type Transition } from '../engine';
import { acquire } from '../lock-page/acquire';
import { release } from '../lock-page/release';
import type { Principal } from '../principals/record';
import { isProblem, type Problem } from '../problems';
import { breachesOfWork } from '../testing/work-invariants';
import { arrow, bring, clausesOf, containerWith, start } from '../testing/work';
import { clock, holdGate, openWorld, refusal, setLockPage, waitUntil, waitUntilWaiting, type World } from '../testing/world';
import { abortPass, completePass, readPass, startPass } from './index';

let w: World;
let lead: Principal;
let barrier: pg.PoolClient;

/** Where a transaction can be held open: right after it wrote there. Each has a lock of the test's own, which its trigger takes shared. */
const PLACES = { 'INSERT ON role_lock': 1, 'INSERT ON transition': 2, 'INSERT ON checkpoint': 3, 'DELETE ON role_lock': 4, 'INSERT ON pass': 5 } as const;
type Place = keyof typeof PLACES;

beforeAll(async () => {
  w = await openWorld({ size: 70, recovered: true });
  lead = await w.person();
  await w.db.query(`CREATE FUNCTION hold_here() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711, TG_ARGV[0]::int); RETURN NULL; END $$`);
  for (const [place, key] of Object.entries(PLACES)) await w.db.query(`CREATE TRIGGER hold_${key} AFTER ${place} FOR EACH ROW EXECUTE FUNCTION hold_here(${key})`);
  barrier = await w.db.connect();
});
afterAll(async () => {
  barrier.release();
  await w.close();
});
afterEach(() => barrier.query('SELECT pg_advisory_unlock_all()'));

/** From now on every transaction that writes there is held open, until let go. */
async function holdAt(place: Place): Promise<() => Promise<void>> {
  await barrier.query(`SELECT pg_advisory_lock(4711, ${PLACES[place]})`);
  return async () => void (await barrier.query(`SELECT pg_advisory_unlock(4711, ${PLACES[place]})`));
}

type Done<T> = { value: T } | { refused: Problem };
const settle = <T>(call: Promise<T>): Promise<Done<T>> =>
  call.then(
    (value) => ({ value }),
    (error: unknown) => {
      if (isProblem(error)) return { refused: error };
      throw error;
    },
  );
const valuesOf = <T>(done: Done<T>[]): T[] => done.flatMap((d) => ('value' in d ? [d.value] : []));
const refusalsOf = <T>(done: Done<T>[]): Problem[] => done.flatMap((d) => ('refused' in d ? [d.refused] : []));
const told = <T>(done: Done<T>): string => ('refused' in done ? done.refused.code : 'done');

const idOf = async (slug: string): Promise<string> => (await w.db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id;
const people = (count: number, role: 'coworker' | 'operator' = 'coworker') => Promise.all(Array.from({ length: count }, () => w.person(role)));
async function assignTo(slug: string, grant: number, who: Principal[]): Promise<void> {
  for (const { id } of who) await assignBlock(w.db, slug, lead.id, { grant, title: 'Work', description: '', assignee: id });
}
const logOf = async (pass: Pass, clause: string): Promise<(Transition & { move: number })[]> =>
  (await w.db.query(`SELECT clause_id AS clause, move, "from", "to", at FROM transition WHERE pass_id = $1 AND clause_id = $2 ORDER BY move`, [pass.id, clause])).rows;
/** Nothing of a container breaks a rule of passes, and its chain verifies. */
async function expectSound(slug: string): Promise<void> {
  const id = await idOf(slug);
  expect(await breachesOfWork(w.db, id)).toEqual([]);
  expect(await verifyChain(w.db, id, { whole: true })).toMatchObject({ ok: true });
}

describe('E-1: the per-clause lock', () => {
  test('of fifty callers on one clause each accepted move is legal from the state before it, and the log is in the order of the lock, gapless', async () => {
    const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(['attested', 'attested']) })]);
    const { grant } = await w.lead(slug, lead);
    const operators = await people(24, 'operator');
    const [starter] = await people(1);
    await assignTo(slug, grant, [starter!]);
    const pass = await start(w, slug, starter!, 'a');

    // To and fro, so that many are legal in whatever order they get the lock.
    const WISHES: [Principal, ClauseStatus][] = Array.from({ length: 50 }, (_, i) => {
      const operator = operators[i % operators.length]!;
      if (i % 10 === 7) return [lead, 'running'];
      return i % 2 ? [operator, 'insufficient-basis'] : [i % 4 ? lead : starter!, 'awaiting-attestation'];
    });
    const holder = await w.db.connect();
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM clause WHERE pass_id = $1 AND id = 'C1' FOR UPDATE`, [pass.id]);
    const calls: Promise<Done<Transition>>[] = [];
    for (const [who, to] of WISHES) {
      calls.push(settle(propose(w.db, slug, who.id, pass.id, 'C1', { to })));
      await waitUntilWaiting(w.db, calls.length);
    }
    // Another clause of the pass is another lock.
    expect(await propose(w.db, slug, lead.id, pass.id, 'C2', { to: 'running' })).toMatchObject({ to: 'running' });
    await holder.query('COMMIT');
    holder.release();
    const done = await Promise.all(calls);

    const log = await logOf(pass, 'C1');
    const accepted = valuesOf(done);
    expect(accepted.length).toBeGreaterThan(10);
    expect(log.map((m) => m.move)).toEqual(log.map((_, i) => i + 1));
    // The instant of a move is read under the lock, so it tells the lock's order.
    expect(log.map(({ move: _, ...m }) => m)).toEqual([...accepted].sort((x, y) => (x.at < y.at ? -1 : 1)));
    expect(new Set(log.map((m) => m.at)).size).toBe(log.length);
    log.forEach((m, i) => {
      expect(m.from).toBe(log[i - 1]?.to ?? 'pending');
      expect(isLegal(m.from, m.to)).toBe(true);
    });
    expect((await readPass(w.db, slug, lead, pass.id)).clauses[0]!.status).toBe(log.at(-1)!.to);
    for (const { code, members } of refusalsOf(done)) {
      expect(code).toBe('illegal-transition');
      expect(isLegal(members.from as ClauseStatus, members.to as ClauseStatus)).toBe(false);
    }
    expect(accepted.length + refusalsOf(done).length).toBe(50);
    const { rows } = await w.db.query('SELECT move, verdict FROM attestation WHERE pass_id = $1 ORDER BY move', [pass.id]);
    expect(rows).toEqual(log.filter((m) => ['pass', 'fail', 'insufficient-basis'].includes(m.to)).map(({ move, to }) => ({ move, verdict: to })));
    await expectSound(slug);
  });

  test('moves on different clauses of one pass do not wait for each other', async () => {
    const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(Array.from({ length: 20 }, () => 'machine')) })]);
    await w.lead(slug, lead);
    const pass = await start(w, slug, lead, 'a');
    const letGo = await holdAt('INSERT ON transition');
    const calls = pass.clauses.map((c) => propose(w.db, slug, lead.id, pass.id, c.id, { to: 'running' }));
    // All twenty have moved, each in a transaction that is still open.
    await waitUntilWaiting(w.db, 20);
    await letGo();
    expect((await Promise.all(calls)).map((m) => m.to)).toEqual(Array(20).fill('running'));
    await expectSound(slug);
  });

  test('of fifty callers who propose the ends at once exactly one is taken', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    await w.lead(slug, lead);
    const pass = await start(w, slug, lead, 'a');
    const grip = await holdGate(w.db, slug);
    const calls = Array.from({ length: 50 }, (_, i) => settle(propose(w.db, slug, lead.id, pass.id, 'C1', { to: i % 2 ? 'pass' : 'fail' })));
    await waitUntilWaiting(w.db, 50, slug);
    await grip.letGo();
    const done = await Promise.all(calls);
    const [won] = valuesOf(done);
    expect(valuesOf(done)).toHaveLength(1);
    for (const refused of refusalsOf(done)) expect(refused).toMatchObject({ code: 'illegal-transition', members: { from: won!.to } });
    expect(await logOf(pass, 'C1')).toMatchObject([{ move: 1, from: 'pending', to: won!.to }]);
  });
});

describe('N-1: the per-(role, context) lock', () => {
  test('of twenty starters of one (role, context) one runs, and nineteen are told which, once it has committed', async () => {
    const slug = await containerWith(w, Array.from({ length: 4 }, (_, i) => arrow(`a${i}`)));
    const { grant } = await w.lead(slug, lead);
    const crowd = await people(20);
    await assignTo(slug, grant, crowd);
    const letGo = await holdAt('INSERT ON role_lock');
    let answered = 0;
    const calls = crowd.map((who, i) => settle(startPass(w.db, slug, who.id, { grant, arrow: `a${i % 4}` })).finally(() => answered++));
    await waitUntilWaiting(w.db, 20);
    // One has the lock and is held open; the others wait for it to commit or not, and none has been told anything.
    expect(answered).toBe(0);
    expect((await w.db.query(`SELECT count(*)::int AS n FROM pass p JOIN container c ON c.id = p.container_id WHERE slug = $1`, [slug])).rows[0].n).toBe(0);
    await letGo();
    const done = await Promise.all(calls);
    const [won] = valuesOf(done);
    expect(valuesOf(done)).toHaveLength(1);
    expect(refusalsOf(done)).toHaveLength(19);
    for (const refused of refusalsOf(done)) expect(refused).toMatchObject({ code: 'single-active-role-violation', members: { pass: won } });
    expect((await w.db.query(`SELECT count(*)::int AS n FROM pass p JOIN container c ON c.id = p.container_id WHERE slug = $1`, [slug])).rows[0].n).toBe(1);
    await expectSound(slug);
  });

  test('starters of different contexts all run at once: twenty hold their locks in transactions that are all open', async () => {
    const slug = await containerWith(w, Array.from({ length: 20 }, (_, i) => arrow(`a${i}`, { context: `x${i}` })));
    const { grant } = await w.lead(slug, lead);
    const crowd = await people(20);
    await assignTo(slug, grant, crowd);
    const letGo = await holdAt('INSERT ON role_lock');
    const calls = crowd.map((who, i) => startPass(w.db, slug, who.id, { grant, arrow: `a${i}` }));
    await waitUntilWaiting(w.db, 20);
    const { rows } = await w.db.query(`SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND objid = ${PLACES['INSERT ON role_lock']} AND NOT granted`);
    expect(rows[0].held).toBe(20);
    await letGo();
    const passes = await Promise.all(calls);
    expect(passes.map((p) => [p.context, p.state])).toEqual(crowd.map((_, i) => [`x${i}`, 'running']));
    await expectSound(slug);
  });

  test('a start that waited behind the end of the pass before it begins after that end', async () => {
    for (const how of ['complete', 'abort'] as const) {
      const slug = await containerWith(w, [arrow('a')]);
      const { grant } = await w.lead(slug, lead);
      const first = await start(w, slug, lead, 'a');
      await propose(w.db, slug, lead.id, first.id, 'C1', { to: 'pass' });
      const end = () => (how === 'complete' ? completePass(w.db, slug, lead.id, first.id, { grant }) : abortPass(w.db, slug, lead.id, first.id, { reason: 'manual-stop' }));
      // While the end has not come to the role lock a start is told which pass holds it; once it has, a start waits.
      const [before, after] = [await holdAt('INSERT ON checkpoint'), await holdAt('DELETE ON role_lock')];
      const ended = end();
      await waitUntilWaiting(w.db, 1);
      expect(await refusal(startPass(w.db, slug, lead.id, { grant, arrow: 'a' }))).toMatchObject({ code: 'single-active-role-violation', members: { pass: { id: first.id, state: 'running' } } });
      await before();
      while ((await w.db.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND objid = ${PLACES['DELETE ON role_lock']} AND NOT granted`)).rows.length === 0);
      const next = startPass(w.db, slug, lead.id, { grant, arrow: 'a' });
      await waitUntilWaiting(w.db, 2);
      await after();
      expect((await next).startedAt > (await ended).endedAt!).toBe(true);
      await expectSound(slug);
    }
  });

  test('T-1: a start that was there before the end of the pass before it, and got the role lock after it, begins after it too', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    const { grant } = await w.lead(slug, lead);
    const first = await start(w, slug, lead, 'a');
    const letGo = await holdAt('INSERT ON pass');
    const next = startPass(w.db, slug, lead.id, { grant, arrow: 'a' });
    await waitUntilWaiting(w.db, 1);
    const { endedAt } = await abortPass(w.db, slug, lead.id, first.id, { reason: 'manual-stop' });
    await letGo();
    expect((await next).startedAt > endedAt!).toBe(true);
    await expectSound(slug);
  });

  test('T-1: a start that waited for the role lock past its grant’s expiry is refused with a receipt, and leaves nothing', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    const { grant } = await w.lead(slug, lead);
    const first = await start(w, slug, lead, 'a');
    // An end that has let the role lock go and has not committed: the start comes before the expiry and waits past it.
    const holder = await w.db.connect();
    for (let seconds = 1; ; seconds *= 2) {
      await setLockPage(w.db, slug, `expires_at = clock_timestamp() + interval '${seconds} s'`);
      const { expiresAt } = await w.lock(slug);
      await holder.query('BEGIN');
      await holder.query('DELETE FROM role_lock WHERE pass_id = $1', [first.id]);
      const call = settle(startPass(w.db, slug, lead.id, { grant, arrow: 'a' }));
      await waitUntilWaiting(w.db, 1);
      const inTime = (await clock(w.db)) < expiresAt!;
      if (inTime) await waitUntil(w.db, expiresAt!);
      await holder.query(inTime ? 'COMMIT' : 'ROLLBACK');
      const done = await call;
      if (!inTime) continue; // the machine was too slow for this term
      expect(done).toMatchObject({ refused: { code: 'grant-expired', members: { yourGrant: grant, expiresAt } } });
      break;
    }
    holder.release();
    const { rows } = await w.db.query(`SELECT p.id FROM pass p JOIN container c ON c.id = p.container_id WHERE slug = $1`, [slug]);
    expect(rows).toEqual([{ id: first.id }]);
  });
});

describe('N-2: ends that meet', () => {
  test('of completions and aborts at once one wins, and the others are told how it ended', async () => {
    for (let round = 0; round < 4; round++) {
      const slug = await containerWith(w, [arrow('a')]);
      const { grant } = await w.lead(slug, lead);
      const [starter] = await people(1);
      await assignTo(slug, grant, [starter!]);
      const pass = await start(w, slug, starter!, 'a');
      await propose(w.db, slug, lead.id, pass.id, 'C1', { to: 'pass' });
      const finish = (who: Principal) => () => completePass(w.db, slug, who.id, pass.id, { grant });
      const stop = (who: Principal) => () => abortPass(w.db, slug, who.id, pass.id, { reason: who === lead ? 'manual-stop' : 'operator-interrupt' });
      const calls = [finish(starter!), stop(w.operator), finish(lead), stop(lead), finish(starter!), stop(w.operator)];
      const grip = await holdGate(w.db, slug);
      const started = (round % 2 ? calls.toReversed() : calls).map((call) => settle(call()));
      await waitUntilWaiting(w.db, calls.length, slug);
      await grip.letGo();
      const done = await Promise.all(started);
      const [won] = valuesOf(done);
      expect(valuesOf(done)).toHaveLength(1);
      for (const refused of refusalsOf(done)) expect(refused).toMatchObject({ code: 'pass-not-running', members: { state: won!.state, reason: won!.reason } });
      expect(await readPass(w.db, slug, lead, pass.id)).toEqual(won);
      const { rows } = await w.db.query(`SELECT count(*)::int AS n FROM checkpoint WHERE content->>'id' = $1`, [pass.id]);
      expect(rows[0].n).toBe(1);
      await expectSound(slug);
    }
  });

  test('a completion waits for a move that came first, counts it, and ends after it', async () => {
    const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(['machine', 'machine']) })]);
    const { grant } = await w.lead(slug, lead);
    const pass = await start(w, slug, lead, 'a');
    await bring(w, slug, lead, w.operator, pass, 'C1', 'pass');
    await bring(w, slug, lead, w.operator, pass, 'C2', 'running');
    const letGo = await holdAt('INSERT ON transition');
    const moved = propose(w.db, slug, lead.id, pass.id, 'C2', { to: 'pass' });
    await waitUntilWaiting(w.db, 1);
    const ended = completePass(w.db, slug, lead.id, pass.id, { grant });
    await waitUntilWaiting(w.db, 2);
    await letGo();
    const [{ at }, done] = [await moved, await ended];
    expect(done).toMatchObject({ state: 'completed', clauses: [{ status: 'pass' }, { status: 'pass' }] });
    expect(done.endedAt! > at).toBe(true);
    await expectSound(slug);
  });

  test('an abort waits for a move that came first, keeps it, and ends after it', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    await w.lead(slug, lead);
    const pass = await start(w, slug, lead, 'a');
    const letGo = await holdAt('INSERT ON transition');
    const moved = propose(w.db, slug, lead.id, pass.id, 'C1', { to: 'running' });
    await waitUntilWaiting(w.db, 1);
    const ended = abortPass(w.db, slug, w.operator.id, pass.id, { reason: 'operator-interrupt' });
    await waitUntilWaiting(w.db, 2);
    await letGo();
    const [{ at }, done] = [await moved, await ended];
    expect(done).toMatchObject({ state: 'aborted', clauses: [{ status: 'running' }] });
    expect(done.endedAt! > at).toBe(true);
    await expectSound(slug);
  });

  test('a move that waited behind a completion or an abort is refused, and is not in the log', async () => {
    for (const how of ['complete', 'abort'] as const) {
      const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(['attested', 'attested']) })]);
      const { grant } = await w.lead(slug, lead);
      const pass = await start(w, slug, lead, 'a');
      for (const id of ['C1', 'C2']) await bring(w, slug, lead, w.operator, pass, id, 'awaiting-attestation');
      const letGo = await holdAt('INSERT ON checkpoint');
      const ended = how === 'complete' ? completePass(w.db, slug, lead.id, pass.id, { grant }) : abortPass(w.db, slug, lead.id, pass.id, { reason: 'manual-stop' });
      await waitUntilWaiting(w.db, 1);
      const calls = [settle(propose(w.db, slug, lead.id, pass.id, 'C1', { to: 'unevaluated', reason: 'Late' })), settle(propose(w.db, slug, w.operator.id, pass.id, 'C2', { to: 'pass' }))];
      await waitUntilWaiting(w.db, 3);
      await letGo();
      const { state, reason } = await ended;
      const [late, verdict] = await Promise.all(calls);
      expect(late).toMatchObject({ refused: { code: 'pass-not-running', members: { state, reason } } });
      // The operator's verdict is good on a pass that completed.
      expect(told(verdict!)).toBe(how === 'complete' ? 'done' : 'pass-not-running');
      expect([(await logOf(pass, 'C1')).length, (await logOf(pass, 'C2')).length]).toEqual([1, how === 'complete' ? 2 : 1]);
      await expectSound(slug);
    }
  });
});

describe('LP-6, LP-8: a change of grant against moves and starts', () => {
  const ARROWS = Array.from({ length: 8 }, (_, i) => arrow(`a${i}`, { context: `x${i}`, clauses: clausesOf(['machine', 'machine', 'machine']) }));

  /** A grant with four passes that run, and calls of every kind on them and beside them. */
  async function busy(settings: object = {}) {
    const slug = await containerWith(w, ARROWS, settings);
    const { grant } = await w.lead(slug, lead);
    const passes: Pass[] = [];
    for (let i = 0; i < 4; i++) passes.push(await start(w, slug, lead, `a${i}`));
    for (const { id } of passes[3]!.clauses) await bring(w, slug, lead, w.operator, passes[3]!, id, 'pass');
    const calls: (() => Promise<unknown>)[] = [
      ...passes.slice(0, 3).flatMap((pass) => pass.clauses.map((c) => () => propose(w.db, slug, lead.id, pass.id, c.id, { to: 'running' }))),
      ...[4, 5, 6, 7].map((i) => () => startPass(w.db, slug, lead.id, { grant, arrow: `a${i}` })),
      () => startPass(w.db, slug, lead.id, { grant, arrow: 'a0' }),
      () => completePass(w.db, slug, lead.id, passes[3]!.id, { grant }),
      () => abortPass(w.db, slug, lead.id, passes[0]!.id, { reason: 'manual-stop' }),
    ];
    return { slug, grant, passes, calls };
  }
  const passesOf = async (slug: string): Promise<{ state: string; reason: string | null; grant: number }[]> =>
    (await w.db.query(`SELECT p.state, p.reason, p."grant" FROM pass p JOIN container c ON c.id = p.container_id WHERE slug = $1`, [slug])).rows;
  const deadlocks = async (): Promise<number> => (await w.db.query(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)).rows[0].deadlocks;

  test('an acquisition over a silent holder waits for what is open and lets nothing of the old grant through after it: no deadlock, no orphan', async () => {
    const { slug, grant, passes, calls } = await busy();
    const [next] = await people(1);
    // Three moves and two starts are open, judged while the grant was good; then it runs out.
    const [moves, starts] = [await holdAt('INSERT ON transition'), await holdAt('INSERT ON role_lock')];
    const open = [calls[0]!, calls[3]!, calls[6]!, calls[9]!, calls[10]!].map((call) => settle(call()));
    await waitUntilWaiting(w.db, 5);
    await setLockPage(w.db, slug, 'expires_at = clock_timestamp()');
    const revision = await w.revision(slug);
    const taken = acquire(w.db, slug, next!.id, revision, {});
    await waitUntilWaiting(w.db, 6);
    // These come while the acquisition waits: the gate is fair, so they come after it.
    const late = calls.map((call) => settle(call()));
    await waitUntilWaiting(w.db, 6 + late.length);
    await Promise.all([moves(), starts()]);
    expect((await taken).grant).toBe(grant + 1);
    // What was open when it came is kept, and ended by it.
    expect((await Promise.all(open)).map(told)).toEqual(Array(5).fill('done'));
    const after = (await Promise.all(late)).map(told);
    expect(after.slice(0, 9)).toEqual(Array(9).fill('pass-not-running').map((code, i) => (i % 3 === 0 ? 'illegal-transition' : code)));
    expect(after.slice(9)).toEqual([...Array(6).fill('grant-superseded'), 'forbidden']);
    expect(await passesOf(slug)).toEqual(Array(6).fill({ state: 'aborted', reason: 'grant-superseded', grant }));
    for (const pass of passes) expect(await readPass(w.db, slug, lead, pass.id)).toMatchObject({ reason: 'grant-superseded' });
    // The new lead starts where the old one's passes were.
    for (let i = 0; i < 8; i++) expect(await startPass(w.db, slug, next!.id, { grant: grant + 1, arrow: `a${i}` })).toMatchObject({ state: 'running' });
    await expectSound(slug);
  });

  test('a release among moves, starts and ends aborts what still runs, manual-stop', async () => {
    const { slug, grant, calls } = await busy();
    await w.push(slug, lead, grant);
    const revision = await w.revision(slug);
    const grip = await holdGate(w.db, slug);
    const before = calls.slice(0, 8).map((call) => settle(call()));
    await waitUntilWaiting(w.db, before.length, slug);
    const released = release(w.db, slug, lead.id, revision, { grant });
    await waitUntilWaiting(w.db, before.length + 1, slug);
    const after = calls.slice(8).map((call) => settle(call()));
    await waitUntilWaiting(w.db, calls.length + 1, slug);
    await grip.letGo();
    expect((await released).holder).toBeNull();
    expect((await Promise.all(before)).map(told)).toEqual(Array(8).fill('done'));
    expect((await Promise.all(after)).map(told)).toEqual(['pass-not-running', ...Array(6).fill('grant-released'), 'forbidden']);
    expect(await passesOf(slug)).toEqual(Array(4).fill({ state: 'aborted', reason: 'manual-stop', grant }));
    await expectSound(slug);
  });

  test('under fire, over the expiry itself: an acquisition gets through, and nothing is left running under the old grant', async () => {
    const deadlocksBefore = await deadlocks();
    for (let round = 0; round < 3; round++) {
      const { slug, grant, calls } = await busy();
      const [next] = await people(1);
      await setLockPage(w.db, slug, `expires_at = clock_timestamp() + interval '250 ms'`);
      let superseded = false;
      const fire = Promise.all(
        calls.map(async (call) => {
          while (!superseded) await settle(call());
        }),
      );
      for (;;) {
        const done = await settle(w.lead(slug, next!));
        if ('value' in done) break;
        expect(['lock-held', 'edit-conflict']).toContain(done.refused.code);
      }
      superseded = true;
      await fire;
      for (const pass of await passesOf(slug)) {
        expect(pass.grant).toBe(grant);
        expect([['completed', null], ['aborted', 'grant-superseded'], ['aborted', 'manual-stop']]).toContainEqual([pass.state, pass.reason]);
      }
      expect((await passesOf(slug)).some((p) => p.reason === 'grant-superseded')).toBe(true);
      await expectSound(slug);
    }
    expect(await deadlocks()).toBe(deadlocksBefore);
  });
});
