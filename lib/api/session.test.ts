/** Who calls: browser sessions of our own pages, bearer tokens, and the limits on what they write (section 10, P-1). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changePrincipal } from '../principals/change';
import { HOST, type Principal } from '../principals/record';
import { endSessions } from '../sign-in/sessions';
import { signIn } from '../sign-in/sign-in';
import { openApi, ORIGIN, type Api, type CallOptions, type Reply } from '../testing/api';

const PASSWORD = 'correct horse battery';
const HOST_NAME = new URL(ORIGIN).host;

let api: Api;
let ann: Principal;
let bob: Principal;
let cookie: string;

const withPassword = (who: Principal) => changePrincipal(api.runtime.db, HOST, who.id, { password: PASSWORD });

async function cookieOf(who: Principal): Promise<string> {
  const { setCookie } = await signIn(api.runtime, { name: who.name, password: PASSWORD }, { headers: new Headers(), ip: randomUUID() });
  return setCookie.map((line) => line.split(';')[0]).join('; ');
}

beforeAll(async () => {
  api = await openApi({ rateLimit: true });
  [ann, bob] = [await api.person(), await api.person()];
  await withPassword(ann);
  await withPassword(bob);
  cookie = await cookieOf(ann);
});
afterAll(() => api.close());

/** What a browser adds by itself. */
const from = (headers: Record<string, string>): Record<string, string> => ({ host: HOST_NAME, cookie, ...headers });
const FOREIGN = ['http://evil.test', 'https://evil.test', 'null', 'http://holdfast.test.evil.test', 'http://evil.test#holdfast.test', 'http://xholdfast.test', 'http://sub.holdfast.test', 'http://holdfast.test:8080', 'file://', 'about:blank', 'holdfast.test', '', 'http://holdfast.test, http://evil.test'];

