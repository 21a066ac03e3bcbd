/**
 * `npm run bench:recovery`: how long a boot takes to recover (BR-1) with 10,000 running passes
 * of a killed instance and 1,000,000 checkpoints, on a PostgreSQL of its own with durable
 * commits. Generates the record in SQL, with a valid chain; needs some 3 GB below the system's
 * folder for temporary files for as long as it runs.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { initGrid } from '../lib/amendment';
import { createContainer } from '../lib/containers/create';
import { createPool, type Db } from '../lib/db/pool';
import { acquire } from '../lib/lock-page/acquire';
import { ensureCluster, removeAbandonedClusters, removeClusterFolder, temporaryClusterFolder } from '../lib/postgres/cluster';
import { migrate } from '../lib/postgres/migrate';
import { createPrincipal } from '../lib/principals/create';
import { HOST } from '../lib/principals/record';
import { readRecoveries, startRecovery } from '../lib/recovery/run';

const CONTAINERS = 10;
const PASSES = Number(process.env.BENCH_PASSES ?? 10_000);
const CHECKPOINTS = Number(process.env.BENCH_CHECKPOINTS ?? 1_000_000);
const PREFIX = 'holdfast-bench-';

const say = (line: string) => console.log(line);
const cpu = (since: NodeJS.CpuUsage) => `${((process.cpuUsage(since).user + process.cpuUsage(since).system) / 1e6).toFixed(1)} s of this process’s CPU`;
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Running passes of three clauses, in contexts of their own, with their role locks. */
const RUNNING = `
  WITH made AS (
    INSERT INTO pass (container_id, arrow_id, role, context, grid_version, "grant", starter_id, started_at, instance_id)
    SELECT $1, 'a', 'analyst', 'context-' || n, 1, 1, $2, clock_timestamp(), $3 FROM generate_series(1, $4::int) n RETURNING id, context
  ), clauses AS (
    INSERT INTO clause (pass_id, id, position, concept, type, status)
    SELECT id, 'C' || k, k, 'a-concept', 'machine', CASE WHEN k = 1 THEN 'running' ELSE 'pending' END::clause_status FROM made, generate_series(1, 3) k
  )
  INSERT INTO role_lock (container_id, role, context, pass_id) SELECT $1, 'analyst', context, id FROM made`;

/** Appends links as the engine does: each content in RFC 8785 form, each digest over the link's. */
const CHAIN = `
  CREATE FUNCTION bench_chain(its_container uuid, starter uuid, how_many int) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE previous text; first bigint; its_at timestamptz; its_content text; its_digest text;
  BEGIN
    SELECT head, count INTO previous, first FROM checkpoint_chain WHERE container_id = its_container;
    FOR n IN first + 1 .. first + how_many LOOP
      its_at := clock_timestamp();
      its_content := format('{"arrow":"arrow-%s","clauses":[{"concept":"compiles","id":"C1","reason":null,"status":"pass","type":"machine"},{"concept":"residue-is-honest","id":"C2","reason":null,"status":"pass","type":"attested"},{"concept":"covers","id":"C3","reason":"Nothing to cover","status":"unevaluated","type":"machine"}],"context":"context-%s","endedAt":"%s","grant":1,"gridVersion":1,"id":"%s","reason":null,"role":"analyst","startedAt":"%s","starter":{"id":"%s","kind":"agent","name":"A bench agent"},"state":"completed"}',
        n % 50, n % 20, iso(its_at), gen_random_uuid(), iso(its_at), starter);
      its_digest := encode(sha256(convert_to(format('{"at":"%s","container":"%s","content":%s,"kind":"pass","previousDigest":"%s","sequence":%s}', iso(its_at), its_container, its_content, previous, n), 'UTF8')), 'hex');
      INSERT INTO checkpoint (container_id, sequence, kind, content, at, previous_digest, digest) VALUES (its_container, n, 'pass', its_content::jsonb, its_at, previous, its_digest);
      previous := its_digest;
    END LOOP;
    UPDATE checkpoint_chain SET count = first + how_many, head = previous WHERE container_id = its_container;
  END $$`;

