/** BR-1 to BR-5 on the real server process, ended by SIGKILL (see lib/testing/server-process.mjs). */
import { randomInt, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../digest';
import { verifyChain, type Pass, type Transition } from '../engine';
import type { Failpoint } from '../failpoint';
import { readYaml } from '../grid/parse';
import { HOST } from '../principals/record';
import type { Landing } from '../register/read';
import { verifyRegister } from '../register/verify';
import { issueToken } from '../tokens/issue';
import { within } from '../testing/lives';
import { endServers, startServer, type CallOptions, type ServerProcess } from '../testing/server';
import { arrow, clausesOf, gridOf } from '../testing/work';
import { openWorld, type World } from '../testing/world';
import type { Recovery } from './run';

let w: World;
let dataDir: string;
let operator: string;
let server: ServerProcess;
beforeAll(async () => {
  w = await openWorld({ size: 10 });
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast-crash-'));
  operator = (await issueToken(w.db, HOST, w.operator.id, { label: 'test' })).token;
  await restart();
});
afterAll(async () => {
  await endServers();
  await w.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  server = await startServer({ databaseUrl: w.url, dataDir });
  await server.ready();
}

/** A call that must succeed. */
async function must<T>(method: string, path: string, options: CallOptions): Promise<T> {
  const { status, body, text } = await server.call(method, path, options);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body as T;
}

const ATTESTED = clausesOf(['machine', 'attested']);
const ARROWS = ['hit', 'hit-awaiting', 'open', 'half', 'awaiting'].map((id) => arrow(id, { context: `context-${id}`, clauses: ATTESTED }));
/** The next version changes two arrows. */
const NEXT = gridOf(ARROWS.map((a) => (a.id.startsWith('hit') ? { ...a, stratum: 2 } : a)));

async function workplace() {
  const slug = await w.container();
  const lead = await w.person();
  await w.lead(slug, lead);
  const as = (await issueToken(w.db, HOST, lead.id, { label: 'test' })).token;
  const at = `/containers/${slug}`;
  await must('POST', `${at}/grid/init`, { as: operator, body: { grid: gridOf(ARROWS) } });
  const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
  const run = async (id: string, ...moves: string[]): Promise<string> => {
    const pass = await must<Pass>('POST', `${at}/passes`, { as, body: { grant: 1, arrow: id } });
    for (const [i, to] of moves.entries()) await must('POST', `${at}/passes/${pass.id}/clauses/C${i + 1}/transitions`, { as, body: { to } });
    return pass.id;
  };
  return { slug, at, as, lead, id: rows[0].id as string, run };
}

const passNow = async (id: string): Promise<{ state: string; reason: string | null; host: string }> =>
  (await w.db.query(`SELECT state, reason, instance_id AS host FROM pass WHERE id = $1`, [id])).rows[0];
const gridNow = async (id: string): Promise<{ version: number; digest: string }> =>
  (await w.db.query('SELECT v.version, v.digest FROM grid g JOIN grid_version v USING (container_id, version) WHERE container_id = $1', [id])).rows[0];
const folderOf = (id: string): string => join(dataDir, 'grids', id, '.ghyll');
const mirrorNow = async (id: string): Promise<{ pointer: string; digest: string }> => {
  const pointer = await readFile(join(folderOf(id), 'grid.current'), 'utf8');
  return { pointer, digest: digestOf(readYaml(await readFile(join(folderOf(id), `grid.${pointer}.yaml`), 'utf8'))) };
};

/** Nothing of dead instances is left: no running pass of theirs, no lock without its pass, no write-lock. */
async function expectNoOrphans(): Promise<void> {
  const count = async (sql: string) => (await w.db.query(`SELECT count(*)::int AS n FROM ${sql}`)).rows[0].n;
  expect(await count(`pass p LEFT JOIN instance i ON i.id = p.instance_id WHERE p.state = 'running' AND (i.id IS NULL OR i.ended_at IS NOT NULL)`)).toBe(0);
  expect(await count(`role_lock l JOIN pass p ON p.id = l.pass_id WHERE p.state <> 'running'`)).toBe(0);
  expect(await count(`pass p WHERE p.state = 'running' AND NOT EXISTS (SELECT 1 FROM role_lock l WHERE l.pass_id = p.id)`)).toBe(0);
  expect(await count(`pass p WHERE p.state <> 'running' AND NOT EXISTS (SELECT 1 FROM checkpoint k WHERE k.container_id = p.container_id AND k.content->>'id' = p.id::text)`)).toBe(0);
  await within(5, async () => (await count('grid_write_lock')) === 0);
  expect(await count('alert WHERE closed_at IS NULL')).toBe(0);
}

const STEPS: [Failpoint, { committed: boolean; files: string[] }][] = [
  ['amendment-after-lock', { committed: false, files: ['grid.current', 'grid.v1.yaml'] }],
  ['amendment-in-transaction', { committed: false, files: ['grid.current', 'grid.v1.yaml'] }],
  ['amendment-after-commit', { committed: true, files: ['grid.current', 'grid.v1.yaml'] }],
  ['mirror-between-renames', { committed: true, files: ['grid.current', 'grid.v1.yaml', 'grid.v2.yaml'] }],
];

describe('a server killed at every step of an amendment’s commit, while passes run', () => {
  test.each(STEPS)(
    '%s: after a restart nothing needs an operator',
    async (failpoint, { committed, files }) => {
      const { at, as, id, run } = await workplace();
      const passes = {
        hit: await run('hit', 'running'),
        hitAwaiting: await run('hit-awaiting', 'pass', 'awaiting-attestation'),
        open: await run('open'),
        half: await run('half', 'running', 'awaiting-attestation'),
        awaiting: await run('awaiting', 'pass', 'awaiting-attestation'),
      };
      const before = await mirrorNow(id);
      const { pid } = server;
      await server.arm(failpoint);
      const asked = await must<{ id: string }>('POST', `${at}/amendments`, { as, body: { grant: 1, baseVersion: 1, changes: [], grid: NEXT, rationale: 'Next' } });
      expect(await server.ended).toBe('SIGKILL');

      // One version or the other is whole: the record by its transaction, the mirror by its pointer.
      expect((await gridNow(id)).version).toBe(committed ? 2 : 1);
      expect((await readdir(folderOf(id))).sort()).toEqual(files);
      expect(await mirrorNow(id)).toEqual(before);
      expect((await passNow(passes.hit)).state).toBe(committed ? 'aborted' : 'running');
      const { rows: invalidated } = await w.db.query('SELECT id FROM arrow WHERE container_id = $1 AND invalidated', [id]);
      expect(invalidated).toHaveLength(committed ? 2 : 0);

      await restart();
      const report = await must<Recovery>('GET', '/recovery', { as: operator });
      await within(5, async () => (await w.db.query(`SELECT 1 FROM amendment WHERE id = $1 AND state = 'committed' AND version = 2`, [asked.id])).rowCount === 1);
      const grid = await gridNow(id);
      expect(grid).toEqual({ version: 2, digest: digestOf(NEXT) });
      await within(5, async () => (await mirrorNow(id)).pointer === 'v2');
      expect((await mirrorNow(id)).digest).toBe(grid.digest);
      await expectNoOrphans();

      const invalidatedEnd = { state: 'aborted', reason: 'invalidated' };
      const crashed = { state: 'aborted', reason: 'crash' };
      expect(await passNow(passes.hit)).toMatchObject(committed ? invalidatedEnd : crashed);
      expect(await passNow(passes.hitAwaiting)).toMatchObject(invalidatedEnd);
      expect(await passNow(passes.open)).toMatchObject(crashed);
      expect(await passNow(passes.half)).toMatchObject(crashed);
      expect(await passNow(passes.awaiting)).toEqual({ state: 'running', reason: null, host: report.instance });

      const proof = expect.stringMatching(new RegExp(`^process ${pid}, started at .+, is gone from `));
      const found = Object.fromEntries(report.steps.map((s) => [s.name, s.found]));
      const told = (pass: string, done: string) => ({ what: 'pass', id: pass, proof, done });
      const [abort, adopt] = ['aborted: crash', 'adopted: it waits for attestations only'];
      const here = new Set(Object.values(passes));
      const expected = [told(passes.open, abort), told(passes.half, abort), told(passes.awaiting, adopt), ...(committed ? [] : [told(passes.hit, abort), told(passes.hitAwaiting, adopt)])];
      const engine = found.engine!.filter((f) => here.has(f.id));
      expect(engine).toHaveLength(expected.length);
      expect(engine).toEqual(expect.arrayContaining(expected));
      expect(found.amendment).toEqual([
        { what: 'grid write-lock', id: asked.id, proof, done: committed ? 'released' : 'released, its amendment is queued again' },
        ...(committed ? [{ what: 'mirror', id, proof: 'it is at v1, the grid at v2', done: 'completed' }] : []),
      ]);

      // Work goes on: the verdict on what survived, and new passes.
      await must('POST', `${at}/passes/${passes.awaiting}/clauses/C2/transitions`, { as: operator, body: { to: 'pass' } });
      expect(await must('POST', `${at}/passes/${passes.awaiting}/complete`, { as, body: { grant: 1 } })).toMatchObject({ state: 'completed' });
      for (const arrowId of ['hit', 'open']) await must('POST', `${at}/passes`, { as, body: { grant: 1, arrow: arrowId } });
      expect(await verifyChain(w.db, id, { whole: true })).toMatchObject({ ok: true });
    },
    60_000,
  );
});

type Acknowledged = { landings: Landing[]; started: Pass[]; moved: (Transition & { pass: string })[]; completed: string[] };

/** Works in one container until the server is gone: starts, transitions, completions and landings, one after another. Keeps what was acknowledged, and the key of a landing that was not. */
async function workUntilGone({ at, as }: Awaited<ReturnType<typeof workplace>>, kept: Acknowledged): Promise<{ key: string; body: unknown } | undefined> {
  const here = server;
  let open: { key: string; body: unknown } | undefined;
  const send = async <T>(path: string, body: unknown, key?: string): Promise<T> => {
    const answer = await here.call('POST', `${at}${path}`, { as, body, key });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body as T;
  };
  try {
    for (let n = 0; ; n++) {
      const pass = await send<Pass>('/passes', { grant: 1, arrow: ARROWS[n % ARROWS.length]!.id });
      kept.started.push(pass);
      const moves: [string, string][] = [['C1', 'running'], ['C1', 'pass'], ['C2', n % 2 ? 'awaiting-attestation' : 'unevaluated']];
      for (const [clause, to] of moves) {
        kept.moved.push({ ...(await send<Transition>(`/passes/${pass.id}/clauses/${clause}/transitions`, { to, reason: 'Under load' })), pass: pass.id });
      }
      open = { key: randomUUID(), body: { grant: 1, message: `n ${n}`, entries: [] } };
      kept.landings.push(await send<Landing>('/landings', open.body, open.key));
      open = undefined;
      await send(`/passes/${pass.id}/complete`, { grant: 1 });
      kept.completed.push(pass.id);
    }
  } catch (error) {
    // The connection went with the server; anything else is a failure.
    if (!(error instanceof TypeError)) throw error;
    return open;
  }
}

describe('a server killed at random times under load', () => {
  test('whatever it acknowledged is there, once, and no orphan is left', async () => {
    const places = [await workplace(), await workplace(), await workplace(), await workplace()];
    const kept: Acknowledged = { landings: [], started: [], moved: [], completed: [] };
    for (let round = 0; round < 2; round++) {
      const work = places.map((place) => workUntilGone(place, kept));
      const before = kept.moved.length;
      await within(20, async () => kept.moved.length > before + 20);
      const until = performance.now() + randomInt(300);
      await within(20, async () => performance.now() >= until);
      await server.end('SIGKILL');
      const open = await Promise.all(work);
      await restart();
      await expectNoOrphans();
      // A pass that only waits for attestations was kept: its lock goes when the lead stops it.
      const { rows: running } = await w.db.query(`SELECT p.id, c.slug FROM pass p JOIN container c ON c.id = p.container_id WHERE p.state = 'running'`);
      for (const pass of running) await must('POST', `/containers/${pass.slug}/passes/${pass.id}/abort`, { as: operator, body: { reason: 'operator-interrupt' } });
      for (const [i, landing] of open.entries()) {
        if (landing) kept.landings.push(await must<Landing>('POST', `${places[i]!.at}/landings`, { as: places[i]!.as, ...landing }));
      }
    }
    const { rows: digests } = await w.db.query('SELECT digest FROM landing');
    expect(digests.map((d) => d.digest).sort()).toEqual(kept.landings.map((l) => l.digest).sort());
    const { rows: passes } = await w.db.query('SELECT id, state, reason FROM pass');
    const states = new Map(passes.map((p) => [p.id, p]));
    for (const { id } of kept.started) expect(states.get(id)).toBeDefined();
    for (const id of kept.completed) expect(states.get(id)).toMatchObject({ state: 'completed' });
    const { rows: transitions } = await w.db.query(`SELECT pass_id || ' ' || clause_id || ' ' || "from" || ' ' || "to" || ' ' || iso(at) AS it FROM transition`);
    const there = new Set(transitions.map((t) => t.it));
    for (const m of kept.moved) expect(there).toContain(`${m.pass} ${m.clause} ${m.from} ${m.to} ${m.at}`);
    for (const place of places) {
      expect(await verifyChain(w.db, place.id, { whole: true })).toMatchObject({ ok: true });
      expect(await verifyRegister(w.db, place.slug, w.operator)).toMatchObject({ ok: true });
    }
  }, 90_000);
});
