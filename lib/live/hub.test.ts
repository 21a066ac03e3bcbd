/** Issue 4, “Live”: who watches is told within a second of a commit, and within the polling period whatever is lost. */
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import pg from 'pg';
import { archiveContainer, changeContainer } from '../containers/change';
import { CHANNEL, GATHER_MS, hintOf } from '../db/hints';
import { inGate } from '../db/gate';
import { petition } from '../collaboration/petition';
import { changePrincipal } from '../principals/change';
import { HOST } from '../principals/record';
import { app } from '../api/app';
import { openApi, ORIGIN, type Api } from '../testing/api';
import { startHub, type Hub } from './hub';

const POLL_MS = 700;
const GRID = { contexts: ['ledger'], roles: ['analyst'], arrows: [{ id: 'a-1', from: 'analyst', to: 'analyst', context: 'ledger', stratum: 1, requires: [], dependencies: [], clauses: [{ id: 'C1', concept: 'compiles', type: 'machine' }] }] };

let api: Api;
let live: Hub;
beforeAll(async () => {
  api = await openApi();
  live = startHub(api.runtime.db, api.url, POLL_MS);
});
afterAll(async () => {
  await live.close();
  await api.close();
});

type Told = { event: string; data: Record<string, unknown> };
type Stream = { status: number; next(event: string, matches?: (data: Told['data']) => boolean): Promise<Told['data']>; ended: Promise<void>; close(): Promise<void>; seen: Told[] };

const open: Stream[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()));
});

/** Hangs on a stream, and reads what it is told. */
async function hang(path: string, as?: { id: string }): Promise<Stream> {
  const headers = as ? { authorization: `Bearer ${await api.tokenOf(as)}` } : undefined;
  const response = await app.fetch(new Request(`${ORIGIN}/api/v1${path}`, { headers }));
  const seen: Told[] = [];
  const waiting = new Set<() => void>();
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const ended = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (event) seen.push({ event, data: JSON.parse(data!) });
      }
      for (const look of waiting) look();
    }
  })();
  const stream: Stream = {
    status: response.status,
    seen,
    ended,
    async next(event, matches = () => true) {
      for (;;) {
        const found = seen.findIndex((told) => told.event === event && matches(told.data));
        if (found >= 0) return seen.splice(0, found + 1).at(-1)!.data;
        await new Promise<void>((look) => {
          waiting.add(look);
        });
      }
    },
    close: () => reader.cancel(),
  };
  open.push(stream);
  return stream;
}

const backends = async (): Promise<number[]> =>
  (await api.db.query(`SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast hints' AND datname = current_database()`)).rows.map((r) => r.pid as number);

