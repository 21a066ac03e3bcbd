import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase, type TestDatabase } from '../testing/database';

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.close());

test('T-2: iso() gives six decimals in UTC', async () => {
  const { rows } = await db.pool.query(`SELECT iso('2026-11-30 12:00:00.12+02'::timestamptz) AS at`);
  expect(rows[0].at).toBe('2026-11-30T10:00:00.120000Z');
});
