import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readContainers } from '../containers/read';
import { createPool, type Db } from '../db/pool';
import { verifyRegister } from '../register/verify';
import { startRecovery, type Recovering } from '../recovery/run';
import { testDatabase, type TestDatabase } from '../testing/database';
import { demoAccounts, seedDemo } from './seed';
import { CONTAINERS } from './texts';

let database: TestDatabase;
let db: Db;
let folder: string;
let recovery: Recovering;
beforeAll(async () => {
  database = await testDatabase();
  db = createPool(database.url);
  folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  recovery = await startRecovery(db, database.url);
  await seedDemo(db, folder, recovery.done);
});
afterAll(async () => {
  await recovery.close();
  await db.end();
  await database.close();
  await rm(folder, { recursive: true });
});

const viewer = { id: '00000000-0000-4000-8000-000000000000', name: 'x', kind: 'person', role: 'reader' } as const;

test('the demo shows a container in every state', async () => {
  const { items } = await readContainers(db, viewer, {}, { limit: 50 });
  const states = Object.fromEntries(items.map((c) => [c.slug, [c.badge, c.caution]]));
  expect(states).toEqual({
    'field-handbook': ['OPEN', false],
    glossary: ['HELD', false],
    'chart-index': ['HANDOVER', false],
    'harbour-survey': ['HOLDER SILENT', true],
    'tide-tables': ['HELD', true],
  });
});

test('the demo’s registers verify', async () => {
  for (const slug of Object.keys(CONTAINERS)) expect(await verifyRegister(db, slug, viewer)).toMatchObject({ ok: true });
});

test('passwords are random, kept for the owner alone, and a second seeding does nothing', async () => {
  const accounts = await demoAccounts(folder);
  expect(new Set(accounts.map((a) => a.password)).size).toBe(accounts.length);
  expect((await stat(join(folder, 'demo-accounts.json'))).mode & 0o777).toBe(0o600);
  const before = await readFile(join(folder, 'demo-accounts.json'), 'utf8');
  await seedDemo(db, folder, Promise.resolve());
  expect(await readFile(join(folder, 'demo-accounts.json'), 'utf8')).toBe(before);
});