describe('a container’s stream', () => {
  test('begins with the whole present state', async () => {
    const who = await api.person();
    const slug = await api.container({ title: 'Charts' });
    const stream = await hang(`/containers/${slug}/events`, who);
    expect(stream.status).toBe(200);
    expect(await stream.next('lock')).toMatchObject({ slug, badge: 'OPEN', caution: false, revision: 1, holder: null, grant: 0, waiting: 0, version: '1.0' });
    for (const topic of ['collaboration', 'landing', 'pass', 'grid']) expect(await stream.next(topic)).toMatchObject({ slug });
  });

  test('tells of an acquisition, a petition, a push and a grid, each by its event and no other', async () => {
    const [lead, waiter] = [await api.person(), await api.person()];
    const slug = await api.container();
    const stream = await hang(`/containers/${slug}/events`, waiter);
    await stream.next('container');

    await api.lead(slug, lead, 'To chart');
    expect(await stream.next('lock')).toMatchObject({ badge: 'HELD', grant: 1, reason: 'To chart', holder: { id: lead.id }, revision: 2 });
    await petition(api.db, slug, waiter.id, { reason: 'To check' });
    await stream.next('lock', (data) => data.waiting === 1);
    await stream.next('collaboration', (data) => data.version === '2');
    await api.push(slug, lead, 1);
    await stream.next('landing', (data) => data.version === '1');
    expect(stream.seen.filter((told) => ['lock', 'pass', 'grid'].includes(told.event))).toEqual([]);
    const answer = await api.call('POST', `/containers/${slug}/grid/init`, { as: api.operator, body: { grid: GRID } });
    expect(answer.status).toBe(201);
    await stream.next('grid', (data) => String(data.version).startsWith('1.'));
    const pass = await api.call('POST', `/containers/${slug}/passes`, { as: lead, body: { grant: 1, arrow: 'a-1' } });
    expect(pass.status).toBe(201);
    const { version } = await stream.next('pass', (data) => data.version !== '0..0');
    await api.call('POST', `/containers/${slug}/passes/${pass.body.id}/clauses/C1/transitions`, { as: lead, body: { to: 'running' } });
    await stream.next('pass', (data) => data.version !== version);
  });

  test('tells of a waiter: the badge and how many wait come with it', async () => {
    const who = await api.person();
    const slug = await api.container();
    const stream = await hang(`/containers/${slug}/events`, who);
    await stream.next('container');
    await petition(api.db, slug, who.id, { reason: 'To chart' });
    expect(await stream.next('lock', (data) => data.badge === 'HANDOVER')).toMatchObject({ waiting: 1, revision: 1 });
    const now = (await api.call('GET', `/state?container=${slug}`, { as: who })).body;
    expect(now.containers[0].face).toMatchObject({ badge: 'HANDOVER', waiting: 1 });
  });

  test('P-2: nobody watches without a sign-in what is not public, and a stream ends when its container is public no more', async () => {
    const hidden = await api.container();
    expect((await hang(`/containers/${hidden}/events`)).status).toBe(401);
    expect((await hang(`/containers/no-such-thing/events`, await api.person())).status).toBe(404);
    const slug = await api.container({ public: true });
    const stream = await hang(`/containers/${slug}/events`);
    await stream.next('container');
    await changeContainer(api.db, slug, api.operator.id, 1, { public: false });
    await stream.ended;
  });

  test('P-1: the stream of somebody who is deactivated ends', async () => {
    const who = await api.person();
    const slug = await api.container();
    const stream = await hang(`/containers/${slug}/events`, who);
    await stream.next('container');
    await changePrincipal(api.db, HOST, who.id, { active: false });
    await stream.ended;
  });

  test('P-1: a stream whose token is revoked ends', async () => {
    const who = await api.person();
    const slug = await api.container();
    const [one, all] = [await hang(`/containers/${slug}/events`, who), await hang('/events', who)];
    await Promise.all([one.next('container'), all.next('notice')]);
    await api.db.query('UPDATE api_token SET revoked_at = clock_timestamp() WHERE principal_id = $1', [who.id]);
    await Promise.all([one.ended, all.ended]);
  });

  test('a watcher that takes nothing is let go, and not before much waits for it', async () => {
    const lead = await api.person();
    const slug = await api.container({ public: true });
    const outgoing = Object.assign(new PassThrough(), { writeHead: () => undefined });
    await app.fetch(new Request(`${ORIGIN}/api/v1/containers/${slug}/events`), { outgoing });
    outgoing.write('x'.repeat(100_000));
    await petition(api.runtime.db, slug, lead.id, { reason: 'Why' });
    await new Promise((next) => setTimeout(next, 2 * POLL_MS));
    expect(outgoing.destroyed).toBe(false);
    outgoing.write('x'.repeat(400_000));
    await petition(api.runtime.db, slug, (await api.person()).id, { reason: 'Why' });
    await vi.waitFor(() => expect(outgoing.destroyed).toBe(true), { timeout: 5_000 });
  });
});

