/** An amendment's commit against whatever else happens at that moment. Barriers are locks that the test holds, never sleeps. */
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { propose } from '../engine';
import type { GridArrow } from '../grid/document';
import { release } from '../lock-page/release';
import { registerInstance, type Registered } from '../recovery/instance';
import { completePass, readPass, startPass } from '../runner';
import { actAs, amendmentsOf, ask, found, gridNow, quietInstance } from '../testing/amendments';
import { arrow, bring, complete, containerWith, gridOf, start } from '../testing/work';
import { holdGate, openWorld, outcomes, refusal, waitUntilWaiting, type Grip, type World } from '../testing/world';
import { decideQueue } from '.';

let w: World;
let instance: Registered;
beforeAll(async () => {
  w = await openWorld({ size: 30 });
  instance = await quietInstance(w);
});
afterAll(async () => {
  await instance.close();
  await w.close();
});

const x = { artifact: 'x' };
const containerId = async (client: pg.PoolClient | World['db'], slug: string): Promise<string> => (await client.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id;

async function led(arrows: GridArrow[] = [arrow('a', { dependencies: [x] })]) {
  const [slug, lead] = await Promise.all([containerWith(w, arrows), w.person()]);
  await w.lead(slug, lead);
  return { slug, lead };
}

/** Holds what a statement writes until let go, and then rolls it back: whoever needs the same row waits. */
const holdRow = (slug: string, sql: string, values: unknown[]): Promise<Grip> => holdGate(w.db, slug, 'shared', (client) => client.query(sql, values));
const holdClause = (slug: string, passId: string) => holdRow(slug, 'UPDATE clause SET moves = moves WHERE pass_id = $1', [passId]);

const statusOf = async (slug: string, id = 'a') => (await gridNow(w, slug)).arrows.find((a) => a.id === id)!.status;

describe('a commit and a completing pass', () => {
  async function ready() {
    const { slug, lead } = await led();
    const pass = await start(w, slug, lead, 'a');
    await bring(w, slug, lead, w.operator, pass, 'C1', 'pass');
    await ask(w, slug, { changes: [x] });
    return { slug, lead, pass };
  }

  test('a completion that was first is complete, and then invalidated', async () => {
    const { slug, lead, pass } = await ready();
    const grip = await holdClause(slug, pass.id);
    const completing = completePass(w.db, slug, lead.id, pass.id, { grant: 1 });
    await waitUntilWaiting(w.db, 1);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 2);
    await grip.letGo('roll back');
    expect(await completing).toMatchObject({ state: 'completed', gridVersion: 1 });
    expect(await deciding).toBe(1);
    expect([await statusOf(slug), (await readPass(w.db, slug, w.operator, pass.id)).state]).toEqual(['invalidated', 'completed']);
  });

  test('a completion that came after is refused: the pass was aborted', async () => {
    const { slug, lead, pass } = await ready();
    const grip = await holdClause(slug, pass.id);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 1);
    const completing = refusal(completePass(w.db, slug, lead.id, pass.id, { grant: 1 }));
    await waitUntilWaiting(w.db, 2);
    await grip.letGo('roll back');
    expect(await deciding).toBe(1);
    expect(await completing).toMatchObject({ code: 'pass-not-running', members: { state: 'aborted', reason: 'invalidated' } });
    expect(await statusOf(slug)).toBe('invalidated');
  });

  test('a transition that the commit waits for is in the log, and the pass is aborted with it; one that came after is refused', async () => {
    const { slug, lead } = await led();
    const pass = await start(w, slug, lead, 'a');
    await ask(w, slug, { changes: [x] });
    const grip = await holdClause(slug, pass.id);
    const first = propose(w.db, slug, lead.id, pass.id, 'C1', { to: 'running' });
    await waitUntilWaiting(w.db, 1);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 2);
    // Undefined where it came before the commit after all; that is known before anybody looks.
    const late = refusal(propose(w.db, slug, lead.id, pass.id, 'C1', { to: 'pass' })).catch(() => undefined);
    await waitUntilWaiting(w.db, 3);
    await grip.letGo('roll back');
    await Promise.allSettled([first, deciding]);
    expect((await first).to).toBe('running');
    const refused = await late;
    const ended = await readPass(w.db, slug, w.operator, pass.id);
    expect([ended.state, ended.reason]).toEqual(['aborted', 'invalidated']);
    if (refused) expect(['pass-not-running', 'illegal-transition']).toContain(refused.code);
    const logged = await found<{ content: { clauses: unknown[] } }>(w, slug, `SELECT content FROM checkpoint WHERE container_id = $1 AND kind = 'pass'`);
    expect(logged[0]!.content.clauses).toMatchObject([{ status: ended.clauses[0]!.status }]);
  });

  test('however they meet, no arrow that should be invalidated is complete', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 12; round++) {
      const { slug, lead, pass } = await ready();
      const late = round % 3;
      const deciding = late === 1 ? Promise.resolve().then(() => decideQueue(w.db, slug)) : decideQueue(w.db, slug);
      if (late === 2) await new Promise((next) => setImmediate(next));
      const [ended] = await outcomes([completePass(w.db, slug, lead.id, pass.id, { grant: 1 })]);
      await deciding;
      seen.add('refused' in ended! ? ended.refused : ended!.state);
      expect(await statusOf(slug)).toBe('invalidated');
    }
    expect([...seen].every((s) => s === 'completed' || s === 'pass-not-running')).toBe(true);
  });
});

