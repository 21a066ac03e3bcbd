import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database';
import { markRolledBack, migrate, MigrationError, shutOut } from './migrate';
import { schemaDifference } from './schema-engine';

describe('migrate', () => {
  let db: TestDatabase;
  let folder: string;
  const add = (name: string, sql: string) => {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  };

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    folder = mkdtempSync(join(tmpdir(), 'holdfast-migrations-'));
    writeFileSync(join(folder, 'migration_lock.toml'), 'provider = "postgresql"\n');
    add('20250101000000_first', 'CREATE TABLE things (n int);\n');
    return () => rmSync(folder, { recursive: true, force: true });
  });

  it('applies each migration once, in order', async () => {
    add('20250102000000_second', 'ALTER TABLE things ADD COLUMN m int;\n');
    expect(await migrate(db.url, { folder })).toEqual(['20250101000000_first', '20250102000000_second']);
    expect(await migrate(db.url, { folder })).toEqual([]);
    add('20250103000000_third', 'ALTER TABLE things ADD COLUMN k int;\n');
    expect(await migrate(db.url, { folder })).toEqual(['20250103000000_third']);
  });

  it('sends a script whole: semicolons in functions, comments and texts do not cut it', async () => {
    add(
      '20250102000000_function',
      "-- one; two\nCREATE FUNCTION five() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 'a;b'; END $$;\n",
    );
    await migrate(db.url, { folder });
    expect((await db.pool.query('SELECT five() AS text')).rows).toEqual([{ text: 'a;b' }]);
  });

  it('lets several processes start at once on one new database', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(db.url, { folder })));
    expect(applied.flat()).toEqual(['20250101000000_first']);
  });

  it('undoes a failed migration, says what to do about it, and goes on once that is done', async () => {
    add('20250102000000_bad', 'CREATE TABLE half (n int);\nSELECT * FROM nowhere;\n');
    for (const attempt of [1, 2]) {
      const error = await migrate(db.url, { folder }).catch((reason: unknown) => reason);
      expect(error, `attempt ${attempt}`).toBeInstanceOf(MigrationError);
      expect((error as Error).message).toContain('nowhere');
      expect((error as Error).message).toContain('npm run migration -- --rolled-back 20250102000000_bad');
    }
    expect((await db.pool.query("SELECT to_regclass('half') AS half")).rows).toEqual([{ half: null }]);
    add('20250102000000_bad', 'CREATE TABLE half (n int);\n');
    await markRolledBack(db.url, '20250102000000_bad');
    expect(await migrate(db.url, { folder })).toEqual(['20250102000000_bad']);
  });

  it('refuses a migration that was changed after it was applied', async () => {
    await migrate(db.url, { folder });
    add('20250101000000_first', 'CREATE TABLE things (n bigint);\n');
    await expect(migrate(db.url, { folder })).rejects.toThrow(/20250101000000_first was changed after it was applied/);
  });
});

describe('a database that lets nobody in', () => {
  const failure = (url: string) => migrate(url).then(
    () => undefined,
    (error: unknown) => shutOut(url, error),
  );

  it.each([
    ['a wrong password', (url: URL) => (url.password = 'se-cret'), /password authentication failed|no password|does not exist/],
    ['a database that is not there', (url: URL) => (url.pathname = '/nowhere'), /nowhere/],
    ['a port where nobody listens', (url: URL) => (url.port = '1'), /127\.0\.0\.1:1\/.*ECONNREFUSED/],
  ])('is told to people in a sentence, without the password: %s', async (_, spoil, says) => {
    const db = await testDatabase();
    try {
      const url = new URL(db.url);
      url.hostname = '127.0.0.1';
      spoil(url);
      const error = await failure(url.href);
      if (error === undefined) return; // a server that trusts its own machine asks for no password
      expect(error).toBeInstanceOf(MigrationError);
      expect(error.message).toMatch(says);
      expect(error.message).not.toContain('se-cret');
    } finally {
      await db.close();
    }
  });

  it('is not what a fault of ours is', () => expect(shutOut('postgresql://x/y', new TypeError('x'))).toBeUndefined());
});

describe('schemaDifference', () => {
  const schema = (fields: string) => `datasource db {\n  provider = "postgresql"\n}\nmodel Thing {\n  id Int @id\n${fields}}\n`;

  it('is the SQL from one schema to another, and empty when they agree', async () => {
    expect(await schemaDifference(null, schema(''))).toContain('CREATE TABLE "Thing"');
    expect(await schemaDifference(schema(''), schema('  name String?\n'))).toContain('ADD COLUMN     "name" TEXT');
    expect(await schemaDifference(schema(''), schema(''))).toBe('');
  });
});
