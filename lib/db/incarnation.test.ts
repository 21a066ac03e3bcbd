/** LP-4 on real servers: what was restored, promoted or put back can never give out a grant again. */
import { chmodSync, mkdirSync, rmSync, statSync, chownSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignBlock, markBlock } from '../collaboration/block';
import { lease } from '../collaboration/lease';
import { editCollaborationNotes } from '../collaboration/notes';
import { petition } from '../collaboration/petition';
import { withdraw } from '../collaboration/withdraw';
import { archiveContainer, changeContainer } from '../containers/change';
import { createContainer } from '../containers/create';
import { pushDrafts } from '../drafts/push';
import { removeDraft } from '../drafts/remove';
import { saveDraft } from '../drafts/save';
import { acquire } from '../lock-page/acquire';
import { clear } from '../lock-page/clear';
import { heartbeat } from '../lock-page/heartbeat';
import { editLockNotes } from '../lock-page/notes';
import { readLock } from '../lock-page/read';
import { release } from '../lock-page/release';
import { reopen } from '../lock-page/reopen';
import { readLockRevisions } from '../lock-page/revisions';
import { checkIncarnation, startMaintenance } from '../maintenance';
import { ensureCluster, temporaryClusterFolder, type Cluster } from '../postgres/cluster';
import { migrate } from '../postgres/migrate';
import { createPrincipal } from '../principals/create';
import { changePrincipal } from '../principals/change';
import { HOST, type Principal } from '../principals/record';
import { land } from '../register/land';
import { verifyRegister } from '../register/verify';
import { backUp, copyCluster, putFile, until } from '../testing/copies';
import { letTimePass, openWorld, type World } from '../testing/world';
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
const lifts = async (on: Db, slug: Slug) =>
  (await readLockRevisions(on, slug, operator, { limit: 200 })).items.filter((r) => r.kind === 'reopen');

