/**
 * BR-3: this server instance, as others can judge it: host, boot, process, and a database
 * connection of its own, named by backend pid and backend start. The connection is kept, made
 * anew when it is lost, and its new backend recorded at once.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import pg from 'pg';
import { rows, statement, type Db } from '../db/pool';
import { log } from '../log';
import { identityOf } from '../postgres/process-identity';

const RECONNECT_MS = 500;

const REGISTER = statement(`
  INSERT INTO instance (id, host, boot_id, pid, process_start, backend_pid, backend_start, started_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET backend_pid = excluded.backend_pid, backend_start = excluded.backend_start, missing_since = NULL, missing_under = NULL,
    ended_at = NULL, ended_by = NULL`);
const END = statement(`UPDATE instance SET ended_at = clock_timestamp(), ended_by = $2 WHERE id = $1 AND ended_at IS NULL`);
const BACKEND = 'SELECT pg_backend_pid() AS pid, backend_start::text AS start FROM pg_stat_activity WHERE pid = pg_backend_pid()';

/** How an instance that stopped in good order has ended: its passes are parked (BR-4). */
export const STOPPED = 'stopped';

export type Registered = {
  id: string;
  /** Parks this instance's passes for others to adopt, and ends it in good order. */
  close(): Promise<void>;
};

/** Registers this process as a new instance. */
export async function registerInstance(db: Db, databaseUrl: string): Promise<Registered> {
  const id = randomUUID();
  const identity = identityOf();
  if (!identity) throw new Error('this process cannot be identified');
  let closed = false;
  let connection: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = async () => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: `holdfast ${id}`, keepAlive: true });
    client.on('error', () => undefined);
    client.once('end', () => {
      if (!closed) retry();
    });
    await client.connect();
    const { rows: found } = await client.query<{ pid: number; start: string }>(BACKEND);
    const [backend] = found;
    if (!backend) throw new Error('this connection is not in pg_stat_activity');
    await rows(client, REGISTER, [id, hostname(), identity.boot, identity.pid, identity.startedAt, backend.pid, backend.start]);
    connection = client;
  };
  const retry = () => {
    connection = undefined;
    timer = setTimeout(() => {
      connect().catch((error: Error) => {
        log.warn({ event: 'instance-connection-lost', message: error.message });
        if (!closed) retry();
      });
    }, RECONNECT_MS);
  };
  await connect();
  return {
    id,
    async close() {
      closed = true;
      clearTimeout(timer);
      await rows(db, END, [id, STOPPED]);
      await connection?.end();
    },
  };
}
