import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { hostname } from 'node:os';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool, type Db } from '../db/pool';
import { identityOf, processSpace } from '../postgres/process-identity';
import { testDatabase, type TestDatabase } from '../testing/database';
import { within } from '../testing/lives';
import { registerInstance, STOPPED } from './instance';
import { markDeadInstances } from './liveness';

let database: TestDatabase;
let db: Db;
const children: ChildProcess[] = [];
const clients: pg.Client[] = [];
beforeAll(async () => {
  database = await testDatabase();
  db = createPool(database.url);
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(clients.map((c) => c.end().catch(() => undefined)));
  await db.end();
  await database.close();
});

const HERE = { host: hostname(), space: processSpace() };
const ELSEWHERE = { host: 'elsewhere', space: 'another boot' };

async function runningProcess(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

/** A session of its own, and what it is known by. */
async function backend(): Promise<{ client: pg.Client; pid: number; start: string }> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  const { rows } = await client.query('SELECT pid, iso(backend_start) AS start FROM pg_stat_activity WHERE pid = pg_backend_pid()');
  return { client, ...rows[0] };
}

type Written = { host: string; space: string; pid?: number; processStart?: string; backend?: { pid: number; start: string } };

/** Records an instance, as one that registered itself is recorded. */
async function written({ host, space, pid = 1, processStart = 'x', backend: its = { pid: 1, start: 'gone' } }: Written): Promise<string> {
  const id = randomUUID();
  await db.query(
    `INSERT INTO instance (id, host, boot_id, pid, process_start, backend_pid, backend_start, started_at) VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())`,
    [id, host, space, pid, processStart, its.pid, its.start],
  );
  return id;
}

type Recorded = { endedBy: string | null; missing: boolean; backend: string };
const recorded = async (id: string): Promise<Recorded> =>
  (
    await db.query(
      `SELECT ended_by AS "endedBy", missing_since IS NOT NULL AS missing, backend_pid || ' ' || backend_start AS backend FROM instance WHERE id = $1`,
      [id],
    )
  ).rows[0];
const check = () => markDeadInstances(db, randomUUID());
const missingFor = (id: string, seconds: number) =>
  db.query(`UPDATE instance SET missing_since = clock_timestamp() - make_interval(secs => $2) WHERE id = $1`, [id, seconds]);

describe('BR-3: on the same host and boot the process decides', () => {
  test('an instance whose process is gone is dead at once, though its backend is there', async () => {
    const child = await runningProcess();
    const { startedAt } = identityOf(child.pid)!;
    const id = await written({ ...HERE, pid: child.pid, processStart: startedAt, backend: await backend() });
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await check();
    expect((await recorded(id)).endedBy).toBe(`process ${child.pid}, started at ${startedAt}, is gone from ${hostname()}`);
  });

  test('a pid that was given to another process is not mistaken for alive', async () => {
    const child = await runningProcess();
    const id = await written({ ...HERE, pid: child.pid, processStart: '1', backend: await backend() });
    await check();
    expect((await recorded(id)).endedBy).toContain(`process ${child.pid}, started at 1, is gone`);
  });

  test('an instance whose process runs is alive, however long its backend has been gone', async () => {
    const child = await runningProcess();
    const id = await written({ ...HERE, pid: child.pid, processStart: identityOf(child.pid)!.startedAt });
    await check();
    await missingFor(id, 3600);
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: true });
  });

  test('a process in another pid namespace of this boot cannot be seen from here: its backend decides', async () => {
    const id = await written({ host: HERE.host, space: `${HERE.space.split(' ')[0]} pid:[1]`, pid: 2 ** 22 + 1, backend: await backend() });
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: false });
  });

  test('where pids mean the same is told by the boot and, on Linux, the pid namespace', () => {
    const known = process.platform === 'linux' ? `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}` : '';
    expect(processSpace()).toBe(known);
  });

  test('who checks does not judge itself', async () => {
    const id = await written({ ...HERE, pid: process.pid, processStart: '1' });
    await markDeadInstances(db, id);
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: false });
  });
});