/** Expects one lift of `slug`, by 1000 over what was known, and nothing else changed on its page. */
async function expectLifted(on: Db, slug: Slug, known: { grant: number; nextGrant: number; holder: { id: string } | null }): Promise<void> {
  const found = await lifts(on, slug);
  expect(found).toMatchObject([{ author: null, fields: { grant: known.grant, nextGrant: known.nextGrant + 1000 } }]);
  expect(found[0]!.fields.holder?.id).toBe(known.holder?.id);
  const { audit } = await lock(on, slug);
  expect(audit).toMatchObject([
    { action: 'reopen', actor: null, grant: known.grant, at: found[0]!.at, details: { nextGrant: known.nextGrant + 1000 } },
  ]);
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
  test('lifts by itself, once, before the first write: of a pool that knew the standby, of many writers at once, and at boot; a restart of the primary lifts nothing', async () => {
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
    const standby = await start('standby', {
      primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password}`,
      archive_mode: 'off',
    });
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
    await expect(heartbeat(old, 'by-an-old-pool', lead.id, known['by-an-old-pool']!.revision, { grant: 1 })).rejects.toMatchObject({
      code: 'busy',
    });

    expect(await asAdmin(standby, 'SELECT pg_promote(true, 30) AS promoted')).toEqual([{ promoted: true }]);

    // The pool's only connection was made before the promotion.
    const pid = async () => (await old.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
    const before = await pid();
    const beat = await heartbeat(old, 'by-an-old-pool', lead.id, known['by-an-old-pool']!.revision, { grant: 1 }).catch((error) => error);
    expect(await pid()).toBe(before);
    await expectLifted(old, 'by-an-old-pool', known['by-an-old-pool']!);
    // The holder's page was lifted under it: it looks again, and goes on.
    expect(beat).toMatchObject({ code: 'edit-conflict' });
    expect(await heartbeat(old, 'by-an-old-pool', lead.id, await revision(old, 'by-an-old-pool'), { grant: 1 })).toMatchObject({
      grant: 1,
      nextGrant: 1002,
    });

    const fresh = open(standby.url);
    expect(await readIncarnation(fresh)).toEqual({ ...(await readIncarnation(old)), timeline: '00000002' });
    const crowd = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => createPrincipal(fresh, HOST, { name: `Crowd ${n}`, role: 'coworker' })));
    await Promise.all([
      ...crowd.map((who) => petition(fresh, 'by-many-at-once', who.id, { reason: 'to go on' })),
      land(fresh, 'by-many-at-once', lead.id, 'second', { grant: 1, message: '', entries: [] }),
    ]);
    await expectLifted(fresh, 'by-many-at-once', known['by-many-at-once']!);

    expect(await lifts(fresh, 'by-boot')).toEqual([]);
    await Promise.all([checkIncarnation(fresh), checkIncarnation(old)]);
    await checkIncarnation(fresh);
    for (const slug of SLUGS) await expectLifted(fresh, slug, known[slug]!);

    // What the lost primary gave out gets a receipt, before and after the next grant is given.
    const push = (key: string) => land(fresh, 'by-boot', operator.id, key, { grant: 2, message: '', entries: [] });
    await expect(push('lost')).rejects.toMatchObject({ code: 'grant-unknown', members: { yourGrant: 2, currentGrant: 1 } });
    await letTimePass(fresh, 'by-boot', 5 * 3600);
    expect(await acquire(fresh, 'by-boot', operator.id, await revision(fresh, 'by-boot'), {})).toMatchObject({
      grant: 1002,
      nextGrant: 1003,
    });
    await expect(push('lost again')).rejects.toMatchObject({ code: 'grant-superseded', members: { yourGrant: 2, currentGrant: 1002 } });
    expect(await land(fresh, 'by-boot', operator.id, 'here', { grant: 1002, message: '', entries: [] })).toMatchObject({
      sequence: 2,
      grant: 1002,
    });
    expect(await verifyRegister(fresh, 'by-boot', operator)).toEqual({ ok: true, checked: 2 });
  }, 60_000);
});

describe('a point-in-time restore', () => {
  test('lifts by itself: at boot, before a first write, and when an instance makes its connections anew', async () => {
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
    await expect(land(fresh, 'by-many-at-once', lead.id, 'lost', { grant: 3, message: '', entries: [] })).rejects.toMatchObject({
      code: 'grant-unknown',
    });
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
  }, 60_000);
});

describe('copies that these signs do not tell', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ size: 10 });
  });
  afterAll(() => world.close());

  const idOf = async (slug: string): Promise<string> =>
    (await world.db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id;

  /** A lock page that was put back alone, to grant 1 and its holder, when grant 2 had landed. */
  async function putBack() {
    const { db } = world;
    const [first, second, waiter] = [await world.person(), await world.person(), await world.person()];
    const slug = await world.container();
    const id = await idOf(slug);
    await world.lead(slug, first);
    const block = await assignBlock(db, slug, first.id, { grant: 1, title: 'A block', assignee: first.id });
    await saveDraft(db, slug, first.id, 'TS-1', 0, { grant: 1, title: 'A draft', body: '' });
    await land(db, slug, first.id, 'first', { grant: 1, message: '', entries: [] });
    const { rows } = await db.query('SELECT to_jsonb(l) AS page FROM lock_page l WHERE container_id = $1', [id]);
    await release(db, slug, first.id, 2, { grant: 1 });
    await world.lead(slug, second);
    await land(db, slug, second.id, 'second', { grant: 2, message: '', entries: [] });
    const waiting = await petition(db, slug, waiter.id, { reason: 'to work' });
    await db.query(
      `UPDATE lock_page l SET (revision, holder_id, reason, "grant", next_grant, granted_at, expires_at, last_beat_at, available_since, caution_since, caution_grant)
       = (SELECT p.revision, p.holder_id, p.reason, p."grant", p.next_grant, p.granted_at, p.expires_at, p.last_beat_at, p.available_since, p.caution_since, p.caution_grant
          FROM jsonb_populate_record(NULL::lock_page, $2) p) WHERE container_id = $1`,
      [id, rows[0].page],
    );
    return { slug, id, first, second, waiter, block, waiting };
  }

  test('a page behind its record closes the container to every write, until an operator re-opens it with a higher grant than any on record', async () => {
    const { db, operator } = world;
    const { slug, first, second, waiter, block, waiting } = await putBack();
    const base = (await world.lock(slug)).revision;
    expect(await world.lock(slug)).toMatchObject({ grant: 1, nextGrant: 2, holder: { id: first.id }, badge: 'HELD' });
    const closed: Record<string, () => Promise<unknown>> = {
      heartbeat: () => heartbeat(db, slug, first.id, base, { grant: 1 }),
      release: () => release(db, slug, first.id, base, { grant: 1 }),
      notes: () => editLockNotes(db, slug, first.id, base, { notes: '' }),
      land: () => land(db, slug, first.id, 'third', { grant: 1, message: '', entries: [] }),
      lease: () => lease(db, slug, first.id, { grant: 1, to: first.id, count: 1 }),
      'assign a block': () => assignBlock(db, slug, first.id, { grant: 1, title: 'Another', assignee: first.id }),
      'mark a block': () => markBlock(db, slug, first.id, block.id, { state: 'done' }),
      'save a draft': () => saveDraft(db, slug, first.id, 'TS-2', 0, { grant: 1, title: 'Another', body: '' }),
      'remove a draft': () => removeDraft(db, slug, first.id, 'TS-1'),
      'push drafts': () =>
        pushDrafts(db, slug, first.id, 'drafts', { grant: 1, message: '', drafts: [{ identifier: 'TS-1', revision: 1 }] }),
      petition: () => petition(db, slug, second.id, { reason: 'to work' }),
      withdraw: () => withdraw(db, slug, waiter.id, waiting.id),
      'collaboration notes': () => editCollaborationNotes(db, slug, first.id, 1, { notes: '' }),
      'change the container': () => changeContainer(db, slug, operator.id, 1, { title: 'Another' }),
    };
    const whenSilent: Record<string, () => Promise<unknown>> = {
      acquire: () => acquire(db, slug, waiter.id, base, {}),
      clear: () => clear(db, slug, operator.id, base, { grant: 1, reason: 'gone' }),
      archive: () => archiveContainer(db, slug, operator.id),
    };
    const found: Record<string, unknown> = {};
    const tryAll = async (calls: typeof closed) => {
      for (const [name, call] of Object.entries(calls))
        found[name] = await call().then(
          () => 'done',
          (error) => error.code ?? error,
        );
    };
    await tryAll(closed);
    await letTimePass(db, slug, 5 * 3600);
    await tryAll(whenSilent);
    expect(found).toEqual(Object.fromEntries(Object.keys({ ...closed, ...whenSilent }).map((name) => [name, 'container-closed'])));
    // A receipt still comes first: the grant is judged before the rest (section 10).
    await expect(land(db, slug, second.id, 'late', { grant: 2, message: '', entries: [] })).rejects.toMatchObject({
      code: 'grant-unknown',
    });
    // What was accepted before is answered again.
    expect(await land(db, slug, second.id, 'second', { grant: 2, message: '', entries: [] })).toMatchObject({ sequence: 2 });

    const reason = 'The lock page was restored alone.';
    await expect(reopen(db, slug, first.id, base, { nextGrant: 10, reason })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(reopen(db, slug, operator.id, base, { nextGrant: 2, reason })).rejects.toMatchObject({
      code: 'invalid-input',
      members: { errors: [{ path: 'nextGrant' }] },
    });
    await expect(reopen(db, slug, operator.id, base + 1, { nextGrant: 10, reason })).rejects.toMatchObject({
      code: 'edit-conflict',
      members: { current: { revision: base } },
    });
    const opened = await reopen(db, slug, operator.id, base, { nextGrant: 10, reason });
    expect(opened).toMatchObject({ grant: 1, nextGrant: 10, holder: { id: first.id }, badge: 'HOLDER SILENT' });
    expect(opened.audit).toMatchObject([{ action: 'reopen', actor: { id: operator.id }, reason, details: { nextGrant: 10, onRecord: 2 } }]);
    const { items } = await readLockRevisions(db, slug, operator, { limit: 200 });
    expect(items[0]).toMatchObject({ kind: 'reopen', revision: opened.revision, reason, author: { id: operator.id } });
    expect(items.map((r) => r.revision)).toEqual(items.map((_, i) => items.length - i));

    expect(await acquire(db, slug, waiter.id, opened.revision, {})).toMatchObject({ grant: 10, nextGrant: 11, holder: { id: waiter.id } });
    for (const [who, grant] of [
      [first, 1],
      [second, 2],
    ] as const) {
      await expect(land(db, slug, who.id, 'too late', { grant, message: '', entries: [] })).rejects.toMatchObject({
        code: 'grant-superseded',
        members: { yourGrant: grant, currentGrant: 10 },
      });
    }
    expect(await land(db, slug, waiter.id, 'now', { grant: 10, message: '', entries: [] })).toMatchObject({ sequence: 3, grant: 10 });
    expect(await verifyRegister(db, slug, operator)).toEqual({ ok: true, checked: 3 });
    await release(db, slug, waiter.id, (await world.lock(slug)).revision, { grant: 10 });
    expect(await acquire(db, slug, first.id, (await world.lock(slug)).revision, {})).toMatchObject({ grant: 11 });
  });

  test('a dump that was restored in place shows nothing: the operator lifts the next grant of an open container', async () => {
    const { db, operator } = world;
    const lead = await world.person();
    const slug = await world.container();
    await world.lead(slug, lead);
    const reason = 'Restored from the dump of Monday.';
    await expect(reopen(db, slug, operator.id, 2, { nextGrant: 2, reason })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(await reopen(db, slug, operator.id, 2, { nextGrant: 500, reason })).toMatchObject({
      grant: 1,
      nextGrant: 500,
      holder: { id: lead.id },
      badge: 'HELD',
      caution: false,
    });
    await expect(land(db, slug, lead.id, 'lost', { grant: 7, message: '', entries: [] })).rejects.toMatchObject({ code: 'grant-unknown' });
    await land(db, slug, lead.id, 'mine', { grant: 1, message: '', entries: [] });
    await release(db, slug, lead.id, 3, { grant: 1 });
    expect(await acquire(db, slug, lead.id, 4, {})).toMatchObject({ grant: 500, nextGrant: 501 });
    await expect(land(db, slug, lead.id, 'lost again', { grant: 7, message: '', entries: [] })).rejects.toMatchObject({
      code: 'grant-superseded',
      members: { currentGrant: 500 },
    });
  });

  test('a dump in another cluster is lifted before its first write, though that is only the sweep of a deactivated waiter’s petition', async () => {
    const { db, operator } = world;
    const [lead, waiter] = [await world.person(), await world.person()];
    const slug = await world.container();
    const id = await idOf(slug);
    await world.lead(slug, lead);
    await petition(db, slug, waiter.id, { reason: 'to work' });
    await db.query(`UPDATE container SET system_identifier = '1' WHERE id = $1`, [id]);
    await changePrincipal(db, operator.id, waiter.id, { active: false });
    const { rows } = await db.query(
      `SELECT (SELECT max(at) FROM lock_revision WHERE container_id = $1 AND kind = 'reopen') AS lifted, (SELECT max(at) FROM collaboration_revision WHERE container_id = $1 AND kind = 'withdraw') AS swept`,
      [id],
    );
    expect(rows[0].lifted < rows[0].swept).toBe(true);
    expect(await world.lock(slug)).toMatchObject({ grant: 1, nextGrant: 1002, holder: { id: lead.id }, queue: [] });
  });

  test.each(['the register', 'a revision'])('%s alone shows a later grant', async (witness) => {
    const { db } = world;
    const { slug, id, first } = await putBack();
    // Only whoever owns the tables can do this.
    if (witness === 'the register') {
      await db.query(
        `ALTER TABLE lock_revision DISABLE TRIGGER append_only; DELETE FROM lock_revision WHERE "grant" = 2; ALTER TABLE lock_revision ENABLE TRIGGER append_only`,
      );
    } else {
      await db.query(
        `ALTER TABLE landing DISABLE TRIGGER append_only; DELETE FROM landing WHERE "grant" = 2; ALTER TABLE landing ENABLE TRIGGER append_only`,
      );
    }
    expect(
      (
        await db.query(
          `SELECT (SELECT max("grant") FROM landing WHERE container_id = $1) AS landed, (SELECT max("grant") FROM lock_revision WHERE container_id = $1) AS revised`,
          [id],
        )
      ).rows,
    ).toEqual([witness === 'the register' ? { landed: 2, revised: 1 } : { landed: 1, revised: 2 }]);
    const base = (await world.lock(slug)).revision;
    await expect(heartbeat(db, slug, first.id, base, { grant: 1 })).rejects.toMatchObject({
      code: 'container-closed',
      members: { reason: 'grant 2 is on record, the lock page is at 1' },
    });
  });
});
