import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { app } from '../api/app';
import { requestAmendment, setMirrorRoot } from '../amendment';
import { beginRecovery, finishStep, STEPS } from '../db/phase';
import { propose, type ClauseStatus, type Pass } from '../engine';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import { completePass, readPass, startPass } from '../runner';
import { livesOn, within, type Lives } from '../testing/lives';
import { openApi, type Api } from '../testing/api';
import { arrow, bring, clausesOf, containerWith, gridOf, start } from '../testing/work';
import { holdGate, refusal, waitUntilWaiting } from '../testing/world';
import { acknowledgeCheckpoints } from './acknowledge';
import { endedInstances, markDeadInstances } from './liveness';
import { resolveOrphans } from './orphans';
import { Report } from './report';
import { checkOnce, readRecoveries, readRecovery, type Recovery } from './run';

let w: Api;
let lives: Lives;
let folder: string;
beforeAll(async () => {
  w = await openApi({ recovered: false });
  lives = livesOn(w);
  folder = await mkdtemp(join(tmpdir(), 'holdfast-recovery-'));
});
afterAll(async () => {
  await lives.stop();
  await w.close();
  await rm(folder, { recursive: true });
});

const ARROWS = ['a', 'b', 'c', 'd', 'e'].map((id) => arrow(id, { context: `context-${id}`, clauses: clausesOf(['machine', 'attested']) }));

/** A container with five arrows in contexts of their own, and a lead. */
async function workplace() {
  const slug = await containerWith(w, ARROWS);
  const lead = await w.person();
  await w.lead(slug, lead);
  const run = async (id: string, ...states: ClauseStatus[]): Promise<Pass> => {
    const pass = await start(w, slug, lead, id);
    for (const [i, to] of states.entries()) await bring(w, slug, lead, w.operator, pass, `C${i + 1}`, to);
    return pass;
  };
  const now = (pass: Pass): Promise<Pass> => readPass(w.db, slug, w.operator, pass.id);
  return { slug, lead, run, now };
}

