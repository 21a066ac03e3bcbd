/**
 * Hears the hints of all instances, on one database connection of its own. The connection is
 * made anew when it is lost, and what may have been missed meanwhile is made good by a resync.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { CHANNEL, hintOf, type Hint } from '../db/hints';
import { log } from '../log';

const RECONNECT_MS = 500;
const PATIENCE_MS = 5_000;

export type Listener = { close(): Promise<void> };

/**
 * Listens until closed.
 * @param heard for each hint
 * @param resync after each connection that was made anew: anything may have changed
 */
export function listen(databaseUrl: string, heard: (hint: Hint) => void, resync: () => void): Listener {
  const closing = new AbortController();
  let current: pg.Client | undefined;

  const once = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'holdfast hints', keepAlive: true, connectionTimeoutMillis: PATIENCE_MS });
    current = client;
    const lost = new Promise<void>((done) => client.once('end', done));
    client.on('error', () => undefined);
    client.on('notification', (message) => heard(hintOf(message.payload)));
    try {
      await client.connect();
      if (closing.signal.aborted) return;
      await client.query(`LISTEN ${CHANNEL}`);
      resync();
      await lost;
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const running = (async () => {
    while (!closing.signal.aborted) {
      await once().catch((error: Error) => log.warn({ event: 'hints-not-heard', message: error.message }));
      await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  })();

  return {
    async close() {
      closing.abort();
      await current?.end().catch(() => undefined);
      await running;
    },
  };
}