describe('a commit and a starting pass', () => {
  const arrows = [arrow('a', { dependencies: [x] }), arrow('b', { from: 'architect', requires: ['a'] })];

  test('a start that was first is aborted by the commit', async () => {
    const { slug, lead } = await led(arrows);
    const before = await complete(w, slug, lead, 'a');
    await ask(w, slug, { changes: [x] });
    // The start waits where it takes the role lock: another's row stands there, which is rolled back.
    const id = await containerId(w.db, slug);
    const grip = await holdRow(slug, `INSERT INTO role_lock (container_id, role, context, pass_id) VALUES ($1, 'analyst', 'payments', $2)`, [id, before.id]);
    const starting = startPass(w.db, slug, lead.id, { grant: 1, arrow: 'a' });
    await waitUntilWaiting(w.db, 1);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 2);
    await grip.letGo('roll back');
    const started = await starting;
    expect([started.gridVersion, started.state]).toEqual([1, 'running']);
    await deciding;
    expect(await readPass(w.db, slug, w.operator, started.id)).toMatchObject({ state: 'aborted', reason: 'invalidated' });
    expect(await found(w, slug, 'SELECT * FROM role_lock WHERE container_id = $1')).toEqual([]);
  });

  test('a start that came after is of the new version, and judged by it', async () => {
    const { slug, lead } = await led(arrows);
    const before = await complete(w, slug, lead, 'a');
    await ask(w, slug, { changes: [x], change: (g) => gridOf([...g.arrows, arrow('c', { context: 'ledger' })]) });
    const grip = await holdRow(slug, 'UPDATE arrow SET invalidated = invalidated WHERE pass_id = $1', [before.id]);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 1);
    const starting = startPass(w.db, slug, lead.id, { grant: 1, arrow: 'a' });
    const requiring = refusal(startPass(w.db, slug, lead.id, { grant: 1, arrow: 'b' }));
    const ofNew = startPass(w.db, slug, lead.id, { grant: 1, arrow: 'c' });
    await waitUntilWaiting(w.db, 4);
    await grip.letGo('roll back');
    await deciding;
    expect(await starting).toMatchObject({ gridVersion: 2, state: 'running' });
    expect(await ofNew).toMatchObject({ gridVersion: 2, state: 'running' });
    expect(await requiring).toMatchObject({ code: 'transition-refused-invalidated', members: { arrow: 'a', arrowStatus: 'invalidated' } });
  });

  test('a start of an arrow that goes is refused after the commit, or aborted by it', async () => {
    for (let round = 0; round < 8; round++) {
      const { slug, lead } = await led([arrow('a'), arrow('gone', { context: 'ledger' })]);
      await ask(w, slug, { change: (g) => gridOf(g.arrows.slice(0, 1)) });
      const deciding = decideQueue(w.db, slug);
      if (round % 2) await new Promise((next) => setImmediate(next));
      const [started] = await outcomes([startPass(w.db, slug, lead.id, { grant: 1, arrow: 'gone' })]);
      await deciding;
      if ('refused' in started!) expect(started.refused).toBe('invalid-input');
      else expect(await readPass(w.db, slug, w.operator, started!.id)).toMatchObject({ state: 'aborted', reason: 'invalidated' });
    }
  });

  test('starts and completions of what a commit does not affect go on side by side with it', async () => {
    const { slug, lead } = await led([arrow('a', { dependencies: [x] }), ...Array.from({ length: 6 }, (_, i) => arrow(`free${i}`, { context: `c${i}` }))]);
    await ask(w, slug, { changes: [x] });
    const deciding = decideQueue(w.db, slug);
    const passes = await Promise.all(Array.from({ length: 6 }, (_, i) => complete(w, slug, lead, `free${i}`)));
    await deciding;
    expect(passes.map((p) => p.state)).toEqual(Array(6).fill('completed'));
    expect((await gridNow(w, slug)).arrows.map((a) => a.status)).toEqual(['invalidated', ...Array<string>(6).fill('complete')]);
  });
});

