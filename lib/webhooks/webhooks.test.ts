import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openAlerts } from '../alerts';
import { readAudit, readAuditLog } from '../audit/read';
import { petition } from '../collaboration/petition';
import { withdrawPetitionsOfUnable } from '../collaboration/sweep';
import { tellTurns } from '../collaboration/tell-turns';
import { withdraw } from '../collaboration/withdraw';
import { archiveContainer } from '../containers/change';
import { inTransaction } from '../db/gate';
import { acquire } from '../lock-page/acquire';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import { tellGrants } from '../lock-page/tell-grants';
import { log } from '../log';
import { openReceiver, type Receiver } from '../testing/receiver';
import { letTimePass, openWorld, refusal, type World } from '../testing/world';
import { changeWebhook, removeWebhook, rotateSecret } from './change';
import { createWebhook } from './create';
import { BACKOFF_SECONDS, deliver, MAX_TRIES, purgeDeliveries, requeueLost } from './deliver';
import { emitIn, type Payload } from './emit';
import { readDeliveries, readWebhook, readWebhooks } from './read';
import type { WebhookWithSecret } from './record';
import { pingWebhook, retryDelivery } from './retry';

let w: World;
let receiver: Receiver;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await receiver.close();
});

const hook = (slug: string, input: { url?: string; allowPrivate?: boolean } = {}) => createWebhook(w.db, slug, w.operator.id, { url: receiver.url, allowPrivate: true, ...input });
const logOf = async (webhook: { id: string }) => (await readDeliveries(w.db, webhook.id, w.operator, { limit: 200 })).items;
const containerId = async (slug: string): Promise<string> => (await w.db.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id;
const jobsOf = async (delivery: string) => (await w.db.query(`SELECT run_at AS "runAt", attempts FROM graphile_worker.jobs WHERE key = $1`, [`holdfast-delivery:${delivery}`])).rows;
/** As if the time of the next try had come. */
const due = (delivery: string) => w.db.query(`UPDATE webhook_delivery SET next_at = clock_timestamp() WHERE id = $1`, [delivery]);
const bodies = () => receiver.posts.map((p) => JSON.parse(p.text) as Payload);

async function sendOne(webhook: { id: string }): Promise<void> {
  const [latest] = await logOf(webhook);
  await deliver(w.db, latest!.id);
}

/** A container with a webhook, and one event on its way. */
async function acquired(input: { url?: string; allowPrivate?: boolean } = {}) {
  const [slug, lead] = [await w.container(), await w.person()];
  const webhook = await hook(slug, input);
  const { grant } = await w.lead(slug, lead, 'Soundings');
  const [delivery] = await logOf(webhook);
  return { slug, lead, grant, webhook, delivery: delivery!.id };
}

describe('an event', () => {
  test('is on its way, with its job, exactly when its transaction has committed', async () => {
    const { slug, lead, webhook, delivery } = await acquired();
    expect(await logOf(webhook)).toMatchObject([{ type: 'lock.acquired', state: 'queued', attempts: 0 }]);
    expect(await jobsOf(delivery)).toHaveLength(1);

    expect((await refusal(acquire(w.db, slug, lead.id, await w.revision(slug), {}))).code).toBe('lock-held');
    const jobs = async () => (await w.db.query('SELECT count(*)::int AS n FROM graphile_worker.jobs')).rows[0].n;
    const before = await jobs();
    const [id, at] = [await containerId(slug), (await w.lock(slug)).now];
    await inTransaction(w.db, async (client) => {
      await emitIn(client, id, { type: 'lock.released', at, grant: 1, holder: null, data: {} });
      expect((await client.query('SELECT 1 FROM webhook_delivery WHERE webhook_id = $1', [webhook.id])).rowCount).toBe(2);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect([(await logOf(webhook)).length, await jobs()]).toEqual([1, before]);
  });

  test('goes to each active webhook of its container, and to no other', async () => {
    const [slug, other] = [await w.container(), await w.container()];
    const [one, two, off, elsewhere] = [await hook(slug), await hook(slug), await hook(slug), await hook(other)];
    await changeWebhook(w.db, w.operator.id, off.id, { active: false });
    await w.lead(slug, await w.person());
    const logs = await Promise.all([one, two, off, elsewhere].map(logOf));
    expect(logs.map((l) => l.length)).toEqual([1, 1, 0, 0]);
    expect(logs[0]![0]!.event).toBe(logs[1]![0]!.event);
  });

  test('costs a container without a webhook nothing', async () => {
    const [slug, lead] = [await w.container(), await w.person()];
    const off = await hook(slug);
    await changeWebhook(w.db, w.operator.id, off.id, { active: false });
    const asked = vi.spyOn(pg.Client.prototype, 'query');
    await w.lead(slug, lead);
    const said = JSON.stringify(asked.mock.calls.map((call) => call[0] as unknown));
    expect(said).toContain('INSERT INTO lock_grant');
    expect(said).not.toMatch(/webhook_delivery|graphile/);
  });

  test('of each kind is told, with what it is about', async () => {
    const slug = await w.container({ termSeconds: 3600, windowSeconds: 60 });
    const webhook = await hook(slug);
    const [lead, ann, bob] = [await w.person(), await w.person(), await w.person()];
    const { grant } = await w.lead(slug, lead, 'Soundings');
    await petition(w.db, slug, ann.id, { reason: 'Chapter two' });
    const { id } = await petition(w.db, slug, bob.id, { reason: 'Chapter three' });
    await withdraw(w.db, slug, bob.id, id);
    await refusal(w.push(slug, lead, 99));
    await w.push(slug, lead, grant);
    await letTimePass(w.db, slug, 3600 - 60);
    await tellGrants(w.db);
    await w.fallSilent(slug);
    await tellGrants(w.db);
    await tellTurns(w.db);
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant, reason: 'Gone home' });
    const second = (await w.lead(slug, ann)).grant;
    await w.push(slug, ann, second);
    await release(w.db, slug, ann.id, await w.revision(slug), { grant: second });
    await petition(w.db, slug, bob.id, { reason: 'At last' });
    await w.db.query(`UPDATE principal SET active = false WHERE id = $1`, [bob.id]);
    await withdrawPetitionsOfUnable(w.db);
    await petition(w.db, slug, lead.id, { reason: 'Once more' });
    await archiveContainer(w.db, slug, w.operator.id);

    const { rows } = await w.db.query(`SELECT payload FROM webhook_delivery WHERE webhook_id = $1 ORDER BY at, id`, [webhook.id]);
    const ref = ({ name }: { name: string }) => expect.objectContaining({ name, kind: 'person' });
    const payloads = rows.map((r) => r.payload as Payload);
    const short = payloads.map(({ type, grant, holder, data }) => ({ type, grant, holder: holder?.name ?? null, ...data }));
    expect(short.map((p) => `${p.type} ${p.grant} ${p.holder === lead.name ? 'lead' : p.holder === ann.name ? 'ann' : p.holder}`).sort()).toEqual(
      [
        ...['lock.acquired 1 lead', 'petition.made 1 lead', 'petition.made 1 lead', 'petition.ended 1 lead', 'landing.refused 1 lead', 'landing.accepted 1 lead', 'grant.ends-soon 1 lead', 'holder.silent 1 lead', 'turn.begun 1 lead', 'lock.cleared 1 lead'],
        ...['lock.acquired 2 ann', 'petition.ended 2 ann', 'landing.accepted 2 ann', 'lock.released 2 ann', 'petition.made 2 null', 'petition.ended 2 null', 'petition.made 2 null', 'petition.ended 2 null'],
      ].sort(),
    );
    const of = (type: string, where: object = {}) => expect(short).toContainEqual(expect.objectContaining({ type, ...where }));
    of('lock.acquired', { reason: 'Soundings', expiresAt: expect.any(String) });
    of('petition.made', { principal: ref(ann), reason: 'Chapter two' });
    of('petition.ended', { state: 'withdrawn', principal: ref(bob), by: ref(bob) });
    of('petition.ended', { state: 'granted', principal: ref(ann) });
    of('petition.ended', { state: 'withdrawn', principal: ref(bob), by: null });
    of('petition.ended', { state: 'withdrawn', principal: ref(lead), by: ref(w.operator) });
    of('landing.refused', { code: 'grant-unknown', yourGrant: 99, author: ref(lead) });
    of('landing.accepted', { sequence: 1, author: ref(lead), entries: [] });
    of('grant.ends-soon', { because: 'no-heartbeat' });
    of('turn.begun', { principal: ref(ann) });
    of('lock.cleared', { by: ref(w.operator), reason: 'Gone home' });
    for (const payload of payloads) {
      expect(payload).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: expect.any(String),
        at: expect.stringMatching(/\.\d{6}Z$/),
        container: { slug, title: 'A container' },
        grant: expect.any(Number),
        holder: payload.holder && { id: expect.any(String), name: expect.any(String), kind: 'person' },
        data: expect.any(Object),
      });
    }
  });
});

