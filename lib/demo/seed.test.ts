import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createContainer } from '../containers/create';
import { readContainers } from '../containers/read';
import { createPool, type Db } from '../db/pool';
import { issueTokenByName } from '../tokens/issue-by-name';
import { findPrincipal } from '../principals/read';
import { verifyRegister } from '../register/verify';
import { startRecovery, type Recovering } from '../recovery/run';
import { testDatabase, type TestDatabase } from '../testing/database';
import { demoAccounts } from './accounts';
import { seedDemo } from './seed';
import { leaveDemoOut } from './stage';
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
  const accounts = await demoAccounts(db, folder);
  expect(new Set(accounts.map((a) => a.password)).size).toBe(accounts.length);
  expect((await stat(join(folder, 'demo-accounts.json'))).mode & 0o777).toBe(0o600);
  const before = await readFile(join(folder, 'demo-accounts.json'), 'utf8');
  await seedDemo(db, folder, Promise.resolve());
  expect(await readFile(join(folder, 'demo-accounts.json'), 'utf8')).toBe(before);
});

test('the accounts of another database’s demo are not told', async () => {
  const other = await testDatabase();
  const theirs = createPool(other.url);
  try {
    expect(await demoAccounts(db, folder)).toHaveLength(5);
    expect(await demoAccounts(theirs, folder)).toEqual([]);
  } finally {
    await theirs.end();
    await other.close();
  }
});

describe('a first start', () => {
  let other: TestDatabase;
  let theirs: Db;
  let place: string;
  let recovering: Recovering;
  beforeEach(async () => {
    other = await testDatabase();
    theirs = createPool(other.url);
    place = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
    recovering = await startRecovery(theirs, other.url);
    await recovering.done;
  });
  afterEach(async () => {
    await recovering.close();
    await theirs.end();
    await other.close();
    await rm(place, { recursive: true });
  });
  const slugs = async () => (await readContainers(theirs, viewer, {}, { limit: 50 })).items.map((c) => c.slug).sort();

  test('that was cut short is gone on with: nobody’s password is lost, every container comes to be, none keeps a short term', async () => {
    const cut = Promise.reject(new Error('cut short'));
    cut.catch(() => undefined);
    await expect(seedDemo(theirs, place, cut)).rejects.toThrow('cut short');
    const olga = (await findPrincipal(theirs, 'Olga'))!;
    await createContainer(theirs, olga.id, { slug: 'harbour-survey', title: 'Harbour survey', prefix: 'HS', termSeconds: 1 });
    const planned = await readFile(join(place, 'demo-accounts.json'), 'utf8');
    expect(await demoAccounts(theirs, place)).toEqual([]);

    await seedDemo(theirs, place, Promise.resolve());
    expect(await readFile(join(place, 'demo-accounts.json'), 'utf8')).toBe(planned);
    expect(await demoAccounts(theirs, place)).toHaveLength(5);
    expect(await slugs()).toEqual(Object.keys(CONTAINERS).sort());
    const { rows } = await theirs.query('SELECT 1 FROM container WHERE term_seconds < 60');
    expect(rows).toEqual([]);
  });

  test('while a token was made for somebody has its demo, and leaves that somebody alone', async () => {
    const { token } = await issueTokenByName(theirs, { name: 'Ann', role: 'operator', kind: 'agent' });
    expect(token).toMatch(/^hf_/);
    await seedDemo(theirs, place, Promise.resolve());
    expect((await demoAccounts(theirs, place)).map((a) => a.name)).toContain('Ann (demo)');
    expect(await slugs()).toEqual(Object.keys(CONTAINERS).sort());
    const { rows } = await theirs.query("SELECT role FROM principal WHERE name = 'Ann'");
    expect(rows).toEqual([{ role: 'operator' }]);
  });

  test('that left the demo out decides for later ones, until it is asked for', async () => {
    await leaveDemoOut(theirs);
    await seedDemo(theirs, place, Promise.resolve());
    expect(await slugs()).toEqual([]);
    await seedDemo(theirs, place, Promise.resolve(), true);
    expect(await slugs()).toEqual(Object.keys(CONTAINERS).sort());
  });
});
