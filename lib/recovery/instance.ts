/**
 * BR-3: this server instance, as others can judge it: host, boot, process, and a database
 * connection of its own, named by backend pid and backend start. One loop keeps the connection:
 * it asks after it every few seconds, makes it anew when it is lost, and records the new
 * backend at once, well within the ten seconds after which others would hold it for dead.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { rows, statement, type Db } from '../db/pool';
import { log } from '../log';
import { identityOf, processSpace } from '../postgres/process-identity';

const RECONNECT_MS = 500;
const PING_MS = 3_000;
/** A connection attempt, and an answer on the connection, take this long at most. */
const PATIENCE_MS = 3_000;

const REGISTER = statement(`
  INSERT INTO instance (id, host, boot_id, pid, process_start, backend_pid, backend_start, started_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET backend_pid = excluded.backend_pid, backend_start = excluded.backend_start, missing_since = NULL, missing_under = NULL,
    ended_at = NULL, ended_by = NULL`);
const END = statement(`UPDATE instance SET ended_at = clock_timestamp(), ended_by = $2 WHERE id = $1 AND ended_at IS NULL`);
// As text in UTC: sessions differ in their time zones.
const BACKEND = 'SELECT pid, iso(backend_start) AS start FROM pg_stat_activity WHERE pid = pg_backend_pid()';

/** How an instance that stopped in good order has ended: its passes are parked (BR-4). */
export const STOPPED = 'stopped';

export type Registered = {
  id: string;
  /** Parks this instance's passes for others to adopt, and ends it in good order. */
  close(): Promise<void>;
};

/** Connects, and records the connection's backend as the instance's. Leaves nothing open when it fails. */
async function connectAs(id: string, databaseUrl: string): Promise<pg.Client> {
  const identity = identityOf();
  if (!identity) throw new Error('this process cannot be identified');
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `holdfast ${id}`,
    keepAlive: true,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const [backend] = (await client.query<{ pid: number; start: string }>(BACKEND)).rows;
    if (!backend) throw new Error('this connection is not in pg_stat_activity');
    await rows(client, REGISTER, [id, hostname(), processSpace(), identity.pid, identity.startedAt, backend.pid, backend.start]);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** Resolves when the connection is lost, or does not answer any more, or `stopping` aborts. */
async function untilLost(client: pg.Client, stopping: AbortSignal): Promise<void> {
  const ended = new AbortController();
  client.once('end', () => ended.abort());
  const interrupted = AbortSignal.any([stopping, ended.signal]);
  while (!interrupted.aborted) {
    await sleep(PING_MS, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return;
    try {
      await client.query('SELECT 1');
    } catch {
      return;
    }
  }
}

/** Registers this process as a new instance. */
export async function registerInstance(db: Db, databaseUrl: string): Promise<Registered> {
  const id = randomUUID();
  const stopping = new AbortController();
  const { signal } = stopping;
  const first = await connectAs(id, databaseUrl);

  const keepConnected = async (): Promise<void> => {
    let client: pg.Client | undefined = first;
    while (!signal.aborted) {
      if (client) {
        await untilLost(client, signal);
        client.end().catch(() => undefined);
      }
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      client = await connectAs(id, databaseUrl).catch((error: Error) => {
        log.warn({ event: 'instance-connection-lost', message: error.message });
        return undefined;
      });
    }
    client?.end().catch(() => undefined);
  };
  const kept = keepConnected();
  let closing: Promise<void> | undefined;
  return {
    id,
    close: () =>
      (closing ??= (async () => {
        stopping.abort();
        // Nothing registers any more once the loop is over: the end is the last word.
        await kept;
        await rows(db, END, [id, STOPPED]);
      })()),
  };
}