const containerId = async (slug: string): Promise<string> => (await w.db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id;
const hostOf = async (pass: Pass): Promise<string> => (await w.db.query('SELECT instance_id FROM pass WHERE id = $1', [pass.id])).rows[0].instance_id;
const hasRoleLock = async (pass: Pass): Promise<boolean> => (await w.db.query('SELECT 1 FROM role_lock WHERE pass_id = $1', [pass.id])).rowCount === 1;
const report = (): Promise<Recovery> => readRecovery(w.db, w.operator);
const found = async (step: 'engine' | 'amendment' | 'runner') => (await report()).steps.find((s) => s.name === step)!.found;
/** What the latest report tells of these passes; other tests leave theirs behind. */
const toldOf = async (passes: Pass[]) => (await found('engine')).filter((f) => passes.some((p) => p.id === f.id));
const readyz = () => w.call('GET', '/readyz');
/** Resolves what ended instances left; gives the ids that it resolved. */
async function resolved(ended: ReadonlyMap<string, string>, self: string): Promise<string[]> {
  const its = new Report(self);
  const step = await its.begin(w.db, 'engine');
  await resolveOrphans(w.db, ended, self, its, step);
  return step.found.map((f) => f.id);
}
const alertsOf = async (slug: string): Promise<string[]> =>
  (await w.db.query(`SELECT kind FROM alert WHERE container_id = $1 AND closed_at IS NULL ORDER BY id`, [await containerId(slug)])).rows.map((r) => r.kind);

describe('BR-2: what works while recovery runs', () => {
  test('transitions, completions and aborts wait for the first step, amendments for the second, starts for the third; all else works always', async () => {
    const { instance } = await lives.boot();
    const { slug, lead, run } = await workplace();
    const at = `/containers/${slug}`;
    const gated = async (step: string) => {
      const pass = await run('a', 'pass', 'awaiting-attestation');
      const other = await run('b');
      beginRecovery(instance);
      for (const done of STEPS.slice(0, STEPS.indexOf(step as never))) finishStep(done);
      const calls = {
        transition: () => w.call('POST', `${at}/passes/${other.id}/clauses/C1/transitions`, { as: lead, body: { to: 'running' } }),
        complete: () => w.call('POST', `${at}/passes/${pass.id}/complete`, { as: lead, body: { grant: pass.grant } }),
        abort: () => w.call('POST', `${at}/passes/${other.id}/abort`, { as: lead, body: { reason: 'manual-stop' } }),
        amend: () => w.call('POST', `${at}/amendments`, { as: w.operator, body: { baseVersion: 1, changes: [], grid: gridOf(ARROWS), rationale: 'None' } }),
        rebuild: () => w.call('POST', `${at}/grid/mirror/rebuild`, { as: w.operator }),
        start: () => w.call('POST', `${at}/passes`, { as: lead, body: { grant: pass.grant, arrow: 'c' } }),
      };
      const answers: Record<string, unknown> = {};
      for (const [name, call] of Object.entries(calls)) {
        const { status, body, headers } = await call();
        answers[name] = status === 503 ? [body.code, body.step, headers.get('retry-after')] : status;
      }
      const ready = await readyz();
      for (const done of STEPS) finishStep(done);
      await w.db.query(`UPDATE amendment SET state = 'failed' WHERE state = 'queued'`);
      await Promise.all((await w.call('GET', `${at}/passes`, { as: lead })).body.items.filter((p: Pass) => p.state === 'running').map((p: Pass) => w.call('POST', `${at}/passes/${p.id}/abort`, { as: lead, body: { reason: 'manual-stop' } })));
      return { answers, ready: [ready.status, ready.body.step] };
    };
    const no = (step: string) => ['recovering', step, '1'];
    const [engine, amendment, runner] = [no('engine'), no('amendment'), no('runner')];
    expect(await gated('engine')).toEqual({ answers: { transition: engine, complete: engine, abort: engine, amend: engine, rebuild: engine, start: engine }, ready: [503, 'engine'] });
    expect(await gated('amendment')).toEqual({ answers: { transition: 200, complete: 200, abort: 200, amend: amendment, rebuild: amendment, start: amendment }, ready: [503, 'amendment'] });
    expect(await gated('runner')).toEqual({ answers: { transition: 200, complete: 200, abort: 200, amend: 202, rebuild: 200, start: runner }, ready: [503, 'runner'] });
    expect(await readyz()).toMatchObject({ status: 200, body: { status: 'ready' } });
  });

  test('reading, lock calls and landings work before the first step, and release, clear and acquire end passes', async () => {
    const { instance } = await lives.boot();
    const [released, cleared, acquired] = [await workplace(), await workplace(), await workplace()];
    const passes = await Promise.all([released, cleared, acquired].map((p) => p.run('a', 'running')));
    const other = await w.person();
    beginRecovery(instance);
    const at = `/containers/${released.slug}`;
    for (const path of [at, `${at}/lock`, `${at}/grid`, `${at}/grid/versions/1`, `${at}/passes`, `${at}/passes/${passes[0]!.id}`, `${at}/amendments`]) {
      expect((await w.call('GET', path, { as: other })).status, path).toBe(200);
    }
    expect((await w.call('GET', '/recovery', { as: w.operator })).status).toBe(200);
    const heard = await w.call('POST', `${at}/lock/heartbeat`, { as: released.lead, body: { grant: 1 }, base: await w.revision(released.slug) });
    expect(heard.status).toBe(200);
    await w.push(released.slug, released.lead, 1);
    await release(w.db, released.slug, released.lead.id, await w.revision(released.slug), { grant: 1 });
    await w.fallSilent(cleared.slug);
    await clear(w.db, cleared.slug, w.operator.id, await w.revision(cleared.slug), { grant: 1, reason: 'Gone' });
    await w.fallSilent(acquired.slug);
    await w.lead(acquired.slug, other);
    for (const done of STEPS) finishStep(done);
    expect((await released.now(passes[0]!)).reason).toBe('manual-stop');
    expect((await cleared.now(passes[1]!)).reason).toBe('grant-superseded');
    expect((await acquired.now(passes[2]!)).reason).toBe('grant-superseded');
  });
});

describe('BR-1: the steps and their order', () => {
  test('each step is finished before the next begins, as /readyz and the report say', async () => {
    await lives.boot();
    const [orphaned, gridded] = [await workplace(), await workplace()];
    const orphan = await orphaned.run('a', 'running');
    await lives.crash();
    setMirrorRoot(folder);
    const [first, second] = [await holdGate(w.db, orphaned.slug), await holdGate(w.db, gridded.slug)];
    const life = await lives.begin();
    await waitUntilWaiting(w.db, 1, orphaned.slug);
    expect((await readyz()).body).toEqual({ status: 'recovering', step: 'engine' });
    expect(await orphaned.now(orphan)).toMatchObject({ state: 'running' });
    await first.letGo();
    // The second step comes to the other container: its mirror is looked at under its write-lock.
    await waitUntilWaiting(w.db, 1, gridded.slug);
    expect((await readyz()).body).toEqual({ status: 'recovering', step: 'amendment' });
    expect(await orphaned.now(orphan)).toMatchObject({ state: 'aborted', reason: 'crash' });
    expect((await refusal(startPass(w.db, orphaned.slug, orphaned.lead.id, { grant: 1, arrow: 'a' }))).members.step).toBe('amendment');
    await second.letGo();
    await life.done;
    setMirrorRoot(undefined);
    expect((await readyz()).body).toEqual({ status: 'ready' });
    const { instance, steps } = await report();
    expect(instance).toBe(life.instance);
    expect(steps.map((s) => s.name)).toEqual(['engine', 'amendment', 'runner']);
    const times = steps.flatMap((s) => [s.startedAt, s.endedAt]);
    expect(times).toEqual([...times].sort());
  });

  test('a step that fails is tried again until it is done: nobody needs to act', async () => {
    await w.db.query('ALTER TABLE role_lock RENAME TO role_lock_away');
    const life = await lives.begin();
    await within(5, async () => (await readyz()).body.step === 'runner').finally(() => w.db.query('ALTER TABLE role_lock_away RENAME TO role_lock'));
    await life.done;
    expect((await readyz()).status).toBe(200);
  });

  test('role locks whose pass does not run are dropped, and told', async () => {
    await lives.boot();
    const { slug, run } = await workplace();
    const pass = await run('a');
    await w.db.query(`UPDATE pass SET state = 'aborted', reason = 'manual-stop', ended_at = clock_timestamp() WHERE id = $1`, [pass.id]);
    await lives.stop();
    await lives.boot();
    expect(await found('runner')).toEqual([{ what: 'role lock', id: 'analyst in context-a', proof: `its pass ${pass.id} does not run`, done: 'dropped' }]);
    expect(await hasRoleLock(pass)).toBe(false);
    expect(await alertsOf(slug)).toEqual([]);
  });

  test('a write-lock whose holder is dead is released, its amendment queued again and decided', async () => {
    await lives.boot();
    const { slug } = await workplace();
    const dead = await lives.crash();
    const { id } = await requestAmendment(w.db, slug, w.operator.id, { baseVersion: 1, changes: [], grid: gridOf(ARROWS), rationale: 'Again' });
    await w.db.query(`UPDATE amendment SET state = 'committing' WHERE id = $1`, [id]);
    await w.db.query(`INSERT INTO grid_write_lock VALUES ($1, $2, $3, clock_timestamp())`, [await containerId(slug), id, dead]);
    await lives.boot();
    expect((await found('amendment')).filter((f) => f.what !== 'mirror')).toEqual([{ what: 'grid write-lock', id, proof: expect.stringMatching(/^process \d+, .* is gone from /), done: 'released, its amendment is queued again' }]);
    await within(5, async () => (await w.db.query('SELECT version FROM amendment WHERE id = $1', [id])).rows[0].version === 2);
    await within(5, async () => (await w.db.query('SELECT 1 FROM grid_write_lock')).rowCount === 0);
  });

  test('a write-lock that this instance itself could not let go, because the database went away, does not last', async () => {
    const { instance } = await lives.boot();
    const { slug } = await workplace();
    const { id } = await requestAmendment(w.db, slug, w.operator.id, { baseVersion: 1, changes: [], grid: gridOf(ARROWS), rationale: 'Again' });
    const settled = async (version: number) =>
      (await w.db.query('SELECT 1 FROM amendment WHERE id = $1 AND version = $2 AND NOT EXISTS (SELECT 1 FROM grid_write_lock)', [id, version])).rowCount === 1;
    await within(5, () => settled(2));
    await w.db.query('ALTER TABLE alert RENAME TO alert_away');
    try {
      await w.db.query(`UPDATE amendment SET state = 'committing', version = NULL WHERE id = $1`, [id]);
      await w.db.query(`INSERT INTO grid_write_lock VALUES ($1, $2, $3, clock_timestamp())`, [await containerId(slug), id, instance]);
      // A round of the decider fails meanwhile.
      const end = performance.now() + 700;
      await within(5, async () => performance.now() > end);
    } finally {
      await w.db.query('ALTER TABLE alert_away RENAME TO alert');
    }
    await within(5, () => settled(3));
  });
});

describe('BR-3, BR-4, BR-5: passes of instances that ended', () => {
  test('a crash aborts what has open clauses, keeps and adopts what only waits for attestations, and the report tells each with its proof', async () => {
    await lives.boot();
    const { lead, slug, run, now } = await workplace();
    const passes = {
      pending: await run('a'),
      half: await run('b', 'running', 'awaiting-attestation'),
      decided: await run('c', 'pass', 'pass'),
      awaiting: await run('d', 'pass', 'awaiting-attestation'),
      insufficient: await run('e', 'fail', 'insufficient-basis'),
    };
    const dead = await lives.crash();
    const { instance } = await lives.boot();
    const of = async (pass: Pass) => {
      const { state, reason } = await now(pass);
      return [state, reason, (await hostOf(pass)) === (state === 'running' ? instance : dead), await hasRoleLock(pass)];
    };
    const crashed = ['aborted', 'crash', true, false];
    const kept = ['running', null, true, true];
    expect(await of(passes.pending)).toEqual(crashed);
    expect(await of(passes.half)).toEqual(crashed);
    expect(await of(passes.decided)).toEqual(crashed);
    expect(await of(passes.awaiting)).toEqual(kept);
    expect(await of(passes.insufficient)).toEqual(kept);

    const proof = expect.stringMatching(/^process \d+, started at long ago, is gone from /);
    const told = (pass: Pass, done: string) => ({ what: 'pass', id: pass.id, proof, done });
    const rows = await toldOf(Object.values(passes));
    expect(rows).toHaveLength(5);
    expect(rows).toEqual(
      expect.arrayContaining([
        ...[passes.pending, passes.half, passes.decided].map((p) => told(p, 'aborted: crash')),
        ...[passes.awaiting, passes.insufficient].map((p) => told(p, 'adopted: it waits for attestations only')),
      ]),
    );
    const { rows: checkpoints } = await w.db.query(`SELECT content FROM checkpoint WHERE container_id = $1 AND kind = 'pass'`, [await containerId(slug)]);
    expect(checkpoints.map((c) => [c.content.id, c.content.reason]).sort()).toEqual([passes.pending, passes.half, passes.decided].map((p) => [p.id, 'crash']).sort());

    await propose(w.db, slug, w.operator.id, passes.awaiting.id, 'C2', { to: 'pass' });
    expect(await completePass(w.db, slug, lead.id, passes.awaiting.id, { grant: 1 })).toMatchObject({ state: 'completed' });
    expect(await startPass(w.db, slug, lead.id, { grant: 1, arrow: 'a' })).toMatchObject({ state: 'running' });
  });

  test('a clean stop parks all passes, whatever their clauses, and the next instance adopts them', async () => {
    await lives.boot();
    const { slug, lead, run, now } = await workplace();
    const passes = [await run('a'), await run('b', 'running'), await run('c', 'pass', 'awaiting-attestation'), await run('d', 'pass', 'pass')];
    await lives.stop();
    const { instance } = await lives.boot();
    for (const pass of passes) {
      expect(await now(pass)).toMatchObject({ state: 'running' });
      expect(await hostOf(pass)).toBe(instance);
    }
    const rows = await toldOf(passes);
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toMatchObject({ proof: 'stopped', done: 'adopted: it was parked' });
    await propose(w.db, slug, lead.id, passes[1]!.id, 'C1', { to: 'pass' });
    // Adopted, they are this instance's: its crash aborts them.
    await lives.crash();
    await lives.boot();
    expect(await now(passes[1]!)).toMatchObject({ state: 'aborted', reason: 'crash' });
  });

  test('a live instance resolves what another left at its next check, and reports it; a check that finds nothing leaves no report', async () => {
    const { instance: other } = await lives.boot();
    const { run, now } = await workplace();
    const pass = await run('a', 'running');
    await lives.crash();
    const survivor = randomUUID();
    await w.db.query(`INSERT INTO instance SELECT $2, host, 'x', 1, 'x', 1, 'x', clock_timestamp() FROM instance WHERE id = $1`, [other, survivor]);
    await checkOnce(w.db, survivor, new Map());
    expect(await now(pass)).toMatchObject({ state: 'aborted', reason: 'crash' });
    expect(await report()).toMatchObject({ instance: survivor, steps: [{ name: 'engine' }, { name: 'amendment' }, { name: 'runner' }] });
    expect(await toldOf([pass])).toMatchObject([{ done: 'aborted: crash' }]);
    const count = async () => (await w.db.query('SELECT count(*) AS n FROM recovery')).rows[0].n;
    const before = await count();
    await checkOnce(w.db, survivor, new Map());
    expect(await count()).toBe(before);
    await w.db.query(`UPDATE instance SET ended_at = clock_timestamp(), ended_by = 'stopped' WHERE id = $1`, [survivor]);
  });

  test('several instances that resolve at once resolve each pass once', async () => {
    await lives.boot();
    const places = await Promise.all([workplace(), workplace()]);
    const passes = await Promise.all(places.flatMap((p) => ['a', 'b', 'c', 'd', 'e'].map((id) => p.run(id))));
    const dead = await lives.crash();
    await markDeadInstances(w.db, randomUUID());
    const ended = await endedInstances(w.db);
    const told = (await Promise.all(Array.from({ length: 4 }, () => resolved(ended, dead)))).flat();
    expect(told.filter((id) => passes.some((p) => p.id === id)).sort()).toEqual(passes.map((p) => p.id).sort());
  });

  test('a clause that moved while its pass was being resolved is judged as it then stands', async () => {
    await lives.boot();
    const { run, now } = await workplace();
    const pass = await run('a', 'pass');
    const dead = await lives.crash();
    await markDeadInstances(w.db, randomUUID());
    const mover = new pg.Client({ connectionString: w.url });
    await mover.connect();
    await mover.query('BEGIN');
    await mover.query(`UPDATE clause SET status = 'awaiting-attestation' WHERE pass_id = $1 AND id = 'C2'`, [pass.id]);
    const resolving = resolved(await endedInstances(w.db), dead);
    await waitUntilWaiting(w.db, 1);
    await mover.query('COMMIT');
    await mover.end();
    await resolving;
    expect(await now(pass)).toMatchObject({ state: 'running' });
  });

  test('passes of an instance that has registered again meanwhile are left alone', async () => {
    const { instance } = await lives.boot();
    const { run, now } = await workplace();
    const pass = await run('a');
    expect(await resolved(new Map([[instance, 'a verdict that was taken back']]), instance)).toEqual([]);
    expect(await now(pass)).toMatchObject({ state: 'running' });
  });

  test('one instance’s boot never touches the passes of another that lives', async () => {
    const first = await lives.boot();
    const { run, now } = await workplace();
    const passes = [await run('a'), await run('b', 'running')];
    const others = livesOn(w);
    await others.boot();
    expect((await report()).steps.map((s) => s.found)).toEqual([[], [], []]);
    for (const pass of passes) {
      expect(await now(pass)).toMatchObject({ state: 'running' });
      expect(await hostOf(pass)).toBe(first.instance);
    }
    await others.stop();
  });

  test('a report is written with what it tells: a recovery that dies in the middle leaves what it had done', async () => {
    await lives.boot();
    const [first, second] = [await workplace(), await workplace()];
    const passes = [await first.run('a'), await second.run('a')];
    const dead = await lives.crash();
    await markDeadInstances(w.db, randomUUID());
    const ended = await endedInstances(w.db);
    const { rows } = await w.db.query('SELECT DISTINCT c.slug FROM pass p JOIN container c ON c.id = p.container_id WHERE p.state = $1 AND p.instance_id = $2', ['running', dead]);
    const last = rows.map((r) => r.slug).filter((slug) => [first.slug, second.slug].includes(slug)).at(-1)!;
    const grip = await holdGate(w.db, last);
    const resolving = resolved(ended, dead);
    await waitUntilWaiting(w.db, 1, last);
    const done = last === first.slug ? passes[1]! : passes[0]!;
    expect(await toldOf(passes)).toMatchObject([{ id: done.id, done: 'aborted: crash' }]);
    await grip.letGo();
    await resolving;
    expect(await toldOf(passes)).toHaveLength(2);
  });

  test('the report is for operators, through the API too', async () => {
    await lives.boot();
    const coworker = await w.person();
    await expect(readRecoveries(w.db, coworker)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await w.call('GET', '/recovery', { as: coworker })).toMatchObject({ status: 403, body: { code: 'forbidden', neededRole: 'operator' } });
    const { status, body } = await w.call('GET', '/recovery', { as: w.operator });
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['alerts', 'instance', 'steps']);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(body.steps).toEqual(STEPS.map((name) => ({ name, startedAt: instant, endedAt: instant, found: expect.any(Array) })));
  });
});