/** As a receiver verifies, by the Standard Webhooks scheme and nothing of ours. */
const verify = (secret: string, { headers, text }: Receiver['posts'][number]): boolean => {
  const key = Buffer.from(/^whsec_(.+)$/.exec(secret)![1]!, 'base64');
  const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`);
};

describe('a delivery', () => {
  test('is posted once, as signed JSON, and its answer kept', async () => {
    const { slug, lead, grant, webhook, delivery } = await acquired();
    receiver.answer = { status: 202, body: `thank\0you${'.'.repeat(5000)}` };
    await Promise.all([deliver(w.db, delivery), deliver(w.db, delivery)]);
    await deliver(w.db, delivery);
    expect(receiver.posts).toHaveLength(1);
    const [post] = receiver.posts;
    expect([post!.method, post!.path, post!.headers['content-type']]).toEqual(['POST', '/hook', 'application/json']);
    expect(verify(webhook.secret, post!)).toBe(true);
    expect(verify(webhook.secret, { ...post!, text: post!.text.replace('1', '2') })).toBe(false);
    const body = bodies()[0]!;
    expect(body).toMatchObject({ id: post!.headers['webhook-id'], type: 'lock.acquired', container: { slug }, grant, holder: { name: lead.name } });
    expect(Object.keys(body)).toEqual(['id', 'type', 'at', 'container', 'grant', 'holder', 'data']);
    expect(Math.abs(Date.now() / 1000 - Number(post!.headers['webhook-timestamp']))).toBeLessThan(60);
    const [stored] = await logOf(webhook);
    expect(stored).toMatchObject({ state: 'delivered', attempts: 1, status: 202, error: null, nextAt: null, event: body.id });
    expect(stored!.excerpt!.length).toBe(1024);
    expect(stored!.excerpt).toMatch(/^thank\uFFFDyou\.\.\./);
    expect(await readWebhook(w.db, webhook.id, w.operator)).toMatchObject({ lastState: 'delivered' });
  });

  test('is tried again after a 500, under the same id with a new signature', async () => {
    const { webhook, delivery } = await acquired();
    receiver.answer = { status: 500, body: 'out of order' };
    await deliver(w.db, delivery);
    const [stored] = await logOf(webhook);
    expect(stored).toMatchObject({ state: 'failed', attempts: 1, status: 500, error: 'It answered 500.', excerpt: 'out of order' });
    const [job, ...more] = await jobsOf(delivery);
    expect([more.length, job.runAt, job.attempts]).toEqual([0, stored!.nextAt, 0]);
    await deliver(w.db, delivery); // not yet
    expect(receiver.posts).toHaveLength(1);

    receiver.answer = { status: 200 };
    await due(delivery);
    await deliver(w.db, delivery);
    expect(await logOf(webhook)).toMatchObject([{ state: 'delivered', attempts: 2, status: 200, error: null }]);
    expect(receiver.posts.map((p) => p.headers['webhook-id'])).toEqual([stored!.event, stored!.event]);
    expect(receiver.posts.every((p) => verify(webhook.secret, p))).toBe(true);
  });

  test('is tried again after a refused connection', async () => {
    const { webhook, delivery } = await acquired({ url: 'http://127.0.0.1:1/' });
    await deliver(w.db, delivery);
    expect(await logOf(webhook)).toMatchObject([{ state: 'failed', attempts: 1, status: null, error: expect.stringContaining('refused') }]);
    expect(await jobsOf(delivery)).toHaveLength(1);
  });

  test('is given up after twelve tries over about a day, which operators are told; sent again, all is well', async () => {
    expect([MAX_TRIES, Math.round(BACKOFF_SECONDS.reduce<number>((a, b) => a + b, 0) / 3600)]).toEqual([12, 24]);
    const { slug, webhook, delivery } = await acquired({ url: `${receiver.url}/T0K3N?key=se-cret` });
    receiver.answer = { status: 503 };
    for (let n = 1; n <= MAX_TRIES; n++) {
      await due(delivery).catch(() => undefined);
      await deliver(w.db, delivery);
    }
    expect(receiver.posts).toHaveLength(MAX_TRIES);
    expect(await logOf(webhook)).toMatchObject([{ state: 'given-up', attempts: MAX_TRIES, nextAt: null, status: 503 }]);
    const alertsHere = async () => (await openAlerts(w.db)).filter((a) => a.container === slug);
    expect(await alertsHere()).toMatchObject([{ kind: 'webhook-given-up', details: { webhook: webhook.id, reason: `http://127.0.0.1:${receiver.port}: It answered 503.` } }]);
    const { items } = await readAuditLog(w.db, w.operator, { action: 'webhook-given-up' }, { limit: 10 });
    expect(items).toMatchObject([{ actor: null, target: webhook.id, details: { container: slug, tries: MAX_TRIES, status: 503, type: 'lock.acquired' } }]);

    await retryDelivery(w.db, w.operator.id, delivery);
    expect(await jobsOf(delivery)).toHaveLength(1);
    await deliver(w.db, delivery);
    expect([(await logOf(webhook))[0]!.state, (await alertsHere()).length]).toEqual(['failed', 1]);
    receiver.answer = { status: 200 };
    await due(delivery);
    await deliver(w.db, delivery);
    expect(await logOf(webhook)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
    expect(await alertsHere()).toEqual([]);
  });

  test('is not followed where it is sent elsewhere', async () => {
    const hidden = await openReceiver();
    const { webhook, delivery } = await acquired();
    receiver.answer = { status: 302, headers: { location: hidden.url } };
    await deliver(w.db, delivery);
    expect(hidden.posts).toEqual([]);
    expect(await logOf(webhook)).toMatchObject([{ state: 'failed', status: 302, error: expect.stringContaining('redirects are not followed') }]);
    await hidden.close();
  });

  test('that is answered 410 switches its webhook off, which is audited', async () => {
    const { slug, webhook, delivery } = await acquired();
    await petition(w.db, slug, (await w.person()).id, { reason: 'Next' });
    const later = (await logOf(webhook)).find((d) => d.type === 'petition.made')!;
    receiver.answer = { status: 410 };
    await deliver(w.db, delivery);
    expect(await readWebhook(w.db, webhook.id, w.operator)).toMatchObject({ active: false, offReason: 'It answered 410 Gone.', lastState: 'given-up' });
    expect((await readAuditLog(w.db, w.operator, { action: 'webhook-switched-off' }, { limit: 1 })).items).toMatchObject([{ actor: null, target: webhook.id }]);
    await deliver(w.db, later.id);
    expect(receiver.posts).toHaveLength(1);
    expect((await logOf(webhook)).map((d) => d.state)).toEqual(['given-up', 'given-up']);
    expect((await refusal(retryDelivery(w.db, w.operator.id, later.id))).members).toMatchObject({ state: 'off' });
    expect(await changeWebhook(w.db, w.operator.id, webhook.id, { active: true })).toMatchObject({ active: true, offReason: null });
    receiver.answer = { status: 200 };
    await retryDelivery(w.db, w.operator.id, later.id);
    await deliver(w.db, later.id);
    expect(receiver.posts).toHaveLength(2);
  });

  test('that nobody answers ends when its time is up', async () => {
    const { webhook, delivery } = await acquired();
    const real = AbortSignal.timeout.bind(AbortSignal);
    const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => real(100));
    receiver.answer = undefined;
    await deliver(w.db, delivery);
    expect(limit).toHaveBeenCalledWith(10_000);
    expect(await logOf(webhook)).toMatchObject([{ state: 'failed', error: 'No answer within 10 seconds.' }]);
  });

  test('that is cut off by the end of its instance is put back and counts as no try', async () => {
    const { webhook, delivery } = await acquired();
    receiver.answer = undefined;
    const stopping = new AbortController();
    const sending = deliver(w.db, delivery, stopping.signal);
    await vi.waitFor(() => expect(receiver.posts).toHaveLength(1));
    stopping.abort();
    await sending;
    expect(await logOf(webhook)).toMatchObject([{ state: 'queued', attempts: 0 }]);
    expect(await jobsOf(delivery)).toHaveLength(1);
  });

  test('that was lost with its instance has its job anew after a minute', async () => {
    const { delivery } = await acquired();
    await w.db.query(`SELECT graphile_worker.remove_job($1)`, [`holdfast-delivery:${delivery}`]);
    await requeueLost(w.db);
    expect(await jobsOf(delivery)).toEqual([]);
    await w.db.query(`UPDATE webhook_delivery SET attempts = 1, next_at = clock_timestamp() - interval '61 seconds' WHERE id = $1`, [delivery]);
    await Promise.all([requeueLost(w.db), requeueLost(w.db)]);
    expect(await jobsOf(delivery)).toHaveLength(1);
  });

  test('is forgotten 30 days after it ended, and not before', async () => {
    const { webhook, delivery } = await acquired();
    const age = (days: number) => w.db.query(`UPDATE webhook_delivery SET at = at - make_interval(days => $2) WHERE id = $1`, [delivery, days]);
    await age(31);
    await purgeDeliveries(w.db);
    expect(await logOf(webhook)).toHaveLength(1);
    await deliver(w.db, delivery);
    await purgeDeliveries(w.db);
    expect(await logOf(webhook)).toEqual([]);
  });
});

