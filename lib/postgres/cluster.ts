import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { canEnter, postgresAccount, type Account } from './account';
import { postgresBinaries, type Binaries } from './binaries';
import { claim, ClaimedError, claimState } from './claim';
import { identityOf } from './process-identity';

/**
 * The embedded PostgreSQL: one real server per data folder, on the loopback address only.
 *
 * A cluster is made once, in a draft folder that is renamed when it is whole. Its port is free at each start, its
 * passwords are random and lie in a file that only this account reads. The server outlives a killed starter; the next
 * starter finds it by its pid file and takes it over. One live process owns a cluster (see claim.ts).
 */
export type Cluster = {
  /** For the app: database `holdfast`, by a role that owns it and is no superuser. */
  url: string;
  /** For maintenance and tests: database `postgres`, by a superuser. */
  adminUrl: string;
  /** False when a server that an earlier process left behind was taken over. */
  started: boolean;
  /**
   * From now on starts the server again, on its port, when its process is gone: killed for its memory, for example.
   * @param tell is given what was found, and the server's own words when it does not start
   */
  keepUp(tell: (message: string) => void): void;
  /** Stops the server (open sessions are cut off) and gives the cluster up. */
  stop(): Promise<void>;
};

export type ClusterOptions = {
  onProgress?: (line: string) => void;
  /** Folder of other PostgreSQL programs (initdb, pg_ctl, postgres), version 15 or later. */
  binDir?: string;
  /** Server settings added to, or in place of, the usual ones. */
  settings?: Record<string, string>;
};

/** Another live process owns the cluster. */
export class ClusterInUseError extends Error {
  constructor(
    dataDir: string,
    readonly pid: number,
  ) {
    super(`The database in ${dataDir} is in use by process ${pid}. Stop that process, or choose another folder with HOLDFAST_DATA_DIR.`);
    this.name = 'ClusterInUseError';
  }
}

type Secrets = { admin: string; app: string };
type Place = { home: string; pgdata: string; log: string; account: Account; binaries: Binaries; secrets: Secrets };

const USUAL_SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};

const OWNER = 'postgres-owner';
const HOME_RECORD = 'postgres.json';
const UNUSED_MS = 60 * 60 * 1000;
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
const READY_TIMEOUT_MS = 60_000;
/** How often the server's process is looked for. */
const LOOK_MS = 2_000;

function run(place: Pick<Place, 'home' | 'account'>, program: string, args: string[]): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      ...place.account,
      cwd: place.home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, LC_ALL: 'C', PGDATA: undefined },
      windowsHide: true,
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', failed);
    // "exit", not "close": a server started by pg_ctl may keep the pipes.
    child.once('exit', (code) => {
      child.stdout.destroy();
      child.stderr.destroy();
      if (code === 0) done();
      else failed(new Error(output.trim() || `${program} ended with code ${code}.`));
    });
  });
}

function own(account: Account, path: string): void {
  if (account.uid !== undefined && account.gid !== undefined) chownSync(path, account.uid, account.gid);
}

/** A folder outside the project that the account can enter, the same for one data folder at every start. */
function refugeOf(dataDir: string): string {
  return `/var/lib/holdfast-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
}

/** Where the cluster of a data folder lies, if apart from it. */
function recordedHome(dataDir: string): string | null {
  const record = join(dataDir, HOME_RECORD);
  return existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as { home: string }).home : null;
}

function locate(dataDir: string, binDir: string | undefined): Omit<Place, 'secrets'> {
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const recorded = recordedHome(dataDir);
  let home = recorded ?? dataDir;
  const account = postgresAccount(join(home, 'postgres', 'data'));
  if (!canEnter(account, home)) {
    home = refugeOf(dataDir);
    mkdirSync(home, { recursive: true, mode: 0o711 });
  }
  if (home !== dataDir && home !== recorded) writeFileSync(join(dataDir, HOME_RECORD), JSON.stringify({ home }, null, 2));
  const folder = join(home, 'postgres');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  own(account, folder);
  return {
    home: folder,
    pgdata: join(folder, 'data'),
    log: join(folder, 'postgres.log'),
    account,
    binaries: postgresBinaries(account, binDir),
  };
}

function loadSecrets(dataDir: string, pgdata: string): Secrets {
  const path = join(dataDir, 'postgres-passwords.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  if (existsSync(pgdata))
    throw new Error(`The passwords of the database in ${pgdata} are missing (${path}). Put that file back from your backup.`);
  const secrets = { admin: randomBytes(24).toString('hex'), app: randomBytes(24).toString('hex') };
  writeFileSync(`${path}.draft`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  renameSync(`${path}.draft`, path);
  return secrets;
}

function majorVersion(place: Place): number {
  const text = execFileSync(place.binaries.postgres, ['--version'], { ...place.account, cwd: place.home, encoding: 'utf8' });
  return Number(/(\d+)/.exec(text)?.[1] ?? 0);
}

async function initialise(place: Place, settings: Record<string, string>): Promise<void> {
  for (const file of readdirSync(place.home)) {
    if (file.startsWith('draft-')) rmSync(join(place.home, file), { recursive: true, force: true });
  }
  const draft = join(place.home, `draft-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${draft}.password`;
  writeFileSync(passwordFile, place.secrets.admin, { mode: 0o600 });
  own(place.account, passwordFile);
  const args = [
    '-D',
    draft,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '-A',
    'scram-sha-256',
    '--data-checksums',
    `--pwfile=${passwordFile}`,
    '--no-instructions',
  ];
  if (settings.fsync === 'off') args.push('--no-sync');
  const locales =
    majorVersion(place) >= 17
      ? [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']]
      : [['--locale=C.UTF-8'], ['--locale=C']];
  try {
    for (const [index, locale] of locales.entries()) {
      try {
        await run(place, place.binaries.initdb, [...args, ...locale]);
        break;
      } catch (error) {
        rmSync(draft, { recursive: true, force: true });
        if (index === locales.length - 1) throw new Error(`The database could not be created: ${(error as Error).message}`);
      }
    }
  } finally {
    rmSync(passwordFile, { force: true });
  }
  writeFileSync(
    join(draft, 'postgresql.conf'),
    `${readFileSync(join(draft, 'postgresql.conf'), 'utf8')}\ninclude_if_exists = 'holdfast.conf'\n`,
  );
  renameSync(draft, place.pgdata);
}

/** The port nobody listens on at the moment; the caller tries another one when it is taken after all. */
function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function settingsText(settings: Record<string, string>): string {
  const line = ([name, value]: [string, string]) => `${name} = '${value.replaceAll("'", "''")}'\n`;
  return Object.entries(settings).map(line).join('');
}

