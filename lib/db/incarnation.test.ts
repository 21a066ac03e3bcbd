/** LP-4 on real servers: what was restored, promoted or put back can never give out a grant again. */
import { chmodSync, mkdirSync, rmSync, statSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petition } from '../collaboration/petition';
import { createContainer } from '../containers/create';
import { acquire } from '../lock-page/acquire';
import { heartbeat } from '../lock-page/heartbeat';
import { readLock } from '../lock-page/read';
import { readLockRevisions } from '../lock-page/revisions';
import { checkIncarnation, startMaintenance } from '../maintenance';
import { ensureCluster, temporaryClusterFolder, type Cluster } from '../postgres/cluster';
import { migrate } from '../postgres/migrate';
import { createPrincipal } from '../principals/create';
import { HOST, type Principal } from '../principals/record';
import { land } from '../register/land';
import { verifyRegister } from '../register/verify';
import { backUp, copyCluster, putFile, until } from '../testing/copies';
import { letTimePass, outcomes } from '../testing/world';
import { readIncarnation } from './incarnation';
import { createPool, type Db } from './pool';

const SETTINGS = { fsync: 'off', shared_buffers: '16MB', max_connections: '40' };
const SLUGS = ['by-an-old-pool', 'by-many-at-once', 'by-boot', 'by-maintenance'] as const;
type Slug = (typeof SLUGS)[number];

let folder: string;
let archive: string;
let primary: Cluster;
let db: Db;
let operator: Principal;
let lead: Principal;
const running: Cluster[] = [];
const pools: Db[] = [];

const start = async (name: string, settings: Record<string, string>): Promise<Cluster> => {
  const cluster = await ensureCluster(join(folder, name), { settings: { ...SETTINGS, ...settings } });
  running.push(cluster);
  return cluster;
};
const open = (url: string, max = 10): Db => {
  const pool = createPool(url, { max });
  pools.push(pool);
  return pool;
};

async function asAdmin<T extends pg.QueryResultRow>(cluster: Cluster, sql: string): Promise<T[]> {
  const admin = new pg.Client({ connectionString: cluster.adminUrl });
  await admin.connect();
  try {
    return (await admin.query<T>(sql)).rows;
  } finally {
    await admin.end();
  }
}

const lock = (on: Db, slug: Slug) => readLock(on, slug, operator);
const revision = async (on: Db, slug: Slug) => (await lock(on, slug)).revision;
const lifts = async (on: Db, slug: Slug) => (await readLockRevisions(on, slug, operator, { limit: 200 })).items.filter((r) => r.kind === 'reopen');

/** Expects one lift of `slug`, by 1000 over what was known, and nothing else changed on its page. */
async function expectLifted(on: Db, slug: Slug, known: { grant: number; nextGrant: number; holder: { id: string } | null }): Promise<void> {
  const found = await lifts(on, slug);
  expect(found).toMatchObject([{ author: null, fields: { grant: known.grant, nextGrant: known.nextGrant + 1000 } }]);
  expect(found[0]!.fields.holder?.id).toBe(known.holder?.id);
  const { audit } = await lock(on, slug);
  expect(audit).toMatchObject([{ action: 'reopen', actor: null, grant: known.grant, at: found[0]!.at, details: { nextGrant: known.nextGrant + 1000 } }]);
}

const PRIMARY = () => ({ archive_mode: 'on', archive_command: `cp %p ${archive}/%f` });

beforeAll(async () => {
  folder = temporaryClusterFolder(tmpdir(), 'holdfast-incarnation-');
  archive = join(folder, 'archive');
  mkdirSync(archive);
  primary = await start('primary', PRIMARY());
  const { uid, gid } = statSync(join(folder, 'primary', 'postgres', 'data'));
  chownSync(archive, uid, gid);
  chmodSync(archive, 0o700);
  await migrate(primary.url);
  db = open(primary.url);
  operator = await createPrincipal(db, HOST, { name: 'Operator', role: 'operator' });
  lead = await createPrincipal(db, HOST, { name: 'Lead', role: 'coworker' });
  for (const slug of SLUGS) {
    await createContainer(db, operator.id, { slug, title: slug, prefix: 'TS' });
    await acquire(db, slug, lead.id, 1, {});
    await land(db, slug, lead.id, 'first', { grant: 1, message: '', entries: [] });
  }
}, 60_000);

