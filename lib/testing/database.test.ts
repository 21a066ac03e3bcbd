import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from './database';

describe('testDatabase', () => {
  let one: TestDatabase;
  let two: TestDatabase;
  beforeAll(async () => {
    [one, two] = await Promise.all([testDatabase(), testDatabase()]);
  });
  afterAll(() => Promise.all([one.close(), two.close()]));

  it('gives each caller a database of its own', async () => {
    await one.pool.query('CREATE TABLE only_here (i int)');
    const { rows } = await two.pool.query("SELECT to_regclass('only_here') AS found");
    expect(rows).toEqual([{ found: null }]);
  });
});