describe('a browser session', () => {
  let slug: string;
  const write = (headers: Record<string, string>) => api.call('POST', `/containers/${slug}/petitions`, { headers, body: { reason: 'Why' } });
  beforeAll(async () => {
    slug = await api.container();
  });
  beforeEach(async () => {
    await api.db.query(`DELETE FROM petition`);
  });

  it('writes from our own pages: their Origin, or else Sec-Fetch-Site same-origin', async () => {
    for (const headers of [{ origin: ORIGIN }, { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'same-origin' }, { origin: ORIGIN, 'sec-fetch-site': 'none' }] as Record<string, string>[]) {
      const reply = await write(from(headers));
      expect([headers, reply.status]).toEqual([headers, 201]);
      await api.db.query(`DELETE FROM petition`);
    }
  });

  it('writes from nowhere else', async () => {
    const cases: Record<string, string>[] = [{}, ...['cross-site', 'same-site', 'none', '', 'Same-Origin '].map((site) => ({ 'sec-fetch-site': site.trim() === 'Same-Origin' ? 'same-origin x' : site }))];
    for (const origin of FOREIGN) cases.push({ origin }, { origin, 'sec-fetch-site': 'same-origin' });
    for (const headers of cases) {
      const reply = await write(from(headers));
      expect([headers, reply.status, reply.body.code]).toEqual([headers, 403, 'forbidden']);
    }
    expect((await api.db.query('SELECT 1 FROM petition')).rowCount).toBe(0);
  });

  it('is refused for every writing method alike, before the body is looked at', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const path = { POST: '/lock/acquire', PUT: '/lock/notes', PATCH: `/blocks/${randomUUID()}`, DELETE: `/petitions/${randomUUID()}` }[method]!;
      const reply = await api.call(method, `/containers/${slug}${path}`, { headers: from({ origin: 'http://evil.test' }), raw: '{' });
      expect([method, reply.status, reply.body.code]).toEqual([method, 403, 'forbidden']);
    }
  });

  it('reads from our own pages and from an address that was typed in', async () => {
    for (const headers of [{}, { origin: ORIGIN }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }] as Record<string, string>[]) {
      const reply = await api.call('GET', '/me', { headers: from(headers) });
      expect([headers, reply.status, reply.body.id]).toEqual([headers, 200, ann.id]);
    }
  });

  it('reads from nowhere else, and no answer may be shared with another site', async () => {
    const cases: Record<string, string>[] = ['cross-site', 'same-site', ''].map((site) => ({ 'sec-fetch-site': site }));
    for (const origin of FOREIGN) cases.push({ origin }, { origin, 'sec-fetch-site': 'none' });
    for (const headers of cases) {
      const reply = await api.call('GET', '/me', { headers: from(headers) });
      expect([headers, reply.status]).toEqual([headers, 401]);
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('may come from HOLDFAST_URL, where a proxy changes the host', async () => {
    const headers = { host: '127.0.0.1:3000', cookie, origin: 'https://holdfast.example' };
    expect((await api.call('GET', '/me', { headers })).status).toBe(401);
    process.env.HOLDFAST_URL = 'https://holdfast.example/base';
    try {
      expect((await api.call('GET', '/me', { headers })).status).toBe(200);
      expect((await write(headers)).status).toBe(201);
    } finally {
      delete process.env.HOLDFAST_URL;
    }
  });

  it('is nobody when its cookie is forged, ended or of somebody deactivated', async () => {
    const me = (value: string) => api.call('GET', '/me', { headers: { host: HOST_NAME, cookie: value } });
    const [name, value] = cookie.split('=') as [string, string];
    for (const forged of ['x=y', '', `${name}=`, `${name}=x.y`, `${name}=${'%00'.repeat(10)}`, `${name}=%ff`, `${name}=${value.slice(0, -3)}AAA`, `${name}=${value.split('.')[0]}`, `${name}=${'x'.repeat(8_000)}`, ';;;=;=']) {
      const reply = await me(forged);
      expect([forged.slice(0, 40), reply.status]).toEqual([forged.slice(0, 40), 401]);
    }
    const mine = await cookieOf(bob);
    expect((await me(mine)).body.id).toBe(bob.id);
    await endSessions(api.runtime.db, bob.id);
    expect((await me(mine)).status).toBe(401);
    const again = await cookieOf(bob);
    await api.call('PATCH', `/principals/${bob.id}`, { as: api.operator, body: { active: false } });
    expect((await me(again)).status).toBe(401);
    await api.call('PATCH', `/principals/${bob.id}`, { as: api.operator, body: { active: true } });
    expect((await me(again)).status).toBe(401);
  });

  it('has the role that its principal has now', async () => {
    const carl = await api.person('reader');
    await withPassword(carl);
    const mine = await cookieOf(carl);
    const ask = () => api.call('GET', '/principals', { headers: { host: HOST_NAME, cookie: mine } });
    expect((await ask()).status).toBe(403);
    await api.call('PATCH', `/principals/${carl.id}`, { as: api.operator, body: { role: 'operator' } });
    expect((await ask()).status).toBe(200);
    await api.call('PATCH', `/principals/${carl.id}`, { as: api.operator, body: { role: 'reader' } });
    expect((await ask()).status).toBe(403);
  });
});

describe('a bearer token', () => {
  it('goes before a session, also where it is bad', async () => {
    const both = (as: string) => api.call('GET', '/me', { as, headers: from({ origin: ORIGIN }) });
    expect((await both(await api.tokenOf(bob))).body.id).toBe(bob.id);
    expect((await both(`hf_${'A'.repeat(43)}`)).status).toBe(401);
  });

  it('needs no Origin, and minds none', async () => {
    const slug = await api.container();
    const reply = await api.call('POST', `/containers/${slug}/petitions`, { as: ann, headers: { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' }, body: { reason: 'Why' } });
    expect(reply.status).toBe(201);
  });

  it('is refused in every form but its own', async () => {
    const token = await api.tokenOf(ann);
    for (const authorization of ['', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Basic ${Buffer.from(`ann:${token}`).toString('base64')}`, `Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token} ${token}`, `Bearer ${token}, Bearer ${token}`, `Bearer ${token.toUpperCase()}`, `Bearer "${token}"`, 'Bearer null', `Bearer ${'x'.repeat(8_000)}`, "Bearer ' OR 1=1 --"]) {
      const reply = await api.call('GET', '/me', { headers: { authorization } });
      expect([authorization, reply.status, reply.body.code]).toEqual([authorization, 401, 'unauthenticated']);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    }
    for (const authorization of [`bearer ${token}`, `BEARER  ${token}`]) expect((await api.call('GET', '/me', { headers: { authorization } })).status).toBe(200);
    expect((await api.call('GET', `/me?access_token=${token}`)).status).toBe(401);
  });

  it('is refused also where no sign-in is needed', async () => {
    const slug = await api.container({ public: true });
    expect((await api.call('GET', `/containers/${slug}/badge`)).status).toBe(200);
    expect((await api.call('GET', `/containers/${slug}/badge`, { as: 'nonsense' })).status).toBe(401);
  });

  it('is refused at once when it is revoked, has expired, or its principal is deactivated', async () => {
    const owner = await api.person();
    const issue = async () => (await api.call('POST', `/principals/${owner.id}/tokens`, { as: api.operator, body: {} })).body as { id: string; token: string };
    const status = async (as: string) => (await api.call('GET', '/me', { as })).status;
    const [revoked, expired, kept] = [await issue(), await issue(), await issue()];
    expect([await status(revoked.token), await status(expired.token), await status(kept.token)]).toEqual([200, 200, 200]);
    await api.call('DELETE', `/tokens/${revoked.id}`, { as: api.operator });
    await api.db.query('UPDATE api_token SET expires_at = clock_timestamp() WHERE id = $1', [expired.id]);
    expect([await status(revoked.token), await status(expired.token), await status(kept.token)]).toEqual([401, 401, 200]);
    await api.call('PATCH', `/principals/${owner.id}`, { as: api.operator, body: { active: false } });
    expect(await status(kept.token)).toBe(401);
    await api.call('PATCH', `/principals/${owner.id}`, { as: api.operator, body: { active: true } });
    expect([await status(kept.token), await status(revoked.token)]).toEqual([200, 401]);
  });

  it('ends with its principal also in the middle of a held grant, which runs to its expiry (P-1)', async () => {
    const slug = await api.container();
    const holder = await api.person();
    const grant = await api.grantTo(slug, holder);
    const beat = async () => api.call('POST', `/containers/${slug}/lock/heartbeat`, { as: holder, base: await api.revision(slug), body: { grant } });
    expect((await beat()).status).toBe(200);
    await api.call('PATCH', `/principals/${holder.id}`, { as: api.operator, body: { active: false } });
    expect((await beat()).status).toBe(401);
    expect(await api.lock(slug)).toMatchObject({ badge: 'HELD', grant, holder: { id: holder.id } });
  });
});

describe('limits on writes', () => {
  /** The limiter's own row, as so many writes in the last seconds leave it. */
  const spend = (budget: string, who: Principal, points: number) =>
    api.db.query('INSERT INTO rate_limit (key, points, expire) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET points = $2, expire = $3', [`${budget}:${who.id}`, points, Date.now() + 20_000]);
  const petition = (slug: string, as: Principal, more: CallOptions = {}): Promise<Reply> => api.call('POST', `/containers/${slug}/petitions`, { as, body: { reason: 'Why' }, ...more });

  it('refuse the 601st write of a minute, say when to come back, and leave reading and others alone', async () => {
    const [eager, calm] = [await api.person(), await api.person()];
    const slug = await api.container();
    await spend('write', eager, 599);
    expect((await petition(slug, eager)).status).toBe(201);
    const refused = await petition(slug, eager);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate-limited']);
    expect(refused.headers.get('retry-after')).toMatch(/^([1-9]|1\d|20)$/);
    expect((await petition(slug, eager, { raw: '{' })).status).toBe(429);
    expect((await api.call('DELETE', `/containers/${slug}/petitions/${randomUUID()}`, { as: eager })).status).toBe(429);
    expect((await api.call('GET', `/containers/${slug}/lock`, { as: eager })).status).toBe(200);
    expect((await petition(slug, calm)).status).toBe(201);
  });

  it('count for a session as for a token', async () => {
    const [slug, own] = [await api.container(), await cookieOf(ann)];
    await spend('write', ann, 600);
    expect((await api.call('POST', `/containers/${slug}/petitions`, { headers: { host: HOST_NAME, origin: ORIGIN, cookie: own }, body: { reason: 'Why' } })).status).toBe(429);
  });

  it('never cost a grant: who holds has a budget of its own, in the container that it holds', async () => {
    const holder = await api.person();
    const [held, other] = [await api.container(), await api.container()];
    const grant = await api.grantTo(held, holder);
    await spend('write', holder, 600);
    const beat = async () => api.call('POST', `/containers/${held}/lock/heartbeat`, { as: holder, base: await api.revision(held), body: { grant } });
    expect((await beat()).status).toBe(200);
    expect((await api.call('POST', `/containers/${held}/landings`, { as: holder, key: 'k', body: { grant, message: '', entries: [] } })).status).toBe(201);
    expect((await petition(other, holder)).status).toBe(429);
    await spend('write-holding', holder, 6_000);
    expect((await beat()).status).toBe(429);
    expect((await api.call('POST', '/containers', { as: holder, body: {} })).status).toBe(429);
  });

  it('are off with HOLDFAST_RATE_LIMIT=off', async () => {
    const eager = await api.person();
    const slug = await api.container();
    await spend('write', eager, 600);
    process.env.HOLDFAST_RATE_LIMIT = 'off';
    try {
      expect((await petition(slug, eager)).status).toBe(201);
    } finally {
      delete process.env.HOLDFAST_RATE_LIMIT;
    }
    expect((await petition(slug, eager)).status).toBe(429);
  });
});
