import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPool, type Db } from '../lib/db/pool';
import { claimant } from '../lib/postgres/claim';
import { ClusterInUseError, ensureCluster } from '../lib/postgres/cluster';
import { migrate, shutOut } from '../lib/postgres/migrate';
import { isProblem } from '../lib/problems';
import { dataFolder } from './setup/paths.mjs';

type Work<T> = (db: Db) => Promise<T>;

async function on<T>(url: string, work: Work<T>): Promise<T> {
  await migrate(url);
  const db = createPool(url, { max: 2 });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/** The data folder's database belongs to another process, which does not let anyone in. */
export class NoAnswerError extends Error {}

const PATIENCE_MS = 60_000;
const RETRY_MS = 250;

/** Where the cluster of a data folder listens while another process owns it, or null while it does not. */
function runningUrl(dataDir: string): string | null {
  try {
    const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
    const record = join(dataDir, 'postgres.json');
    const home = existsSync(record) ? (json(record).home ?? dataDir) : dataDir;
    const port = Number(readFileSync(join(home, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n')[3]);
    return port > 0 ? `postgresql://holdfast:${json(join(dataDir, 'postgres-passwords.json')).app}@127.0.0.1:${port}/holdfast` : null;
  } catch {
    return null;
  }
}

/** Whether a database that is starting or stopping may explain the error. */
function mayPass(error: unknown): boolean {
  if (isProblem(error)) return error.code === 'busy';
  const { code, message } = error as { code?: string; message?: string };
  return /^(ECONN|57P0|3D000|28P01)/.test(code ?? '') || /Connection terminated|ECONNREFUSED|ECONNRESET|shutting down|starting up/.test(message ?? '');
}

/** Whether a live `npm start` is on its way: a first one builds for minutes, so patience begins after it. */
const isStarting = (dataDir: string): boolean => claimant<{ address: string | null }>(dataDir, 'server')?.details?.address === null;

/** One try on the data folder's own database: through the running one, else on one started for this. Null when it is worth another. */
async function tryEmbedded<T>(dataDir: string, work: Work<T>): Promise<{ result: T } | null> {
  // A server that is just starting must find the cluster free.
  if (!claimant(dataDir, 'server')) {
    try {
      const cluster = await ensureCluster(dataDir);
      try {
        return { result: await on(cluster.url, work) };
      } finally {
        if (cluster.started) await cluster.stop();
      }
    } catch (error) {
      if (!(error instanceof ClusterInUseError)) throw error;
    }
  }
  const url = runningUrl(dataDir);
  if (!url) return null;
  try {
    return { result: await on(url, work) };
  } catch (error) {
    if (mayPass(error)) return null;
    throw error;
  }
}

/**
 * Does a command's work on the database: yours (`DATABASE_URL`), else the data folder's own,
 * through the running one, or on one started for this.
 * @throws NoAnswerError, MigrationError, and what the work throws
 */
export async function withDatabase<T>(work: Work<T>): Promise<T> {
  const url = process.env.DATABASE_URL;
  if (url) {
    return on(url, work).catch((error: unknown) => {
      throw shutOut(url, error) ?? error;
    });
  }
  const dataDir = dataFolder();
  let deadline = Date.now() + PATIENCE_MS;
  let told = false;
  for (;;) {
    const done = await tryEmbedded(dataDir, work);
    if (done) return done.result;
    if (isStarting(dataDir)) {
      if (!told) console.error('Holdfast is starting; waiting for it.');
      told = true;
      deadline = Date.now() + PATIENCE_MS;
    }
    if (Date.now() > deadline) throw new NoAnswerError(`The database in ${dataDir} belongs to another process and does not answer.`);
    await pause(RETRY_MS);
  }
}