test('two instances on one queue: each amendment is decided once, in order, one at a time', async () => {
  const slug = await containerWith(w, [arrow('a')]);
  const ids: string[] = [];
  for (let i = 0; i < 15; i++) ids.push((await ask(w, slug, { change: (g) => gridOf([...g.arrows, arrow(`n${i}`)]), grid: gridOf([arrow('a')]), base: 1 })).id);
  const others = [await registerInstance(w.db, w.url), await registerInstance(w.db, w.url)];
  const decided = new Map<string, number>();
  try {
    const work = async (id: string) => {
      while ((await amendmentsOf(w, slug)).some((a) => a.state === 'queued' || a.state === 'committing')) {
        actAs(id);
        decided.set(id, (decided.get(id) ?? 0) + (await decideQueue(w.db, slug)));
      }
    };
    await Promise.all(others.map((o) => work(o.id)));
  } finally {
    actAs(instance.id);
    for (const other of others) await other.close();
  }
  expect(await amendmentsOf(w, slug)).toEqual(ids.map((id, i) => ({ id, state: 'committed', version: i + 2, outcome: null })));
  expect([...decided.values()].reduce((a, b) => a + b)).toBe(15);
  const times = await found<{ at: string; versionAt: string }>(
    w,
    slug,
    `SELECT a.decided_at AS at, v.at AS "versionAt" FROM amendment a JOIN grid_version v ON v.container_id = a.container_id AND v.amendment_id = a.id WHERE a.container_id = $1 ORDER BY a.place`,
  );
  expect(times.map((t) => t.at)).toEqual(times.map((t) => t.versionAt));
  expect(times.map((t) => t.at)).toEqual(times.map((t) => t.at).toSorted());
  expect(await found(w, slug, `SELECT 1 FROM audit_line WHERE container_id = $1 AND action = 'grid-amended'`)).toHaveLength(15);
  expect(await found(w, slug, 'SELECT * FROM grid_write_lock WHERE container_id = $1')).toEqual([]);
});

test('while one instance holds the write-lock another decides nothing, and the queue waits in its order', async () => {
  const slug = await containerWith(w, [arrow('a')]);
  for (let i = 0; i < 3; i++) await ask(w, slug);
  const other = await registerInstance(w.db, w.url);
  const id = await containerId(w.db, slug);
  await w.db.query(`UPDATE amendment SET state = 'committing' WHERE container_id = $1 AND place = 1`, [id]);
  await w.db.query(`INSERT INTO grid_write_lock (container_id, amendment_id, instance_id, taken_at) SELECT container_id, id, $2, clock_timestamp() FROM amendment WHERE container_id = $1 AND place = 1`, [id, other.id]);
  expect(await decideQueue(w.db, slug)).toBe(0);
  expect((await amendmentsOf(w, slug)).map((a) => a.state)).toEqual(['committing', 'queued', 'queued']);
  await other.close();
});

