import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** A database of its own for one test file: migrated, otherwise empty. */
export type TestDatabase = {
  url: string;
  pool: pg.Pool;
  /** Ends the pool and drops the database, cutting off whoever is still connected. */
  close(): Promise<void>;
};

async function asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: inject('adminUrl') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const BUSY = '55006';
const ATTEMPTS = 200;

/** Copies the template. Call it in `beforeAll`, and `close` in `afterAll`. `size` is the pool's largest number of connections. */
export async function testDatabase({ size = 10 }: { size?: number } = {}): Promise<TestDatabase> {
  const template = new URL(inject('templateUrl'));
  const name = `holdfast_test_${randomBytes(6).toString('hex')}`;
  await asAdmin(async (admin) => {
    const owner = admin.escapeIdentifier(decodeURIComponent(template.username));
    for (let attempt = 1; ; attempt += 1) {
      try {
        await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template.pathname.slice(1)} OWNER ${owner}`);
        return;
      } catch (error) {
        // Somebody is connected to the template (autovacuum, for one). PostgreSQL itself waits up to five seconds for them.
        if ((error as { code?: string }).code !== BUSY || attempt === ATTEMPTS) throw error;
      }
    }
  });
  template.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: template.href, max: size });
  // A connection that a test terminates on purpose while it is idle.
  pool.on('error', () => undefined);
  return {
    url: template.href,
    pool,
    close: async () => {
      await pool.end();
      await asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}