type PidFile = { pid: number; port: number };

function readPidFile(pgdata: string): PidFile | null {
  try {
    const lines = readFileSync(join(pgdata, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, port: Number(lines[3] ?? 0) } : null;
  } catch {
    return null;
  }
}

/** Whether a running process is a PostgreSQL server of this data folder, and no stranger with a recurring pid. */
function isPostmaster(pid: number, pgdata: string): boolean {
  if (!identityOf(pid)) return false;
  try {
    if (process.platform === 'win32') {
      return execFileSync('tasklist', ['/FI', `PID eq ${pid}`, '/NH'], { encoding: 'utf8' })
        .toLowerCase()
        .includes('postgres');
    }
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(pgdata);
  } catch {
    return false;
  }
}

function address(user: string, password: string, port: number, database: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`;
}

/** Connects as superuser once the server accepts it. Null when the process ends first, or refuses us for good. */
async function connectWhenReady(place: Place, pid: number): Promise<{ client: pg.Client; port: number } | null> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (!isPostmaster(pid, place.pgdata)) return null;
    const port = readPidFile(place.pgdata)?.port ?? 0;
    if (port > 0) {
      const client = new pg.Client({ connectionString: address('postgres', place.secrets.admin, port, 'postgres') });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return { client, port };
      } catch (error) {
        await client.end().catch(() => undefined);
        const { code } = error as { code?: string };
        // 57P03: starting up or recovering; ECONNREFUSED: not listening yet.
        if (code !== '57P03' && code !== 'ECONNREFUSED' && code !== 'ECONNRESET') return null;
      }
    }
    // A server that recovers announces its readiness to nobody but its pid file.
    await new Promise((next) => setTimeout(next, 50));
  }
  return null;
}

/** The pid of the server that runs on a data folder, or null. */
function runningPid({ pgdata }: Place): number | null {
  const file = readPidFile(pgdata);
  return file && isPostmaster(file.pid, pgdata) ? file.pid : null;
}

async function halt(place: Place): Promise<void> {
  const pid = runningPid(place);
  if (pid === null) return;
  await run(place, place.binaries.pgCtl, ['-D', place.pgdata, '-m', 'fast', '-w', '-t', '60', 'stop']).catch((error) => {
    if (isPostmaster(pid, place.pgdata)) throw error;
  });
}

/** Starts the server as it is set, and waits until it is up. */
const launch = (place: Place): Promise<void> => run(place, place.binaries.pgCtl, ['-D', place.pgdata, '-l', place.log, '-w', '-t', '60', 'start']);

async function start(place: Place, settings: string, confFile: string): Promise<void> {
  if (existsSync(place.log) && statSync(place.log).size > LOG_LIMIT_BYTES) truncateSync(place.log);
  for (let attempt = 1; ; attempt += 1) {
    const logged = existsSync(place.log) ? statSync(place.log).size : 0;
    writeFileSync(confFile, `${settings}port = ${await freePort()}\n`, { mode: 0o600 });
    own(place.account, confFile);
    try {
      await launch(place);
      return;
    } catch {
      const tail = existsSync(place.log) ? readFileSync(place.log).subarray(logged).toString() : '';
      if (attempt < 5 && /address already in use/i.test(tail)) continue;
      throw new Error(`The database did not start. The end of ${place.log}:\n${tail.trim().split('\n').slice(-15).join('\n')}`);
    }
  }
}

/**
 * Looks for the server now and then. The pid file of one that was killed stays: by it the next makes sure that no session of the old one
 * still writes. @returns ends the looking, once a start under way is done
 */
function watchOver(place: Place, tell: (message: string) => void): () => Promise<void> {
  const ending = new AbortController();
  const watching = (async () => {
    for (;;) {
      await pause(LOOK_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      if (ending.signal.aborted) return;
      if (runningPid(place) !== null) continue;
      tell('The database is down. It is started again.');
      try {
        await launch(place);
        tell('The database is up again.');
      } catch (error) {
        if (runningPid(place) === null) tell(`The database did not start: see ${place.log}. ${(error as Error).message.split('\n').at(-1)}`);
      }
    }
  })();
  return () => {
    ending.abort();
    return watching;
  };
}

async function furnish(client: pg.Client, secrets: Secrets): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast') AS role, EXISTS (SELECT FROM pg_database WHERE datname = 'holdfast') AS database",
  );
  if (!rows[0]?.role) await client.query(`CREATE ROLE holdfast LOGIN PASSWORD ${client.escapeLiteral(secrets.app)}`);
  if (!rows[0]?.database) {
    await client.query('CREATE DATABASE holdfast OWNER holdfast');
    await client.query('REVOKE CONNECT ON DATABASE holdfast FROM PUBLIC');
  }
}

/**
 * Brings up the cluster of a data folder: makes it when there is none, starts it when it is down, takes over the one
 * that a killed process left running.
 * @throws ClusterInUseError while another live process owns it; Error with the server's own words when it cannot start.
 */
export async function ensureCluster(dataDir: string, options: ClusterOptions = {}): Promise<Cluster> {
  const folder = resolve(dataDir);
  const progress = options.onProgress ?? (() => undefined);
  const located = locate(folder, options.binDir);
  let ownership;
  try {
    ownership = claim(dirname(located.home), OWNER, null);
  } catch (error) {
    if (error instanceof ClaimedError) throw new ClusterInUseError(folder, error.owner.pid);
    throw error;
  }
  try {
    const place: Place = { ...located, secrets: loadSecrets(folder, located.pgdata) };
    const wanted = { ...USUAL_SETTINGS, ...options.settings };
    const settings = settingsText(wanted);
    const confFile = join(place.pgdata, 'holdfast.conf');
    if (!existsSync(place.pgdata)) {
      progress('Creating the database (once)');
      await initialise(place, wanted);
    }

    let started = false;
    let running = readPidFile(place.pgdata);
    if (running && !isPostmaster(running.pid, place.pgdata)) {
      // PostgreSQL would take a stranger with this pid for its own server, and refuse to start.
      rmSync(join(place.pgdata, 'postmaster.pid'), { force: true });
      running = null;
    }
    const current = existsSync(confFile) ? readFileSync(confFile, 'utf8').replace(/^port = \d+\n/m, '') : '';
    if (running && current !== settings) {
      await halt(place);
      running = null;
    }
    let session = running ? await connectWhenReady(place, running.pid) : null;
    if (!session) {
      progress('Starting the database');
      await halt(place);
      await start(place, settings, confFile);
      started = true;
      const pid = readPidFile(place.pgdata)?.pid;
      session = pid ? await connectWhenReady(place, pid) : null;
    }
    if (!session) throw new Error(`The database started but refused its own administrator. See ${place.log}.`);
    try {
      await furnish(session.client, place.secrets);
    } finally {
      await session.client.end();
    }
    let stopping: Promise<void> | undefined;
    let endWatch = async () => undefined as void;
    const release = () => ownership.release();
    return {
      url: address('holdfast', place.secrets.app, session.port, 'holdfast'),
      adminUrl: address('postgres', place.secrets.admin, session.port, 'postgres'),
      started,
      keepUp: (tell) => void (endWatch = watchOver(place, tell)),
      stop: () =>
        (stopping ??= endWatch()
          .then(() => halt(place))
          .finally(release)),
    };
  } catch (error) {
    ownership.release();
    throw error;
  }
}

/** Removes a data folder and, where it lies apart, its stopped cluster. */
export function removeClusterFolder(dataDir: string): void {
  const apart = recordedHome(resolve(dataDir));
  if (apart) rmSync(apart, { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/** A new folder for a short-lived cluster, below `parent`, that the database's account can enter. */
export function temporaryClusterFolder(parent: string, prefix: string): string {
  const folder = join(parent, `${prefix}${randomBytes(6).toString('hex')}`);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
  return folder;
}

/** Stops and removes the short-lived clusters below `parent` whose owners were killed, and folders that nobody has used for an hour. */
export async function removeAbandonedClusters(parent: string, prefix: string): Promise<void> {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(parent, name);
    const state = claimState(recordedHome(folder) ?? folder, OWNER);
    if (state === 'live' || (state === 'free' && Date.now() - statSync(folder).mtimeMs < UNUSED_MS)) continue;
    try {
      if (state === 'abandoned') await (await ensureCluster(folder)).stop();
    } catch (error) {
      if (error instanceof ClusterInUseError) continue;
      // One that cannot start has nothing left to stop.
    }
    removeClusterFolder(folder);
  }
}