describe('addresses that are not public', () => {
  test.each(['http://127.0.0.1/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://0x7f000001/', 'http://10.1.2.3/', 'http://169.254.169.254/'])('%s is refused where it is asked for', async (url) => {
    const slug = await w.container();
    const problem = await refusal(hook(slug, { url, allowPrivate: false }));
    expect([problem.code, problem.members.errors]).toEqual(['invalid-input', [{ path: 'url', message: expect.stringContaining('not a public address') }]]);
    const allowed = await hook(slug, { url });
    expect((await refusal(changeWebhook(w.db, w.operator.id, allowed.id, { allowPrivate: false }))).code).toBe('invalid-input');
  });

  test('are not connected to by a name that resolves to one', async () => {
    const { webhook, delivery } = await acquired({ url: `http://localhost:${receiver.port}/`, allowPrivate: false });
    await deliver(w.db, delivery);
    expect(receiver.posts).toEqual([]);
    expect(await logOf(webhook)).toMatchObject([{ state: 'failed', error: expect.stringMatching(/not public \((127\.0\.0\.1|::1)\)/) }]);
    await changeWebhook(w.db, w.operator.id, webhook.id, { allowPrivate: true });
    await due(delivery);
    await deliver(w.db, delivery);
    expect(await logOf(webhook)).toMatchObject([{ state: 'delivered' }]);
  });

  test('are judged again at each try, whatever the row says', async () => {
    const { webhook, delivery } = await acquired();
    await w.db.query('UPDATE webhook SET allow_private = false WHERE id = $1', [webhook.id]);
    await deliver(w.db, delivery);
    expect(receiver.posts).toEqual([]);
    expect(await logOf(webhook)).toMatchObject([{ state: 'failed', error: expect.stringContaining('not a public address') }]);
  });
});

