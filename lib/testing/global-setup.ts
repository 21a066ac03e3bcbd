import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { ensureCluster, removeAbandonedClusters, removeClusterFolder, temporaryClusterFolder, type Cluster } from '../postgres/cluster';
import { migrate } from '../postgres/migrate';

const PREFIX = 'holdfast-test-';

declare module 'vitest' {
  interface ProvidedContext {
    /** A role that may create and drop databases; database `postgres` or the like. */
    adminUrl: string;
    /** The role under test, on the template database. */
    templateUrl: string;
  }
}

function onDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

async function createTemplate(adminUrl: string, appUrl: string, name: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${name} OWNER ${admin.escapeIdentifier(decodeURIComponent(new URL(appUrl).username))}`);
  } finally {
    await admin.end();
  }
  await migrate(onDatabase(appUrl, name));
}

/**
 * Brings up PostgreSQL for a test run and makes the migrated template that `testDatabase` copies. `TEST_DATABASE_URL`
 * (a role that may create databases) takes the place of the embedded server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const template = given ? `holdfast_template_${randomBytes(4).toString('hex')}` : 'holdfast_template';
  let cluster: Cluster | null = null;
  let folder = '';
  if (!given) {
    await removeAbandonedClusters(tmpdir(), PREFIX);
    folder = temporaryClusterFolder(tmpdir(), PREFIX);
    // Tests need the rules of a real server, not its promise to survive a power cut.
    cluster = await ensureCluster(folder, { settings: { fsync: 'off', full_page_writes: 'off' } });
  }
  const adminUrl = given ?? cluster?.adminUrl ?? '';
  const appUrl = given ?? cluster?.url ?? '';
  const teardown = async () => {
    if (cluster) {
      await cluster.stop();
      removeClusterFolder(folder);
      return;
    }
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    await admin.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`).finally(() => admin.end());
  };
  try {
    await createTemplate(adminUrl, appUrl, template);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('adminUrl', adminUrl);
  project.provide('templateUrl', onDatabase(appUrl, template));
  return teardown;
}
