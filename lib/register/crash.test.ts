import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../db/pool';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import { holdGate, openWorld, refusal, waitUntilWaiting, type World } from '../testing/world';
import { land, type LandingInput } from './land';
import { readLandings } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const PROGRAM = fileURLToPath(new URL('../testing/land-and-die.ts', import.meta.url));

/** Starts the process that lands and dies. */
function landAndDie(slug: string, lead: string, key: string, body: LandingInput) {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, w.url, slug, lead, key, JSON.stringify(body)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { child, ended: once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]> };
}

/** A way to the database that is cut the moment the server has said that it committed: the answer never arrives. */
async function lossyWay(url: string): Promise<{ url: string; server: Server }> {
  const target = new URL(url);
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far);
    far.on('data', (data) => (data.includes('COMMIT\0') ? near.destroy() : near.write(data)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way = new URL(url);
  way.hostname = '127.0.0.1';
  way.port = String((server.address() as AddressInfo).port);
  return { url: way.href, server };
}

async function held() {
  const [slug, lead] = await Promise.all([w.container(), w.person()]);
  await w.lead(slug, lead);
  await w.lease(slug, lead, { grant: 1, to: lead.id, count: 5 });
  const key = randomUUID();
  const body: LandingInput = { grant: 1, message: 'Once', entries: [{ identifier: 'TS-3', title: 'Three', body: 'Text' }] };
  const landings = async () => (await readLandings(w.db, slug, w.operator, { limit: 9 })).items;
  return { slug, lead, key, body, landings, again: (more = body) => land(w.db, slug, lead.id, key, more) };
}

describe('R-4, R-8: a crash between commit and answer', () => {
  test('after the process died behind its commit, the same landing gets the first answer: once in the register', async () => {
    const h = await held();
    const [, signal] = await landAndDie(h.slug, h.lead.id, h.key, h.body).ended;
    expect(signal).toBe('SIGKILL');
    const [landed, ...more] = await h.landings();
    expect(more).toEqual([]);
    expect(await h.again()).toEqual(landed);
    expect(await h.landings()).toEqual([landed]);
  });

  test('after the process died before its commit, nothing has landed, and the same landing lands', async () => {
    const h = await held();
    const grip = await holdGate(w.db, h.slug);
    const { child, ended } = landAndDie(h.slug, h.lead.id, h.key, h.body);
    await waitUntilWaiting(w.db, 1, h.slug);
    child.kill('SIGKILL');
    await ended;
    // The server notices the loss when the statement of the dead client is done.
    await w.db.query(
      `SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = (SELECT number FROM container WHERE slug = $1)`,
      [h.slug],
    );
    await grip.letGo();
    expect(await h.landings()).toEqual([]);
    expect((await h.again()).sequence).toBe(1);
  });

  test('after the connection was cut behind the commit the call says that it does not know, and a repeat gets the first answer', async () => {
    const h = await held();
    const way = await lossyWay(w.url);
    const lossy = createPool(way.url, { max: 1 });
    try {
      expect((await refusal(land(lossy, h.slug, h.lead.id, h.key, h.body))).code).toBe('busy');
    } finally {
      await lossy.end();
      way.server.close();
    }
    const [landed, ...more] = await h.landings();
    expect(more).toEqual([]);
    expect(await h.again()).toEqual(landed);
  });

  test('the first answer comes again after the grant was released, superseded, silent and cleared', async () => {
    const h = await held();
    const first = await h.again();
    await w.fallSilent(h.slug);
    expect(await h.again()).toEqual(first);
    await clear(w.db, h.slug, w.operator.id, await w.revision(h.slug), { grant: 1, reason: 'Gone' });
    expect(await h.again()).toEqual(first);
    await w.lead(h.slug, w.operator);
    expect(await h.again()).toEqual(first);
    await w.push(h.slug, w.operator, 2);
    await release(w.db, h.slug, w.operator.id, await w.revision(h.slug), { grant: 2 });
    expect(await h.again()).toEqual(first);
    expect(await h.landings()).toHaveLength(2);
  });

  test('the same key with another body is idempotency-mismatch, also after the grant has ended', async () => {
    const h = await held();
    await h.again();
    const another = [
      { ...h.body, message: 'Twice' },
      { ...h.body, grant: 2 },
      { ...h.body, entries: [{ ...h.body.entries[0]!, body: 'Text ' }] },
      { ...h.body, entries: [] },
      { ...h.body, keepLeases: [] },
    ];
    for (const body of another) expect(await refusal(h.again(body))).toMatchObject({ code: 'idempotency-mismatch', status: 422 });
    await w.fallSilent(h.slug);
    expect((await refusal(h.again(another[0]))).code).toBe('idempotency-mismatch');
    expect(await h.landings()).toHaveLength(1);
  });

  test('the order of a body’s members does not make it another', async () => {
    const h = await held();
    const first = await h.again();
    const { entries, message, grant } = h.body;
    expect(await h.again({ entries: entries.map(({ body, identifier, title }) => ({ body, title, identifier })), message, grant })).toEqual(
      first,
    );
  });

  test('refusals are not stored: the key that was refused lands once its cause is gone', async () => {
    const h = await held();
    const early = { ...h.body, entries: [{ identifier: 'TS-77', title: 'Not yet leased', body: '' }] };
    expect((await refusal(h.again(early))).code).toBe('landing-invalid');
    await w.lease(h.slug, h.lead, { grant: 1, to: h.lead.id, from: 77, through: 77 });
    expect(await h.again(early)).toMatchObject({ sequence: 1, entries: [{ identifier: 'TS-77' }] });
  });

  test('a key is one principal’s in one container: another’s, and one elsewhere, lands anew', async () => {
    const [one, two] = [await held(), await held()];
    const first = await one.again();
    await w.lead(two.slug, one.lead).catch(() => undefined);
    expect((await land(w.db, two.slug, two.lead.id, one.key, two.body)).sequence).toBe(1);
    await w.fallSilent(one.slug);
    await w.lead(one.slug, two.lead);
    const other = await land(w.db, one.slug, two.lead.id, one.key, { grant: 2, message: 'Mine', entries: [] });
    expect(other).toMatchObject({ sequence: 2, author: { id: two.lead.id } });
    expect(await one.again()).toEqual(first);
  });
});