describe('a commit and a release', () => {
  test('a release that came after the commit began waits for it: the amendment is committed', async () => {
    const { slug, lead } = await led();
    await w.push(slug, lead, 1);
    const pass = await start(w, slug, lead, 'a');
    await ask(w, slug, { changes: [x], grant: 1 }, lead);
    const grip = await holdClause(slug, pass.id);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 1);
    const releasing = release(w.db, slug, lead.id, await w.revision(slug), { grant: 1 });
    await waitUntilWaiting(w.db, 2);
    await grip.letGo('roll back');
    await Promise.all([deciding, releasing]);
    expect(await amendmentsOf(w, slug)).toMatchObject([{ state: 'committed', version: 2 }]);
    expect(await readPass(w.db, slug, w.operator, pass.id)).toMatchObject({ state: 'aborted', reason: 'invalidated' });
  });

  test('a commit that came after the release finds nothing to commit', async () => {
    const { slug, lead } = await led();
    await w.push(slug, lead, 1);
    const pass = await start(w, slug, lead, 'a');
    await ask(w, slug, { changes: [x], grant: 1 }, lead);
    const grip = await holdGate(w.db, slug);
    const releasing = release(w.db, slug, lead.id, await w.revision(slug), { grant: 1 });
    await waitUntilWaiting(w.db, 1, slug);
    const deciding = decideQueue(w.db, slug);
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    await Promise.all([deciding, releasing]);
    expect(await amendmentsOf(w, slug)).toMatchObject([{ state: 'needs-rejustification', outcome: 'Grant 1 was released' }]);
    expect((await gridNow(w, slug)).version).toBe(1);
    expect(await readPass(w.db, slug, w.operator, pass.id)).toMatchObject({ state: 'aborted', reason: 'manual-stop' });
  });

  test('many of both at once: no deadlock, and each amendment is committed or set aside', async () => {
    for (let round = 0; round < 4; round++) {
      const { slug, lead } = await led([arrow('a', { dependencies: [x] }), ...Array.from({ length: 4 }, (_, i) => arrow(`n${i}`, { context: `c${i}`, dependencies: [x] }))]);
      await w.push(slug, lead, 1);
      for (let i = 0; i < 4; i++) await start(w, slug, lead, `n${i}`);
      for (let i = 0; i < 3; i++) await ask(w, slug, { changes: [{ ...x, section: `s${i}` }], grant: 1, base: 1 }, lead);
      const base = await w.revision(slug);
      const done = await outcomes<unknown>([
        decideQueue(w.db, slug),
        ...Array.from({ length: 4 }, (_, i) => startPass(w.db, slug, lead.id, { grant: 1, arrow: `n${i}` })),
        release(w.db, slug, lead.id, base, { grant: 1 }),
        startPass(w.db, slug, lead.id, { grant: 1, arrow: 'a' }),
      ]);
      expect(done.filter((d) => (d as { refused?: string }).refused === 'busy')).toEqual([]);
      await decideQueue(w.db, slug);
      const amendments = await amendmentsOf(w, slug);
      expect(amendments.every((a) => a.state === 'committed' || a.state === 'needs-rejustification')).toBe(true);
      expect((await gridNow(w, slug)).version).toBe(1 + amendments.filter((a) => a.state === 'committed').length);
      expect(await found(w, slug, `SELECT id FROM pass WHERE container_id = $1 AND state = 'running'`)).toEqual([]);
      expect(await found(w, slug, `SELECT * FROM role_lock WHERE container_id = $1`)).toEqual([]);
    }
  });
});