afterAll(async () => {
  for (const pool of pools) if (!pool.ended) await pool.end();
  for (const cluster of running.reverse()) await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

describe('the signs of another life', () => {
  test('a role without any privilege can read them', async () => {
    const { rows } = await db.query(`SELECT rolsuper, rolreplication, rolcreaterole, pg_has_role('pg_monitor', 'USAGE') AS monitor,
      pg_has_role('pg_read_all_settings', 'USAGE') AS settings FROM pg_roles WHERE rolname = current_user`);
    expect(rows).toEqual([{ rolsuper: false, rolreplication: false, rolcreaterole: false, monitor: false, settings: false }]);
    const [told] = await asAdmin<{ id: string }>(primary, 'SELECT system_identifier::text AS id FROM pg_control_system()');
    expect(await readIncarnation(db)).toEqual({ systemIdentifier: told!.id, timeline: '00000001' });
  });
});

describe('a promoted standby', () => {
  test(
    'lifts by itself, once, before the first write: of a pool that knew the standby, of many writers at once, and at boot; a restart of the primary lifts nothing',
    async () => {
      await db.end();
      await primary.stop();
      copyCluster(join(folder, 'primary'), join(folder, 'standby'));
      putFile(join(folder, 'standby'), 'standby.signal');
      primary = await start('primary', PRIMARY());
      db = open(primary.url);

      // An ordinary restart: same life.
      await checkIncarnation(db);
      await heartbeat(db, 'by-boot', lead.id, await revision(db, 'by-boot'), { grant: 1 });
      for (const slug of SLUGS) expect(await lifts(db, slug)).toEqual([]);

      const { port, password } = new URL(primary.adminUrl);
      const standby = await start('standby', { primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password}`, archive_mode: 'off' });
      const [{ lsn }] = (await asAdmin<{ lsn: string }>(primary, 'SELECT pg_current_wal_lsn()::text AS lsn')) as [{ lsn: string }];
      await until(async () => (await asAdmin<{ there: boolean }>(standby, `SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS there`))[0]!.there);

      // The standby falls behind: what the primary gives out now is lost with it.
      await asAdmin(standby, "ALTER SYSTEM SET primary_conninfo = ''");
      await asAdmin(standby, 'SELECT pg_reload_conf()');
      await until(async () => (await asAdmin(standby, 'SELECT 1 FROM pg_stat_wal_receiver')).length === 0);
      const lost: Record<string, number> = {};
      for (const slug of SLUGS) {
        await letTimePass(db, slug, 5 * 3600);
        lost[slug] = (await acquire(db, slug, operator.id, await revision(db, slug), {})).grant;
      }
      expect(Object.values(lost)).toEqual([2, 2, 2, 2]);
      await db.end();
      await primary.stop();

      const old = open(standby.url, 1);
      const known = Object.fromEntries(await Promise.all(SLUGS.map(async (slug) => [slug, await lock(old, slug)] as const)));
      for (const slug of SLUGS) expect(known[slug]).toMatchObject({ grant: 1, nextGrant: 2, holder: { id: lead.id }, badge: 'HELD' });
      await expect(heartbeat(old, 'by-an-old-pool', lead.id, known['by-an-old-pool']!.revision, { grant: 1 })).rejects.toMatchObject({ code: 'busy' });

      expect(await asAdmin(standby, 'SELECT pg_promote(true, 30) AS promoted')).toEqual([{ promoted: true }]);

      // The pool's only connection was made before the promotion.
      const pid = async () => (await old.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
      const before = await pid();
      const beat = await heartbeat(old, 'by-an-old-pool', lead.id, known['by-an-old-pool']!.revision, { grant: 1 }).catch((error) => error);
      expect(await pid()).toBe(before);
      await expectLifted(old, 'by-an-old-pool', known['by-an-old-pool']!);
      // The holder's page was lifted under it: it looks again, and goes on.
      expect(beat).toMatchObject({ code: 'edit-conflict' });
      expect(await heartbeat(old, 'by-an-old-pool', lead.id, await revision(old, 'by-an-old-pool'), { grant: 1 })).toMatchObject({ grant: 1, nextGrant: 1002 });

      const fresh = open(standby.url);
      expect(await readIncarnation(fresh)).toEqual({ ...(await readIncarnation(old)), timeline: '00000002' });
      const crowd = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => createPrincipal(fresh, HOST, { name: `Crowd ${n}`, role: 'coworker' })));
      const results = await outcomes([
        ...crowd.map((who) => petition(fresh, 'by-many-at-once', who.id, { reason: 'to go on' })),
        land(fresh, 'by-many-at-once', lead.id, 'second', { grant: 1, message: '', entries: [] }),
      ]);
      expect(results.filter((r) => r && 'refused' in r)).toEqual([]);
      await expectLifted(fresh, 'by-many-at-once', known['by-many-at-once']!);

      expect(await lifts(fresh, 'by-boot')).toEqual([]);
      await Promise.all([checkIncarnation(fresh), checkIncarnation(old)]);
      await checkIncarnation(fresh);
      for (const slug of SLUGS) await expectLifted(fresh, slug, known[slug]!);

      // What the lost primary gave out gets a receipt, before and after the next grant is given.
      const push = (key: string) => land(fresh, 'by-boot', operator.id, key, { grant: 2, message: '', entries: [] });
      await expect(push('lost')).rejects.toMatchObject({ code: 'grant-unknown', members: { yourGrant: 2, currentGrant: 1 } });
      await letTimePass(fresh, 'by-boot', 5 * 3600);
      expect(await acquire(fresh, 'by-boot', operator.id, await revision(fresh, 'by-boot'), {})).toMatchObject({ grant: 1002, nextGrant: 1003 });
      await expect(push('lost again')).rejects.toMatchObject({ code: 'grant-superseded', members: { yourGrant: 2, currentGrant: 1002 } });
      expect(await land(fresh, 'by-boot', operator.id, 'here', { grant: 1002, message: '', entries: [] })).toMatchObject({ sequence: 2, grant: 1002 });
      expect(await verifyRegister(fresh, 'by-boot', operator)).toEqual({ ok: true, checked: 2 });
    },
    60_000,
  );
});

describe('a point-in-time restore', () => {
  test(
    'lifts by itself: at boot, before a first write, and when an instance makes its connections anew',
    async () => {
      primary = await start('primary', PRIMARY());
      db = open(primary.url);
      await backUp(primary.adminUrl, join(folder, 'primary'), join(folder, 'restored'));
      const known = Object.fromEntries(await Promise.all(SLUGS.map(async (slug) => [slug, await lock(db, slug)] as const)));
      await asAdmin(primary, "SELECT pg_create_restore_point('before the accident')");
      for (const slug of SLUGS) {
        await letTimePass(db, slug, 5 * 3600);
        expect((await acquire(db, slug, lead.id, await revision(db, slug), {})).grant).toBe(3);
      }
      const [{ file }] = (await asAdmin<{ file: string }>(primary, 'SELECT pg_walfile_name(pg_switch_wal()) AS file')) as [{ file: string }];
      await until(async () => (await asAdmin(primary, `SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= '${file}'`)).length === 1);
      await db.end();
      await primary.stop();

      putFile(join(folder, 'restored'), 'recovery.signal');
      const restored = await start('restored', {
        archive_mode: 'off',
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_name: 'before the accident',
        recovery_target_action: 'promote',
      });
      await until(async () => !(await asAdmin<{ r: boolean }>(restored, 'SELECT pg_is_in_recovery() AS r'))[0]!.r);
      const fresh = open(restored.url);
      for (const slug of SLUGS) expect(await lock(fresh, slug)).toMatchObject({ grant: 2, nextGrant: 3, holder: { id: operator.id } });
      expect((await readIncarnation(fresh)).timeline).not.toBe('00000001');

      // Before a first write, also one that is refused.
      await expect(land(fresh, 'by-many-at-once', lead.id, 'lost', { grant: 3, message: '', entries: [] })).rejects.toMatchObject({ code: 'grant-unknown' });
      await expectLifted(fresh, 'by-many-at-once', known['by-many-at-once']!);
      expect(await lifts(fresh, 'by-maintenance')).toEqual([]);

      // A running instance makes a new connection: the pool's first one is in use.
      const stop = startMaintenance(fresh);
      try {
        const clients = await Promise.all(Array.from({ length: 8 }, () => fresh.connect()));
        clients.forEach((client) => client.release());
        await until(async () => (await lifts(fresh, 'by-maintenance')).length > 0 && (await lifts(fresh, 'by-an-old-pool')).length > 0);
      } finally {
        stop();
      }
      await checkIncarnation(fresh);
      for (const slug of SLUGS) await expectLifted(fresh, slug, known[slug]!);
    },
    60_000,
  );
});