describe('BR-3: elsewhere the backend decides, at two checks 10 s apart', () => {
  test('an instance whose backend is there is alive, and a count that had begun is dropped', async () => {
    const id = await written({ ...ELSEWHERE, backend: await backend() });
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: false });
    await db.query(`UPDATE instance SET missing_since = clock_timestamp() - interval '1 hour', missing_under = iso(pg_postmaster_start_time()) WHERE id = $1`, [id]);
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: false });
  });

  test('gone at one check it is not dead, nor at more checks within 10 s; gone at two that far apart it is', async () => {
    const its = await backend();
    const id = await written({ ...ELSEWHERE, backend: its });
    await its.client.end();
    await within(5, async () => (await db.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [its.pid])).rowCount === 0);
    await check();
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: true });
    await missingFor(id, 9);
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: true });
    await missingFor(id, 10);
    await check();
    expect((await recorded(id)).endedBy).toBe(`its database backend ${its.pid}, started ${its.start}, was gone at two checks at least 10 s apart`);
  });

  test('a backend pid that was given to another session is not mistaken for its', async () => {
    const { pid } = await backend();
    const id = await written({ ...ELSEWHERE, backend: { pid, start: '2026-01-01T00:00:00.000000Z' } });
    await check();
    expect(await recorded(id)).toMatchObject({ missing: true });
  });

  test('when PostgreSQL restarted in between, the count starts again', async () => {
    const id = await written(ELSEWHERE);
    await db.query(`UPDATE instance SET missing_since = clock_timestamp() - interval '1 hour', missing_under = '2026-01-01T00:00:00.000000Z' WHERE id = $1`, [id]);
    await check();
    const { rows } = await db.query(`SELECT ended_at, clock_timestamp() - missing_since < interval '5 s' AS anew FROM instance WHERE id = $1`, [id]);
    expect(rows[0]).toEqual({ ended_at: null, anew: true });
    await missingFor(id, 10);
    await check();
    expect((await recorded(id)).endedBy).toContain('was gone at two checks');
  });

  test('the same pid on another boot of a host of this name is judged by its backend', async () => {
    const id = await written({ host: HERE.host, space: 'an earlier boot', pid: process.pid, processStart: identityOf()!.startedAt });
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: true });
  });

  test('one that registered again between the check and the verdict is not dead', async () => {
    const id = await written(ELSEWHERE);
    await check();
    await missingFor(id, 60);
    const now = await backend();
    await db.query('UPDATE instance SET backend_pid = $2, backend_start = $3, missing_since = NULL, missing_under = NULL WHERE id = $1', [id, now.pid, now.start]);
    await check();
    expect(await recorded(id)).toMatchObject({ endedBy: null, missing: false });
  });
});

/** A way to the database that can be closed, and can fall dumb without being closed. */
async function way() {
  const target = new URL(database.url);
  const sockets = new Set<Socket>();
  let mode: 'open' | 'closed' | 'dumb' = 'open';
  let attempts = 0;
  const server = createServer((near) => {
    attempts++;
    if (mode === 'closed') return near.destroy();
    const far = connect(Number(target.port || 5432), target.hostname);
    sockets.add(near);
    const born = mode;
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('data', (data) => (mode === 'dumb' && born === 'open' ? undefined : far.write(data)));
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(database.url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    attempts: () => attempts,
    become(next: typeof mode) {
      mode = next;
      if (next === 'closed') for (const socket of sockets) socket.destroy();
    },
    close: () => server.close(),
  };
}

describe('BR-3: a live instance registers again', () => {
  test.concurrent('it is registered with a backend that others find, whatever the time zone of its sessions', async () => {
    const zoned = new URL(database.url);
    zoned.searchParams.set('options', '-c timezone=Asia/Kathmandu');
    const instance = await registerInstance(db, zoned.href);
    await db.query(`UPDATE instance SET host = 'elsewhere', boot_id = 'another boot' WHERE id = $1`, [instance.id]);
    await check();
    expect(await recorded(instance.id)).toMatchObject({ endedBy: null, missing: false });
    await instance.close();
    expect((await recorded(instance.id)).endedBy).toBe(STOPPED);
  });

  test.concurrent('when its backend was terminated it has another within seconds, and a verdict in between is taken back', async () => {
    const instance = await registerInstance(db, database.url);
    const before = await recorded(instance.id);
    await db.query(`UPDATE instance SET ended_at = clock_timestamp(), ended_by = 'a verdict' WHERE id = $1`, [instance.id]);
    await db.query('SELECT pg_terminate_backend(backend_pid) FROM instance WHERE id = $1', [instance.id]);
    await within(9, async () => (await recorded(instance.id)).backend !== before.backend);
    expect(await recorded(instance.id)).toMatchObject({ endedBy: null, missing: false });
    await instance.close();
  });

  test.concurrent('while the database refuses it, it asks twice a second, not ever more often', async () => {
    const path = await way();
    const instance = await registerInstance(db, path.url);
    const before = await recorded(instance.id);
    path.become('closed');
    const end = performance.now() + 3_000;
    await within(9, async () => performance.now() > end);
    expect(path.attempts()).toBeGreaterThan(2);
    expect(path.attempts()).toBeLessThan(9);
    path.become('open');
    await within(9, async () => (await recorded(instance.id)).backend !== before.backend);
    await instance.close();
    path.close();
  });

  test.concurrent('when its connection falls dumb without being closed, it has another before others could hold it for dead', async () => {
    const path = await way();
    const instance = await registerInstance(db, path.url);
    const before = await recorded(instance.id);
    path.become('dumb');
    await within(9.9, async () => (await recorded(instance.id)).backend !== before.backend);
    await instance.close();
    path.become('closed');
    path.close();
  });

  test.concurrent('stopped while its connection is being made anew, it stays ended', async () => {
    const instance = await registerInstance(db, database.url);
    await db.query('SELECT pg_terminate_backend(backend_pid) FROM instance WHERE id = $1', [instance.id]);
    await within(9, async () => (await db.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [`holdfast ${instance.id}`])).rowCount === 0);
    await within(9, async () => (await db.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [`holdfast ${instance.id}`])).rowCount === 1);
    await instance.close();
    await within(9, async () => (await db.query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [`holdfast ${instance.id}`])).rowCount === 0);
    expect((await recorded(instance.id)).endedBy).toBe(STOPPED);
  });
});
