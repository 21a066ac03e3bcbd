import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { register } from '../instrumentation';
import { runningStep } from './db/phase';
import { openRuntime, setRuntime } from './runtime';
import { testDatabase, type TestDatabase } from './testing/database';
import { within } from './testing/lives';

let database: TestDatabase;
let folder: string;
const before = { ...process.env };
beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-boot-'));
  Object.assign(process.env, { DATABASE_URL: database.url, HOLDFAST_DATA_DIR: folder, NEXT_RUNTIME: 'nodejs' });
});
afterAll(async () => {
  process.env = before;
  await database.close();
  await rm(folder, { recursive: true });
});

const RUNTIME = Symbol.for('holdfast.runtime');
const instances = async (): Promise<{ endedBy: string | null }[]> => (await database.pool.query(`SELECT ended_by AS "endedBy" FROM instance`)).rows;

test('BR-1: Next’s hook begins no recovery where the custom server has, while pages are built, at the edge, or without a database', async () => {
  const runtime = setRuntime(openRuntime(database.url, { max: 1 }));
  await register();
  await runtime.close();
  Reflect.deleteProperty(globalThis, RUNTIME);
  for (const [name, value] of [['NEXT_PHASE', 'phase-production-build'], ['NEXT_RUNTIME', 'edge'], ['DATABASE_URL', '']] as const) {
    const was = process.env[name];
    process.env[name] = value;
    await register();
    if (was === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = was;
  }
  expect(await instances()).toEqual([]);
});

test('BR-1, BR-4: on a host without the custom server it begins one, once, and a SIGTERM parks what that instance hosts', async () => {
  const handlers = new Set(process.listeners('SIGTERM'));
  await Promise.all([register(), register()]);
  await register();
  expect(await instances()).toEqual([{ endedBy: null }]);
  await within(10, async () => runningStep() === undefined);
  const [stop, ...more] = process.listeners('SIGTERM').filter((handler) => !handlers.has(handler));
  expect(more).toEqual([]);
  stop!('SIGTERM');
  await within(10, async () => (await instances())[0]!.endedBy === 'stopped');
  const gone = new pg.Client({ connectionString: database.url });
  await gone.connect();
  await within(10, async () => (await gone.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'holdfast%'`)).rowCount === 0);
  await gone.end();
});
