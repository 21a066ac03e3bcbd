/** BR-3, BR-4, BR-6 on two real server processes that share one database. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pass } from '../engine';
import { digestOf } from '../digest';
import { readYaml } from '../grid/parse';
import { ensureCluster, removeClusterFolder, temporaryClusterFolder, type Cluster } from '../postgres/cluster';
import { migrate } from '../postgres/migrate';
import { HOST } from '../principals/record';
import { issueToken } from '../tokens/issue';
import { within } from '../testing/lives';
import { restartPostgres } from '../testing/restart-postgres';
import { endServers, startServer, type CallOptions, type ServerProcess } from '../testing/server';
import { arrow, clausesOf, gridOf } from '../testing/work';
import { openWorld, type World } from '../testing/world';
import { readRecoveries } from './run';

const SECONDS = 20;
let w: World;
let cluster: Cluster;
let folder: string;
let root: string;
let operator: string;
let [a, b]: ServerProcess[] = [];
const dataDir = (name: string) => join(root, name);
const start = async (name: string): Promise<ServerProcess> => {
  const server = await startServer({ databaseUrl: cluster.url, dataDir: dataDir(name) });
  await server.ready();
  return server;
};
beforeAll(async () => {
  folder = temporaryClusterFolder(tmpdir(), 'holdfast-test-');
  root = await mkdtemp(join(tmpdir(), 'holdfast-instances-'));
  cluster = await ensureCluster(folder, { settings: { fsync: 'off' } });
  await migrate(cluster.url);
  w = await openWorld({ size: 5, database: { url: cluster.url, close: () => cluster.stop() } });
  operator = (await issueToken(w.db, HOST, w.operator.id, { label: 'test' })).token;
  [a, b] = await Promise.all([start('a'), start('b')]);
}, 90_000);
afterAll(async () => {
  await endServers();
  await w.close();
  removeClusterFolder(folder);
  await rm(root, { recursive: true, force: true });
});

async function must<T>(server: ServerProcess, method: string, path: string, options: CallOptions): Promise<T> {
  const { status, body, text } = await server.call(method, path, options);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body as T;
}

const ATTESTED = clausesOf(['machine', 'attested']);
const GRID = gridOf(['one', 'two', 'three', 'four'].map((id) => arrow(id, { context: `context-${id}`, clauses: ATTESTED })));

type Place = { slug: string; id: string; at: string; as: string };
type Hosted = { id: string; place: Place };

async function workplace(at: ServerProcess = b!): Promise<Place> {
  const slug = await w.container();
  const lead = await w.person();
  await w.lead(slug, lead);
  const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
  const place = { slug, id: rows[0].id, at: `/containers/${slug}`, as: (await issueToken(w.db, HOST, lead.id, { label: 'test' })).token };
  await must(at, 'POST', `${place.at}/grid/init`, { as: operator, body: { grid: GRID } });
  return place;
}

/** Starts a pass at a server, which hosts it, and moves its clauses there. */
async function run(server: ServerProcess, place: Place, arrowId: string, ...moves: string[]): Promise<Hosted> {
  const pass = await must<Pass>(server, 'POST', `${place.at}/passes`, { as: place.as, body: { grant: 1, arrow: arrowId } });
  for (const [i, to] of moves.entries()) await move(server, { id: pass.id, place }, `C${i + 1}`, to);
  return { id: pass.id, place };
}

const move = (server: ServerProcess, { id, place }: Hosted, clause: string, to: string) =>
  must(server, 'POST', `${place.at}/passes/${id}/clauses/${clause}/transitions`, { as: place.as, body: { to, reason: 'A test' } });

/** A pass as it stands, and the pid of the server that hosts it. */
const now = async ({ id }: Hosted): Promise<{ state: string; reason: string | null; pid: number }> =>
  (await w.db.query(`SELECT p.state, p.reason, i.pid FROM pass p JOIN instance i ON i.id = p.instance_id WHERE p.id = $1`, [id])).rows[0];
const running = (server: ServerProcess) => ({ state: 'running', reason: null, pid: server.pid });

/** What the reports tell of a pass, the latest first. */
const told = async (what: string) => (await readRecoveries(w.db, w.operator)).recoveries.flatMap((r) => r.steps.flatMap((s) => s.found)).filter((f) => f.id === what);

