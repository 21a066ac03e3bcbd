import { afterAll, beforeAll, expect, test } from 'vitest';
import { heartbeat } from '../lock-page/heartbeat';
import { holdGate, openWorld, waitUntilWaiting, type World } from '../testing/world';
import { createPool, type Db } from './pool';

let w: World;
let db: Db;
beforeAll(async () => {
  w = await openWorld();
  const { rows } = await w.db.query('SELECT current_database() AS name');
  await w.db.query(`
    ALTER DATABASE ${rows[0].name} SET default_transaction_isolation = 'repeatable read';
    ALTER DATABASE ${rows[0].name} SET synchronous_commit = 'off';
    ALTER DATABASE ${rows[0].name} SET timezone = 'Asia/Tokyo'`);
  db = createPool(w.url);
});
afterAll(async () => {
  await db.end();
  await w.close();
});

test('R-8, T-2: a database that commits asynchronously, in another zone, does neither for us', async () => {
  const { rows } = await db.query(`SELECT current_setting('synchronous_commit') AS sync, current_setting('timezone') AS zone`);
  expect(rows[0]).toEqual({ sync: 'on', zone: 'UTC' });
});

test('T-1: a write decides on what its wait let through, also where the database defaults to one snapshot a transaction', async () => {
  const slug = await w.container();
  const lead = await w.person();
  const { revision, grant } = await w.lead(slug, lead);
  const gate = await holdGate(w.db, slug);
  const first = heartbeat(db, slug, lead.id, revision, { grant });
  const second = heartbeat(db, slug, lead.id, revision, { grant });
  await waitUntilWaiting(w.db, 2);
  await gate.letGo();
  const revisions = (await Promise.all([first, second])).map((lock) => lock.revision);
  expect(revisions.toSorted()).toEqual([revision + 1, revision + 2]);
});
