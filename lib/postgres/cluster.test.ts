import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ensureCluster, removeAbandonedClusters, removeClusterFolder, temporaryClusterFolder, type Cluster } from './cluster';

const settings = { fsync: 'off' };
const MODULE = fileURLToPath(new URL('./cluster.ts', import.meta.url));

/** Another process that brings the cluster up, says so, and waits. */
async function starter(folder: string): Promise<{ child: ChildProcess; answer: { url?: string; error?: string } }> {
  const code = `
    const { ensureCluster } = await import(${JSON.stringify(MODULE)});
    const answer = await ensureCluster(${JSON.stringify(folder)}, { settings: ${JSON.stringify(settings)} }).catch((error) => ({ error: error.name }));
    process.send({ url: answer.url, error: answer.error });
    process.on("message", () => undefined);
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [answer] = (await once(child, 'message')) as [{ url?: string; error?: string }];
  return { child, answer };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const passwordOf = (cluster: Cluster) => new URL(cluster.url).password;

describe('the embedded cluster', () => {
  let folder: string;
  beforeAll(() => {
    folder = temporaryClusterFolder(tmpdir(), 'holdfast-cluster-');
  });
  afterAll(async () => {
    const cluster = await ensureCluster(folder, { settings });
    await cluster.stop();
    removeClusterFolder(folder);
  });

  it('is made after an initialisation that was cut off, with a role that is no superuser, in UTC and UTF-8', async () => {
    const aside = join(folder, 'postgres', 'draft-cut');
    mkdirSync(aside, { recursive: true });
    writeFileSync(join(aside, 'PG_VERSION'), '18');
    const cluster = await ensureCluster(folder, { settings });
    try {
      expect(cluster.started).toBe(true);
      const [facts] = await query(
        cluster.url,
        `SELECT current_setting('TimeZone') AS zone, current_setting('server_encoding') AS encoding, current_setting('data_checksums') AS checksums,
          (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS super, current_database() AS database, lower('Ä') AS lower`,
      );
      expect(facts).toEqual({ zone: 'UTC', encoding: 'UTF8', checksums: 'on', super: false, database: 'holdfast', lower: 'ä' });
      await query(cluster.url, 'CREATE EXTENSION btree_gist');
      expect(readdirSync(join(folder, 'postgres')).filter((name) => name.startsWith('draft-'))).toEqual([]);
      expect(statSync(join(folder, 'postgres-passwords.json')).mode & 0o777).toBe(0o600);
    } finally {
      await cluster.stop();
    }
  });

  it('keeps data and passwords over a restart, and is refused to a second starter while one owns it', async () => {
    const first = await ensureCluster(folder, { settings });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const second = await starter(folder);
    await kill(second.child);
    expect(second.answer).toEqual({ error: 'ClusterInUseError' });
    await first.stop();

    const again = await ensureCluster(folder, { settings });
    try {
      expect(passwordOf(again)).toBe(passwordOf(first));
      expect(await query(again.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    } finally {
      await again.stop();
    }
  });

  it('is taken over, still running, from a starter that was killed', async () => {
    const { child, answer } = await starter(folder);
    await kill(child);
    const cluster = await ensureCluster(folder, { settings });
    expect(cluster.started).toBe(false);
    expect(cluster.url).toBe(answer.url);
    await cluster.stop();
    await expect(query(cluster.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('is started again, on its port and with what was committed, when its process was killed, until it is stopped', async () => {
    const cluster = await ensureCluster(folder, { settings: {} });
    const pid = () => Number(readFileSync(join(folder, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
    const told: string[] = [];
    cluster.keepUp((message) => told.push(message));
    try {
      await query(cluster.url, 'CREATE TABLE survivor AS SELECT 1 AS n');
      for (let times = 1; times <= 2; times++) {
        process.kill(pid(), 'SIGKILL');
        await vi.waitFor(async () => expect(await query(cluster.url, 'SELECT n FROM survivor')).toEqual([{ n: 1 }]), { timeout: 15_000, interval: 200 });
      }
      await vi.waitFor(() => expect(told.filter((message) => message === 'The database is up again.')).toHaveLength(2));
      process.kill(pid(), 'SIGKILL');
    } finally {
      await cluster.stop();
    }
    await new Promise((next) => setTimeout(next, 3_000));
    await expect(query(cluster.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  }, 60_000);

  it('is removed once its owner was killed, if it was a short-lived one', async () => {
    const parent = temporaryClusterFolder(tmpdir(), 'holdfast-abandoned-');
    const abandoned = temporaryClusterFolder(parent, 'try-');
    const untouched = temporaryClusterFolder(parent, 'try-');
    const { child, answer } = await starter(abandoned);
    await kill(child);
    await removeAbandonedClusters(parent, 'try-');
    expect(readdirSync(parent)).toEqual([basename(untouched)]);
    await expect(query(answer.url ?? '', 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
    rmSync(parent, { recursive: true, force: true });
  });

  it("starts over a pid file that names a stranger's process, as after a restart of the machine", async () => {
    writeFileSync(
      join(folder, 'postgres', 'data', 'postmaster.pid'),
      `${process.pid}\n${join(folder, 'postgres', 'data')}\n1\n5432\n\n127.0.0.1\n`,
    );
    const cluster = await ensureCluster(folder, { settings });
    expect(cluster.started).toBe(true);
    await cluster.stop();
  });

  it('applies changed settings to a server that was left running', async () => {
    const { child } = await starter(folder);
    await kill(child);
    const cluster = await ensureCluster(folder, { settings: { ...settings, work_mem: '5MB' } });
    try {
      expect(await query(cluster.url, 'SHOW work_mem')).toEqual([{ work_mem: '5MB' }]);
    } finally {
      await cluster.stop();
    }
  });

  it('listens on the loopback address alone, and wants a password', async () => {
    const cluster = await ensureCluster(folder, { settings });
    try {
      const { port, hostname } = new URL(cluster.url);
      expect(hostname).toBe('127.0.0.1');
      const others = Object.values(networkInterfaces())
        .flatMap((entries) => entries ?? [])
        .filter((entry) => entry.family === 'IPv4' && !entry.internal);
      for (const { address } of others) {
        const socket = connect(Number(port), address);
        const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
        expect(error.code).toBe('ECONNREFUSED');
      }
      expect(await query(cluster.adminUrl, 'SHOW unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
      const wrong = cluster.url.replace(passwordOf(cluster), 'guess');
      await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
      expect(readFileSync(join(folder, 'postgres', 'data', 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#].*\btrust$/m);
    } finally {
      await cluster.stop();
    }
  });
});