async function generate(db: Db, url: string): Promise<void> {
  const operator = await createPrincipal(db, HOST, { name: 'Bench operator', role: 'operator' });
  const life = await startRecovery(db, url);
  await life.done;
  const arrows = [{ id: 'a', from: 'analyst', to: 'analyst', context: 'context-1', stratum: 1, requires: [], dependencies: [], clauses: [{ id: 'C1', concept: 'c', type: 'machine' as const }] }];
  const ids: string[] = [];
  for (let i = 0; i < CONTAINERS; i++) {
    const slug = `bench-${i}`;
    await createContainer(db, operator.id, { slug, title: slug, prefix: 'BN' });
    await acquire(db, slug, operator.id, 1, {});
    await initGrid(db, slug, operator.id, { contexts: ['context-1'], roles: ['analyst'], arrows });
    ids.push((await db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id);
  }
  await life.close();
  await db.query(CHAIN);
  await Promise.all(
    ids.map(async (id) => {
      await db.query('SELECT bench_chain($1, $2, $3)', [id, operator.id, CHECKPOINTS / CONTAINERS]);
      await db.query(RUNNING, [id, operator.id, life.instance, PASSES / CONTAINERS]);
    }),
  );
  // As a killed process leaves it: not ended, and its pid another's.
  await db.query(`UPDATE instance SET ended_at = NULL, ended_by = NULL, process_start = 'long ago' WHERE id = $1`, [life.instance]);
  await db.query('VACUUM ANALYZE');
}

/** Boots on a copy of the record, and says how long each step took. */
async function measure(adminUrl: string, template: string, name: string, what: string, prepare: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${new URL(template).pathname.slice(1)} OWNER holdfast`);
  const url = new URL(template);
  url.pathname = `/${name}`;
  const db = createPool(url.href);
  await db.query(prepare);
  await db.query('CHECKPOINT').catch(() => undefined);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const [at, spent] = [performance.now(), process.cpuUsage()];
  const life = await startRecovery(db, url.href);
  await life.done;
  const ready = performance.now() - at;
  delay.disable();
  const { recoveries } = await readRecoveries(db, { id: '', name: '', kind: 'person', role: 'operator' } as never, 1);
  const steps = recoveries[0]!.steps.map((s) => `${s.name} ${((Date.parse(s.endedAt) - Date.parse(s.startedAt)) / 1000).toFixed(2)} s (${s.found.length} found)`);
  say(`${what}: ready after ${(ready / 1000).toFixed(2)} s: ${steps.join(', ')}; ${cpu(spent)}; event loop held at most ${Math.round(delay.max / 1e6)} ms`);
  const [later, spentLater] = [performance.now(), process.cpuUsage()];
  delay.reset();
  delay.enable();
  await life.whole;
  say(`  the whole of the chains, in the background: ${seconds(later)}, ${cpu(spentLater)}; event loop held at most ${Math.round(delay.max / 1e6)} ms, p99 ${Math.round(delay.percentile(99) / 1e6)} ms`);
  const { rows } = await db.query(`SELECT (SELECT count(*) FROM alert)::int AS alerts, (SELECT count(*) FROM pass WHERE state = 'running')::int AS running, (SELECT sum(count - verified) FROM checkpoint_chain)::int AS unverified`);
  say(`  left: ${JSON.stringify(rows[0])}`);
  await life.close();
  await db.end();
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
}

await removeAbandonedClusters(tmpdir(), PREFIX);
const folder = temporaryClusterFolder(tmpdir(), PREFIX);
const cluster = await ensureCluster(folder, { settings: { max_wal_size: '4GB' } });
try {
  await migrate(cluster.url);
  const db = createPool(cluster.url);
  const at = performance.now();
  await generate(db, cluster.url);
  await db.end();
  say(`${PASSES} running passes of a dead instance and ${CHECKPOINTS} checkpoints in ${CONTAINERS} containers, generated in ${seconds(at)}`);
  const verified = (all: number) => `
    UPDATE checkpoint_chain c SET verified = k.sequence, verified_digest = k.digest FROM checkpoint k
    WHERE k.container_id = c.container_id AND k.sequence = c.count - ${all}`;
  await measure(cluster.adminUrl, cluster.url, 'bench_usual', 'Verified until 1,000 links before the end, by the checks while running', verified(1_000 / CONTAINERS));
  await measure(cluster.adminUrl, cluster.url, 'bench_worst', 'Nothing verified yet', 'SELECT 1');
} finally {
  await cluster.stop();
  removeClusterFolder(folder);
}
