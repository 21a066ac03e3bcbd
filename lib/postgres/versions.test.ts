/** PostgreSQL 15, the oldest version that Holdfast runs on: its migrations and its main scenario. The other tests run on the embedded one. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assignBlock, markBlock } from '../collaboration/block';
import { lease } from '../collaboration/lease';
import { petition } from '../collaboration/petition';
import { createContainer } from '../containers/create';
import { readEntries, readEntry } from '../copy/read';
import { createPool } from '../db/pool';
import { readIncarnation } from '../db/incarnation';
import { saveDraft } from '../drafts/save';
import { pushDrafts } from '../drafts/push';
import { acquire } from '../lock-page/acquire';
import { clear } from '../lock-page/clear';
import { heartbeat } from '../lock-page/heartbeat';
import { readLock } from '../lock-page/read';
import { release } from '../lock-page/release';
import { checkIncarnation } from '../maintenance';
import { createPrincipal } from '../principals/create';
import { HOST } from '../principals/record';
import { land } from '../register/land';
import { verifyRegister } from '../register/verify';
import { openRuntime } from '../runtime';
import { postgres15 } from '../testing/postgres-15';
import { letTimePass } from '../testing/world';
import { ensureCluster, temporaryClusterFolder, type Cluster } from './cluster';
import { migrate } from './migrate';

let folder: string;
let cluster: Cluster | undefined;

beforeAll(async () => {
  folder = temporaryClusterFolder(tmpdir(), 'holdfast-versions-');
  const binDir = postgres15(folder);
  if (binDir) cluster = await ensureCluster(folder, { binDir, settings: { fsync: 'off', shared_buffers: '16MB' } });
  else
    console.warn(
      'PostgreSQL 15: NOT TESTED. There is neither the optional package postgres-15 (Linux on x64 has it) nor Debian’s postgresql-15 here.',
    );
}, 60_000);
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

test('on PostgreSQL 15 the migrations apply, and the lock is acquired, worked under, released, lost, cleared and taken again', async () => {
  if (!cluster) return;
  expect((await migrate(cluster.url)).length).toBeGreaterThan(0);
  expect(await migrate(cluster.url)).toEqual([]);
  const db = createPool(cluster.url, { max: 5 });
  try {
    const { rows } = await db.query<{ version: string }>("SELECT current_setting('server_version_num') AS version");
    expect(rows[0]!.version).toMatch(/^15\d{4}$/);
    const operator = await createPrincipal(db, HOST, { name: 'Operator', role: 'operator' });
    const ann = await createPrincipal(db, HOST, { name: 'Ann', role: 'coworker' });
    const bob = await createPrincipal(db, HOST, { name: 'Bob', role: 'coworker', kind: 'agent' });
    const slug = 'main';
    await createContainer(db, operator.id, { slug, title: 'Main', prefix: 'HF' });
    const revision = async () => (await readLock(db, slug, operator)).revision;

    await petition(db, slug, ann.id, { reason: 'to begin' });
    expect(await acquire(db, slug, ann.id, await revision(), {})).toMatchObject({ grant: 1, reason: 'to begin', badge: 'HELD' });
    await petition(db, slug, bob.id, { reason: 'to go on' });
    expect(await heartbeat(db, slug, ann.id, await revision(), { grant: 1 })).toMatchObject({ atCap: false, waiting: 1 });

    const leased = await lease(db, slug, ann.id, { grant: 1, to: bob.id, count: 10 });
    expect(leased).toMatchObject({ from: 1, through: 10 });
    await expect(lease(db, slug, ann.id, { grant: 1, to: ann.id, from: 8, through: 12 })).rejects.toMatchObject({
      code: 'range-taken',
      members: { from: 8, through: 10 },
    });
    const block = await assignBlock(db, slug, ann.id, { grant: 1, title: 'A block', assignee: bob.id, leaseId: leased.id });
    expect(await markBlock(db, slug, bob.id, block.id, { state: 'done' })).toMatchObject({ state: 'done' });

    await expect(release(db, slug, ann.id, await revision(), { grant: 1 })).rejects.toMatchObject({ code: 'push-required' });
    const entries = [2, 5].map((n) => ({ identifier: `HF-${n}`, title: `Entry ${n}`, body: 'A lighthouse.' }));
    expect(await land(db, slug, ann.id, 'one', { grant: 1, message: 'First', entries, keepLeases: [leased.id] })).toMatchObject({
      sequence: 1,
      reclaimed: [],
    });
    const { rows: kept } = await db.query<{ range: string }>("SELECT ids::text AS range FROM lease WHERE state = 'active' ORDER BY ids");
    expect(kept.map((l) => l.range)).toEqual(['[1,2)', '[3,5)', '[6,11)']);
    await saveDraft(db, slug, ann.id, 'HF-2', 0, { grant: 1, title: 'Entry 2', body: 'A harbour.' });
    expect(
      await pushDrafts(db, slug, ann.id, 'two', { grant: 1, message: 'Second', drafts: [{ identifier: 'HF-2', revision: 1 }] }),
    ).toMatchObject({ sequence: 2 });
    expect((await readEntries(db, slug, ann, { limit: 50, q: 'harbour' })).items.map((e) => e.identifier)).toEqual(['HF-2']);
    expect(await readEntry(db, slug, ann, 'HF-5')).toMatchObject({ author: { id: bob.id }, landing: 1, grant: 1 });
    expect(await release(db, slug, ann.id, await revision(), { grant: 1 })).toMatchObject({ badge: 'HANDOVER', caution: false });
    await expect(land(db, slug, ann.id, 'late', { grant: 1, message: '', entries: [] })).rejects.toMatchObject({ code: 'grant-released' });

    await expect(acquire(db, slug, ann.id, await revision(), {})).rejects.toMatchObject({
      code: 'not-your-turn',
      members: { turnOf: { id: bob.id } },
    });
    await acquire(db, slug, bob.id, await revision(), {});
    await letTimePass(db, slug, 5 * 3600);
    expect(await readLock(db, slug, ann)).toMatchObject({ badge: 'HOLDER SILENT', caution: true, cautionGrant: 2 });
    expect(await clear(db, slug, operator.id, await revision(), { grant: 2, reason: 'Bob is gone.' })).toMatchObject({
      badge: 'OPEN',
      caution: true,
      audit: [{ action: 'clear', reason: 'Bob is gone.' }],
    });
    await expect(land(db, slug, bob.id, 'late', { grant: 2, message: '', entries: [] })).rejects.toMatchObject({ code: 'grant-cleared' });
    expect(await acquire(db, slug, ann.id, await revision(), {})).toMatchObject({ grant: 3, caution: true });
    await land(db, slug, ann.id, 'three', { grant: 3, message: '', entries: [] });
    expect(await release(db, slug, ann.id, await revision(), { grant: 3 })).toMatchObject({ badge: 'OPEN', caution: false });
    expect(await verifyRegister(db, slug, ann)).toEqual({ ok: true, checked: 3 });

    expect((await readIncarnation(db)).timeline).toBe('00000001');
    await checkIncarnation(db);
    expect(await readLock(db, slug, ann)).toMatchObject({ grant: 3, nextGrant: 4 });
  } finally {
    await db.end();
  }
}, 60_000);

test('on PostgreSQL 15 Prisma’s client reads what was written', async () => {
  if (!cluster) return;
  const { prisma, close } = openRuntime(cluster.url, { max: 2 });
  try {
    expect(await prisma.landing.count({ where: { container: { slug: 'main' } } })).toBe(3);
    expect(await prisma.lockPage.findFirst({ select: { grant: true, holderId: true } })).toEqual({ grant: 3n, holderId: null });
  } finally {
    await close();
  }
});

test('on PostgreSQL 15 a role without any privilege reads the signs of another life (LP-4)', async () => {
  if (!cluster) return;
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT rolsuper FROM pg_roles WHERE rolname = current_user');
    expect(rows).toEqual([{ rolsuper: false }]);
    expect(await readIncarnation(client as unknown as pg.PoolClient)).toMatchObject({ timeline: '00000001' });
  } finally {
    await client.end();
  }
});