test(
  'one is killed in the middle of a commit: the other’s passes go on, and it resolves what the dead one left within seconds',
  async () => {
    const [mine, theirs] = [await workplace(), await workplace()];
    const dead = a!;
    const passes = { open: await run(dead, theirs, 'one', 'running'), awaiting: await run(dead, theirs, 'two', 'pass', 'awaiting-attestation'), mine: await run(b!, mine, 'one', 'running') };
    await dead.arm('amendment-after-lock');
    // Either may be the first to see a queued amendment: asked for until the armed one is.
    let asked = '';
    for (let version = 1; ; version++) {
      const ask = { as: operator, body: { baseVersion: version, changes: [], grid: GRID, rationale: 'Nothing changes' } };
      asked = (await must<{ id: string }>(dead, 'POST', `${theirs.at}/amendments`, ask)).id;
      const decided = within(SECONDS, async () => (await w.db.query(`SELECT 1 FROM amendment WHERE id = $1 AND state = 'committed'`, [asked])).rowCount === 1);
      if ((await Promise.race([dead.ended, decided])) === 'SIGKILL') {
        await decided;
        break;
      }
    }
    await within(SECONDS, async () => (await now(passes.open)).state === 'aborted');
    expect(await now(passes.open)).toMatchObject({ reason: 'crash' });
    await within(SECONDS, async () => (await now(passes.awaiting)).pid === b!.pid);
    expect(await now(passes.awaiting)).toEqual(running(b!));
    expect(await now(passes.mine)).toEqual(running(b!));
    await move(b!, passes.mine, 'C1', 'pass');
    await run(b!, theirs, 'one');

    const proof = expect.stringMatching(new RegExp(`^process ${dead.pid}, started at .+, is gone from `));
    expect(await told(passes.open.id)).toEqual([{ what: 'pass', id: passes.open.id, proof, done: 'aborted: crash' }]);
    expect(await told(passes.awaiting.id)).toEqual([{ what: 'pass', id: passes.awaiting.id, proof, done: 'adopted: it waits for attestations only' }]);
    expect(await told(asked)).toEqual([{ what: 'grid write-lock', id: asked, proof, done: 'released, its amendment is queued again' }]);
    expect(await told(passes.mine.id)).toEqual([]);

    a = await start('a');
    expect(await now(passes.mine)).toEqual(running(b!));
    expect(await now(passes.awaiting)).toEqual(running(b!));
  },
  90_000,
);

test(
  'PostgreSQL restarts under both, in good order and by a crash: nobody’s passes are lost, and both go on',
  async () => {
    // As from another host each judges the other by its backend alone.
    await w.db.query(`UPDATE instance SET host = 'elsewhere', boot_id = 'another' WHERE ended_at IS NULL`);
    const place = await workplace();
    const passes = [await run(a!, place, 'one', 'running'), await run(b!, place, 'two'), await run(a!, place, 'three', 'pass', 'awaiting-attestation')];
    const before = await Promise.all(passes.map(now));
    expect(before).toEqual([running(a!), running(b!), running(a!)]);
    const backends = async () => (await w.db.query('SELECT pid, backend_pid, backend_start FROM instance WHERE ended_at IS NULL ORDER BY pid')).rows;
    for (const mode of ['fast', 'immediate'] as const) {
      const old = await backends();
      expect(old).toHaveLength(2);
      await restartPostgres(folder, mode);
      await within(SECONDS, async () => {
        const anew = await backends().catch(() => []);
        return anew.length === 2 && anew.every((one, i) => one.backend_start !== old[i]!.backend_start);
      });
      await Promise.all([a!.ready(), b!.ready()]);
    }
    // Each looks at the other at least twice more.
    const end = performance.now() + 7_000;
    await within(SECONDS, async () => performance.now() > end);
    expect(await Promise.all(passes.map(now))).toEqual(before);
    await move(a!, passes[1]!, 'C1', 'pass');
    await move(b!, passes[0]!, 'C1', 'pass');
    await run(b!, place, 'four');
    const { rows } = await w.db.query('SELECT count(*)::int AS n FROM instance WHERE ended_at IS NULL AND missing_since IS NULL');
    expect(rows[0].n).toBe(2);
    const { version } = (await w.db.query('SELECT version FROM grid WHERE container_id = $1', [place.id])).rows[0];
    await must(a!, 'POST', `${place.at}/amendments`, { as: operator, body: { baseVersion: version, changes: [], grid: GRID, rationale: 'After the restart' } });
    await within(SECONDS, async () => (await w.db.query('SELECT version FROM grid WHERE container_id = $1', [place.id])).rows[0].version === version + 1);
  },
  90_000,
);

test(
  'a SIGTERM parks one’s passes, whatever their clauses, and the other adopts them',
  async () => {
    const place = await workplace();
    const passes = [await run(a!, place, 'one'), await run(a!, place, 'two', 'running'), await run(a!, place, 'three', 'pass', 'awaiting-attestation')];
    expect(await a!.end('SIGTERM')).toBe(0);
    await within(SECONDS, async () => (await Promise.all(passes.map(now))).every((p) => p.pid === b!.pid));
    for (const pass of passes) {
      expect(await now(pass)).toEqual(running(b!));
      expect(await told(pass.id)).toEqual([{ what: 'pass', id: pass.id, proof: 'stopped', done: 'adopted: it was parked' }]);
    }
    await move(b!, passes[1]!, 'C1', 'pass');
  },
  90_000,
);

test(
  'a mirror that diverged at one closes the container at both; a rebuild asked of the other opens it and is followed',
  async () => {
    const place = await workplace();
    const pointer = join(dataDir('a'), 'grids', place.id, '.ghyll', 'grid.current');
    const file = join(dataDir('a'), 'grids', place.id, '.ghyll', 'grid.v1.yaml');
    a = await start('a');
    await within(SECONDS, async () => (await readFile(pointer, 'utf8').catch(() => '')) === 'v1');
    expect(await a.end('SIGTERM')).toBe(0);
    await writeFile(file, 'contexts: []\n');
    a = await start('a');
    for (const server of [a, b!]) {
      const { status, body } = await server.call('POST', `${place.at}/passes`, { as: place.as, body: { grant: 1, arrow: 'one' } });
      expect([status, body.code, body.reason]).toEqual([409, 'container-closed', 'grid-diverged']);
    }
    await must(b!, 'POST', `${place.at}/grid/mirror/rebuild`, { as: operator });
    await run(a, place, 'one');
    await within(SECONDS, async () => digestOf(readYaml(await readFile(file, 'utf8'))) === digestOf(GRID));
    await run(b!, place, 'two');
  },
  90_000,
);