describe('operators', () => {
  test('and nobody else add, change, read and remove', async () => {
    const { slug, lead, webhook, delivery } = await acquired();
    for (const call of [
      () => createWebhook(w.db, slug, lead.id, { url: 'https://example.com' }),
      () => changeWebhook(w.db, lead.id, webhook.id, { active: false }),
      () => rotateSecret(w.db, lead.id, webhook.id),
      () => removeWebhook(w.db, lead.id, webhook.id),
      () => pingWebhook(w.db, lead.id, webhook.id),
      () => retryDelivery(w.db, lead.id, delivery),
      () => readWebhooks(w.db, slug, lead, { limit: 10 }),
      () => readWebhook(w.db, webhook.id, lead),
      () => readDeliveries(w.db, webhook.id, undefined, { limit: 10 }),
    ]) {
      expect((await refusal(call())).code).toBe('forbidden');
    }
    for (const call of [changeWebhook, rotateSecret, removeWebhook, pingWebhook, retryDelivery]) {
      expect((await refusal((call as typeof rotateSecret)(w.db, w.operator.id, randomUUID()))).code).toBe('not-found');
    }
    await removeWebhook(w.db, w.operator.id, webhook.id);
    await deliver(w.db, delivery);
    expect(receiver.posts).toEqual([]);
    expect((await refusal(readWebhook(w.db, webhook.id, w.operator))).code).toBe('not-found');
  });

  test('add at most twenty to a container, however many add at once, and none to an archived one', async () => {
    const slug = await w.container();
    const made = await Promise.allSettled(Array.from({ length: 23 }, () => hook(slug)));
    expect(made.filter((m) => m.status === 'fulfilled')).toHaveLength(20);
    const archived = await w.container();
    await archiveContainer(w.db, archived, w.operator.id);
    expect((await refusal(hook(archived))).code).toBe('archived');
  });

  test('send a ping, which is tried once, also to a webhook that is switched off', async () => {
    const slug = await w.container();
    const webhook = await hook(slug);
    await changeWebhook(w.db, w.operator.id, webhook.id, { active: false });
    await pingWebhook(w.db, w.operator.id, webhook.id);
    receiver.answer = { status: 500 };
    await sendOne(webhook);
    expect(bodies()).toMatchObject([{ type: 'ping', grant: 0, holder: null, data: { by: w.operator.name } }]);
    expect(await logOf(webhook)).toMatchObject([{ type: 'ping', state: 'given-up', attempts: 1, status: 500 }]);
    expect((await openAlerts(w.db)).filter((a) => a.container === slug)).toEqual([]);
  });

  test('see secrets when they are made, and they stand in no list, log, audit line or job', async () => {
    const said: string[] = [];
    for (const level of ['info', 'warn', 'error', 'debug'] as const) vi.spyOn(log, level).mockImplementation(((...told: unknown[]) => void said.push(JSON.stringify(told))) as never);
    const { slug, webhook, delivery } = await acquired({ url: `${receiver.url}/T0K3N` });
    await deliver(w.db, delivery);
    const rotated = await rotateSecret(w.db, w.operator.id, webhook.id);
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(webhook.secret);
    await pingWebhook(w.db, w.operator.id, webhook.id);
    await sendOne(webhook);
    expect([verify(webhook.secret, receiver.posts[1]!), verify(rotated.secret, receiver.posts[1]!)]).toEqual([false, true]);
    await changeWebhook(w.db, w.operator.id, webhook.id, { url: `http://127.0.0.1:1/T0K3N`, active: false });

    const seen: unknown[] = [
      await readWebhooks(w.db, slug, w.operator, { limit: 10 }),
      await readWebhook(w.db, webhook.id, w.operator),
      await logOf(webhook),
      (await w.db.query('SELECT * FROM audit_line')).rows,
      (await w.db.query('SELECT * FROM graphile_worker._private_jobs')).rows,
      said,
      receiver.posts,
    ];
    for (const { secret } of [webhook, rotated] as WebhookWithSecret[]) expect(JSON.stringify(seen)).not.toContain(secret.slice(6));
    expect(JSON.stringify(seen.slice(3, 6))).not.toContain('T0K3N');
  });

  test('are audited, in the operators’ log and not in what readers of the container see', async () => {
    const slug = await w.container();
    const webhook = await hook(slug);
    await changeWebhook(w.db, w.operator.id, webhook.id, { allowPrivate: false, url: 'https://example.com/secret-path' });
    await rotateSecret(w.db, w.operator.id, webhook.id);
    await removeWebhook(w.db, w.operator.id, webhook.id);
    const { items } = await readAuditLog(w.db, w.operator, {}, { limit: 4 });
    expect(items.map(({ action, target, details }) => ({ action, target, details }))).toEqual([
      { action: 'webhook-removed', target: webhook.id, details: { container: slug, to: 'https://example.com' } },
      { action: 'webhook-secret-rotated', target: webhook.id, details: { container: slug, to: 'https://example.com' } },
      { action: 'webhook-changed', target: webhook.id, details: { container: slug, to: 'https://example.com', from: `http://127.0.0.1:${receiver.port}`, allowPrivate: false } },
      { action: 'webhook-created', target: webhook.id, details: { container: slug, to: `http://127.0.0.1:${receiver.port}`, allowPrivate: true } },
    ]);
    expect((await readAudit(w.db, slug, w.operator, { limit: 50 })).items.map((l) => l.action)).toEqual(['container-created']);
  });
});

test('an answer that breaks off after its status counts by its status', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.destroy(), 20);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { webhook, delivery } = await acquired({ url: `http://127.0.0.1:${(server.address() as { port: number }).port}/` });
  await deliver(w.db, delivery);
  expect(await logOf(webhook)).toMatchObject([{ state: 'delivered', status: 200, excerpt: 'half' }]);
  server.close();
});