describe('several containers, the board and the inbox', () => {
  test('one stream watches several containers', async () => {
    const [who, lead] = [await api.person(), await api.person()];
    const [one, two] = [await api.container(), await api.container()];
    const stream = await hang(`/events?container=${one}&container=${two}`, who);
    await stream.next('lock', (data) => data.slug === one);
    await api.lead(two, lead);
    expect(await stream.next('lock', (data) => data.slug === two && data.badge === 'HELD')).toMatchObject({ grant: 1 });
  });

  test('the board is told of a container that comes, of a badge that changes, and of a holder that falls silent with no event', async () => {
    const [who, lead] = [await api.person(), await api.person()];
    const slug = await api.container({ termSeconds: 1 });
    const stream = await hang('/events?board=yes', who);
    const first = await stream.next('board');
    await api.container();
    const second = await stream.next('board', (data) => data.version !== first.version);
    await api.lead(slug, lead);
    const third = await stream.next('board', (data) => data.version !== second.version);
    await stream.next('board', (data) => data.version !== third.version);
    expect((await api.lock(slug)).badge).toBe('HOLDER SILENT');
  });

  test('a notice is told to its principal alone, once its transaction has committed', async () => {
    const [lead, other] = [await api.person(), await api.person()];
    const slug = await api.container();
    await api.lead(slug, lead);
    const [mine, others] = [await hang('/events', other), await hang('/events', lead)];
    expect(await mine.next('notice')).toEqual({ unread: 0, newest: [] });
    await others.next('notice');
    await api.lease(slug, lead, { grant: 1, to: other.id, count: 3 });
    expect(await mine.next('notice')).toMatchObject({ unread: 1, newest: [{ kind: 'lease-given', container: { slug } }] });
    expect(others.seen.filter((told) => told.event === 'notice' && told.data.unread !== 0)).toEqual([]);
  });
});

describe('what is lost', () => {
  test('a change without a hint is told within the polling period', async () => {
    const who = await api.person();
    const slug = await api.container();
    const stream = await hang(`/containers/${slug}/events`, who);
    await stream.next('container');
    await api.db.query(`UPDATE container SET title = 'Renamed by hand', revision = revision + 1 WHERE slug = $1`, [slug]);
    const began = performance.now();
    await stream.next('container', (data) => data.version === '2.');
    expect(performance.now() - began).toBeLessThan(POLL_MS + 1_000);
  });

  test('a listening connection that is killed is made anew, and hints are heard again', async () => {
    const [who, lead] = [await api.person(), await api.person()];
    const slug = await api.container();
    const stream = await hang(`/containers/${slug}/events`, who);
    await stream.next('container');
    const [before] = await backends();
    await api.db.query('SELECT pg_terminate_backend($1)', [before]);
    await expect.poll(backends, { timeout: 5_000 }).toEqual([expect.not.toSatisfy((pid) => pid === before)]);
    await api.lead(slug, lead);
    await stream.next('lock', (data) => data.badge === 'HELD');
  });

  test('watchers are told the time only while the database answers', async () => {
    const stream = await hang('/events', await api.person());
    const first = await stream.next('now');
    const second = await stream.next('now');
    expect(String(second.now) > String(first.now)).toBe(true);
  });
});

describe('hints', () => {
  /** The containers that any instance hints at, as they are heard. */
  async function listening(): Promise<{ heard: string[]; listener: pg.Client }> {
    const listener = new pg.Client(api.url);
    await listener.connect();
    const heard: string[] = [];
    listener.on('notification', (m) => heard.push(...hintOf(m.payload).containers));
    await listener.query(`LISTEN ${CHANNEL}`);
    return { heard, listener };
  }

  test('many commits of an instance cost few notifications, and the first is sent at once', async () => {
    const { heard, listener } = await listening();
    const slug = await api.container();
    const { id } = (await api.db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0];
    await expect.poll(() => heard.includes(id)).toBe(true);
    heard.length = 0;
    const began = performance.now();
    await Promise.all(Array.from({ length: 100 }, () => inGate(api.db, slug, 'shared', async () => undefined)));
    const took = performance.now() - began;
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    expect(heard.filter((h) => h === id).length).toBeLessThanOrEqual(Math.ceil(took / GATHER_MS) + 2);
    await listener.end();
  });

  test('what was rolled back is not told', async () => {
    const { heard, listener } = await listening();
    const [refused, changed] = [await api.container(), await api.container()];
    const idOf = async (slug: string) => (await api.db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id as string;
    const [refusedId, changedId] = [await idOf(refused), await idOf(changed)];
    await expect.poll(() => heard.includes(changedId)).toBe(true);
    heard.length = 0;
    await expect(
      inGate(api.db, refused, 'exclusive', async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await archiveContainer(api.db, changed, api.operator.id);
    await expect.poll(() => heard.includes(changedId)).toBe(true);
    expect(heard).not.toContain(refusedId);
    await listener.end();
  });
});