describe('BR-1, BR-6: a broken checkpoint chain', () => {
  /** Changes what the record's triggers keep anybody from changing. */
  async function tamper(statement: string, slug: string): Promise<void> {
    await w.db.query(`ALTER TABLE checkpoint DISABLE TRIGGER append_only`);
    const { rowCount } = await w.db.query(statement, [await containerId(slug)]);
    await w.db.query(`ALTER TABLE checkpoint ENABLE TRIGGER append_only`);
    expect(rowCount).toBe(1);
  }
  const checkpoints = async (slug: string) => (await w.db.query(`SELECT count, verified, acknowledged FROM checkpoint_chain WHERE container_id = $1`, [await containerId(slug)])).rows[0];
  const ended = async (place: Awaited<ReturnType<typeof workplace>>) => completePass(w.db, place.slug, place.lead.id, (await place.run('a', 'pass', 'pass')).id, { grant: 1 });

  test('it closes that container to new passes and amendments, nothing else, until an operator acknowledges it, which is audited', async () => {
    await lives.boot();
    const [broken, sound] = [await workplace(), await workplace()];
    await ended(broken);
    const running = await broken.run('b', 'pass', 'awaiting-attestation');
    await lives.stop();
    await tamper(`UPDATE checkpoint SET content = jsonb_set(content, '{clauses,0,status}', '"fail"') WHERE container_id = $1 AND sequence = 2`, broken.slug);
    await lives.boot();
    expect((await found('engine')).filter((f) => f.what !== 'pass')).toEqual([
      { what: 'checkpoint chain', id: await containerId(broken.slug), proof: 'checkpoint 2: its digest does not match its content', done: 'alert raised, closed to new passes and amendments' },
    ]);
    expect((await report()).alerts).toMatchObject([{ container: broken.slug, kind: 'chain-broken', details: { sequence: 2 } }]);

    const startHere = () => startPass(w.db, broken.slug, broken.lead.id, { grant: 1, arrow: 'c' });
    const amendHere = () => requestAmendment(w.db, broken.slug, w.operator.id, { baseVersion: 1, changes: [], grid: gridOf(ARROWS), rationale: 'None' });
    for (const call of [startHere, amendHere]) expect(await refusal(call())).toMatchObject({ code: 'container-closed', members: { reason: 'chain-broken' } });
    expect(await sound.run('c')).toMatchObject({ state: 'running' });
    await propose(w.db, broken.slug, w.operator.id, running.id, 'C2', { to: 'pass' });
    await completePass(w.db, broken.slug, broken.lead.id, running.id, { grant: 1 });
    await w.push(broken.slug, broken.lead, 1);

    // A second boot neither opens it nor raises a second alert.
    await lives.stop();
    await lives.boot();
    expect(await alertsOf(broken.slug)).toEqual(['chain-broken']);
    expect((await refusal(acknowledgeCheckpoints(w.db, broken.slug, broken.lead.id, { reason: 'Mine' }))).code).toBe('forbidden');
    const { status } = await w.call('POST', `/containers/${broken.slug}/checkpoints/acknowledge`, { as: w.operator, body: { reason: 'Restored by hand' } });
    expect(status).toBe(200);
    expect(await startHere()).toMatchObject({ state: 'running' });
    expect(await amendHere()).toMatchObject({ state: 'queued' });
    const audit = await w.call('GET', `/containers/${broken.slug}/audit`, { as: w.operator });
    expect(audit.body.items.find((l: { action: string }) => l.action === 'checkpoints-acknowledged')).toMatchObject({ actor: { id: w.operator.id }, reason: 'Restored by hand' });

    // What comes after is judged from there, and nothing before it again.
    await lives.stop();
    await lives.boot();
    await checkOnce(w.db, randomUUID(), new Map());
    expect(await alertsOf(broken.slug)).toEqual([]);
    await within(5, async () => (await checkpoints(broken.slug)).count === 4); // the amendment is decided
    const last = 4;
    await lives.stop();
    await w.db.query('UPDATE checkpoint_chain SET verified = acknowledged, verified_digest = (SELECT digest FROM checkpoint k WHERE k.container_id = checkpoint_chain.container_id AND k.sequence = acknowledged) WHERE container_id = $1', [await containerId(broken.slug)]);
    await tamper(`UPDATE checkpoint SET content = content || '{"x": 1}' WHERE container_id = $1 AND sequence = ${last}`, broken.slug);
    await lives.boot();
    expect(await alertsOf(broken.slug)).toEqual(['chain-broken']);
  });

  test('a break before the last verified point is found by the walk of the whole, in the background', async () => {
    await lives.boot();
    const place = await workplace();
    await ended(place);
    await lives.stop();
    await lives.boot();
    await within(5, async () => (await checkpoints(place.slug)).verified === 2);
    await lives.stop();
    await tamper(`UPDATE checkpoint SET at = at + interval '1 microsecond' WHERE container_id = $1 AND sequence = 1`, place.slug);
    await lives.boot();
    await within(5, async () => (await alertsOf(place.slug)).length === 1);
    await within(5, async () => (await found('engine')).some((f) => f.proof === 'checkpoint 1: its digest does not match its content'));
  });

  test('a missing link and a changed head are breaks', async () => {
    await lives.boot();
    const [gap, head] = [await workplace(), await workplace()];
    for (const place of [gap, head]) await ended(place);
    await lives.stop();
    await tamper(`DELETE FROM checkpoint WHERE container_id = $1 AND sequence = 1`, gap.slug);
    await w.db.query(`UPDATE checkpoint_chain SET verified = 0, verified_digest = repeat('0', 64) WHERE container_id = $1`, [await containerId(gap.slug)]);
    await w.db.query(`UPDATE checkpoint_chain SET verified = count, verified_digest = head, head = repeat('a', 64) WHERE container_id = $1`, [await containerId(head.slug)]);
    await lives.boot();
    expect(await alertsOf(gap.slug)).toEqual(['chain-broken']);
    expect(await alertsOf(head.slug)).toEqual(['chain-broken']);
  });

  test('the verified point follows while the server runs, so that the next boot has little to walk', async () => {
    await lives.boot();
    const place = await workplace();
    await ended(place);
    await checkOnce(w.db, randomUUID(), new Map());
    expect(await checkpoints(place.slug)).toMatchObject({ count: 2, verified: 2 });
  });
});

test('BR-1: /readyz says that it is not ready before recovery has begun', async () => {
  const { instance } = await lives.boot();
  beginRecovery(instance);
  expect((await app.request('http://holdfast.test/readyz')).status).toBe(503);
  for (const step of STEPS) finishStep(step);
});
