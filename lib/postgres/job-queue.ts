import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';

const silent = new Logger(() => () => undefined);

/**
 * Brings the job queue's tables, in its schema `graphile_worker`, to the form that its library
 * needs; a look where they have it. Several processes may do so at once.
 */
export async function installJobQueue(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 1, application_name: 'holdfast migrations' });
  const ignored = () => undefined; // told by the statement that fails
  pool.on('error', ignored);
  pool.on('connect', (client) => void client.on('error', ignored));
  try {
    await runMigrations({ pgPool: pool, logger: silent });
  } finally {
    await pool.end();
  }
}
