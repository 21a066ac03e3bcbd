/**
 * Section 10: checks run in this order: sign-in, body, role, idempotency key, `If-Match` present, the
 * grant, the revision, the rest. Each test fails two neighbours at once; the first of them answers.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../principals/record';
import { openApi, type Api, type CallOptions } from '../testing/api';
import { arrow, gridOf } from '../testing/work';
import { letTimePass } from '../testing/world';

let api: Api;
let reader: Principal;
let lead: Principal;
let former: Principal;
/** Held by `lead` with `grant`; `former` held it before with `dead`. */
let slug: string;
let grant: number;
let dead: number;

type Edit = { method: string; path: () => string; good: () => object; operator?: true };

const GRID = gridOf([arrow('a')]);

/** Every call with a body. */
const CALLS: Record<string, Edit> = {
  create: { method: 'POST', path: () => '/containers', good: () => ({ slug: 'new', title: 'T' }), operator: true },
  change: { method: 'PATCH', path: () => `/containers/${slug}`, good: () => ({ title: 'T' }), operator: true },
  acquire: { method: 'POST', path: () => `/containers/${slug}/lock/acquire`, good: () => ({}) },
  heartbeat: { method: 'POST', path: () => `/containers/${slug}/lock/heartbeat`, good: () => ({ grant }) },
  release: { method: 'POST', path: () => `/containers/${slug}/lock/release`, good: () => ({ grant }) },
  clear: { method: 'POST', path: () => `/containers/${slug}/lock/clear`, good: () => ({ grant, reason: 'Why' }), operator: true },
  reopen: { method: 'POST', path: () => `/containers/${slug}/lock/reopen`, good: () => ({ nextGrant: 99, reason: 'Why' }), operator: true },
  lockNotes: { method: 'PUT', path: () => `/containers/${slug}/lock/notes`, good: () => ({ notes: 'N' }) },
  collaborationNotes: { method: 'PUT', path: () => `/containers/${slug}/collaboration/notes`, good: () => ({ notes: 'N' }) },
  petition: { method: 'POST', path: () => `/containers/${slug}/petitions`, good: () => ({ reason: 'Why' }) },
  block: { method: 'POST', path: () => `/containers/${slug}/blocks`, good: () => ({ grant, title: 'T', assignee: lead.id }) },
  markBlock: { method: 'PATCH', path: () => `/containers/${slug}/blocks/${randomUUID()}`, good: () => ({ state: 'done' }) },
  lease: { method: 'POST', path: () => `/containers/${slug}/leases`, good: () => ({ grant, to: lead.id, count: 1 }) },
  draft: { method: 'PUT', path: () => `/containers/${slug}/drafts/TS-1`, good: () => ({ grant, title: 'T', body: '' }) },
  landing: { method: 'POST', path: () => `/containers/${slug}/landings`, good: () => ({ grant, message: '', entries: [] }) },
  gridInit: { method: 'POST', path: () => `/containers/${slug}/grid/init`, good: () => ({ grid: GRID }), operator: true },
  acknowledge: { method: 'POST', path: () => `/containers/${slug}/checkpoints/acknowledge`, good: () => ({ reason: 'Why' }), operator: true },
  amend: { method: 'POST', path: () => `/containers/${slug}/amendments`, good: () => ({ grant, baseVersion: 1, changes: [], grid: GRID, rationale: 'Why' }) },
  amendAgain: { method: 'POST', path: () => `/containers/${slug}/amendments/${randomUUID()}/resubmit`, good: () => ({ grant, baseVersion: 1, changes: [], grid: GRID, rationale: 'Why' }) },
  start: { method: 'POST', path: () => `/containers/${slug}/passes`, good: () => ({ grant, arrow: 'a' }) },
  complete: { method: 'POST', path: () => `/containers/${slug}/passes/${randomUUID()}/complete`, good: () => ({ grant }) },
  abort: { method: 'POST', path: () => `/containers/${slug}/passes/${randomUUID()}/abort`, good: () => ({ reason: 'manual-stop' }) },
  move: { method: 'POST', path: () => `/containers/${slug}/passes/${randomUUID()}/clauses/C1/transitions`, good: () => ({ to: 'pass' }) },
  createPrincipal: { method: 'POST', path: () => '/principals', good: () => ({ name: 'New', role: 'reader' }), operator: true },
  changePrincipal: { method: 'PATCH', path: () => `/principals/${lead.id}`, good: () => ({ active: true }), operator: true },
  token: { method: 'POST', path: () => `/principals/${lead.id}/tokens`, good: () => ({}), operator: true },
  webhook: { method: 'POST', path: () => `/containers/${slug}/webhooks`, good: () => ({ url: 'https://example.com/hook' }), operator: true },
  changeWebhook: { method: 'PATCH', path: () => `/webhooks/${randomUUID()}`, good: () => ({ active: false }), operator: true },
};
const ALL = Object.keys(CALLS);
const WITH_BASE = ['change', 'acquire', 'heartbeat', 'release', 'clear', 'reopen', 'lockNotes', 'collaborationNotes', 'draft'];
const WITH_GRANT = ['heartbeat', 'release', 'block', 'lease', 'draft', 'landing', 'start', 'amend', 'amendAgain'];

/** A call by name; its answer's code, or its status where it is no refusal. */
async function codeOf(name: string, options: CallOptions): Promise<string | number> {
  const { method, path, good } = CALLS[name]!;
  const withBody = options.raw === undefined && options.body === undefined ? { body: good(), ...options } : options;
  const reply = await api.call(method, path(), withBody);
  return reply.body?.code ?? reply.status;
}
const ableFor = (name: string): Principal => (CALLS[name]!.operator ? api.operator : lead);
const unableFor = (name: string): Principal => (CALLS[name]!.operator ? lead : reader);

beforeAll(async () => {
  api = await openApi();
  [reader, lead, former] = [await api.person('reader'), await api.person(), await api.person()];
  slug = await api.container({ termSeconds: 600 });
  dead = await api.grantTo(slug, former);
  await letTimePass(api.db, slug, 601);
  grant = await api.grantTo(slug, lead);
});
afterAll(() => api.close());

describe('sign-in before body', () => {
  it.each(ALL)('%s', async (name) => {
    for (const raw of ['', '{', '{"unknown":1}', '[]']) expect(await codeOf(name, { raw })).toBe('unauthenticated');
  });
  it('is judged before a large body is read', async () => {
    let read = 0;
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    const raw = new ReadableStream<Uint8Array>({ pull: (c) => (read++ > 1000 ? c.close() : c.enqueue(chunk)) }, { highWaterMark: 0 });
    expect(await codeOf('landing', { raw, key: 'k' })).toBe('unauthenticated');
    expect(read).toBeLessThan(5);
  });
});

describe('body before role', () => {
  it.each(ALL)('%s', async (name) => {
    expect(await codeOf(name, { as: unableFor(name), raw: '{' })).toBe('malformed-json');
    expect(await codeOf(name, { as: unableFor(name), body: { unknown: 1 } })).toBe('invalid-input');
    expect(await codeOf(name, { as: unableFor(name), raw: ' '.repeat(9 * 1024 * 1024) })).toBe('too-large');
  });
});

describe('role before idempotency key', () => {
  it('landing', async () => expect(await codeOf('landing', { as: reader })).toBe('forbidden'));
});

describe('role before If-Match', () => {
  it.each(WITH_BASE)('%s', async (name) => {
    expect(await codeOf(name, { as: unableFor(name) })).toBe('forbidden');
    expect(await codeOf(name, { as: unableFor(name), headers: { 'if-match': '*' } })).toBe('forbidden');
  });
});

describe('role before the rest', () => {
  it.each(ALL.filter((name) => !WITH_BASE.includes(name) && name !== 'landing'))('%s', async (name) => {
    expect(await codeOf(name, { as: unableFor(name) })).toBe('forbidden');
  });
  it('also where there is no such container', async () => {
    const reply = await api.call('POST', '/containers/no-such-container/petitions', { as: reader, body: { reason: 'Why' } });
    expect(reply.body.code).toBe('forbidden');
  });
});

describe('idempotency key before the grant', () => {
  it('landing', async () => {
    for (const other of [dead, 99]) {
      const body = { grant: other, message: '', entries: [] };
      expect(await codeOf('landing', { as: former, body })).toBe('idempotency-key-required');
      expect(await codeOf('landing', { as: former, body, key: 'k'.repeat(201) })).toBe('invalid-input');
    }
  });
});

describe('the key’s first answer before the fence (R-4)', () => {
  it('a repeat under a grant that has ended', async () => {
    const [place, key] = [await api.container({ termSeconds: 60 }), randomUUID()];
    const body = { grant: await api.grantTo(place, lead), message: '', entries: [] };
    const first = await api.call('POST', `/containers/${place}/landings`, { as: lead, body, key });
    await letTimePass(api.db, place, 61);
    await api.lead(place, former);
    const again = await api.call('POST', `/containers/${place}/landings`, { as: lead, body, key });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    const other = await api.call('POST', `/containers/${place}/landings`, { as: lead, body: { ...body, message: 'Other' }, key });
    expect(other.body.code).toBe('idempotency-mismatch');
  });
});

describe('If-Match present before the grant', () => {
  it.each(['heartbeat', 'release', 'draft'])('%s', async (name) => {
    for (const bad of [dead, 99]) expect(await codeOf(name, { as: former, body: { ...CALLS[name]!.good(), grant: bad } })).toBe('precondition-required');
  });
  it('clear', async () => {
    expect(await codeOf('clear', { as: api.operator, body: { grant: 99, reason: 'Why' } })).toBe('precondition-required');
  });
});

describe('If-Match present before the revision and the rest', () => {
  it.each(WITH_BASE)('%s', async (name) => expect(await codeOf(name, { as: ableFor(name) })).toBe('precondition-required'));
  it('also where there is no such container', async () => {
    const reply = await api.call('POST', '/containers/no-such-container/lock/acquire', { as: lead, body: {} });
    expect(reply.body.code).toBe('precondition-required');
  });
});

describe('the grant before the revision', () => {
  it.each(['heartbeat', 'release', 'draft'])('%s: a superseded holder gets its receipt, not a 412', async (name) => {
    for (const base of [0, 1, 999].filter((b) => name !== 'draft' || b > 0)) {
      const body = (of: number) => ({ ...CALLS[name]!.good(), grant: of });
      expect(await codeOf(name, { as: former, base, body: body(dead) })).toBe('grant-superseded');
      expect(await codeOf(name, { as: former, base, body: body(grant) })).toBe('not-holder');
      expect(await codeOf(name, { as: lead, base, body: body(99) })).toBe('grant-unknown');
    }
  });
  it('clear: a moved grant, not a 412', async () => {
    expect(await codeOf('clear', { as: api.operator, base: 1, body: { grant: dead, reason: 'Why' } })).toBe('grant-moved');
  });
});

describe('the revision before the rest', () => {
  it('acquire: a late one sees who holds', async () => {
    const { method, path } = CALLS.acquire!;
    const reply = await api.call(method, path(), { as: former, base: 1, body: {} });
    expect([reply.status, reply.body.code, reply.body.current.holder.id]).toEqual([412, 'edit-conflict', lead.id]);
  });
  it('release: not push-required', async () => expect(await codeOf('release', { as: lead, base: 1 })).toBe('edit-conflict'));
  it('clear: not not-silent', async () => expect(await codeOf('clear', { as: api.operator, base: 1 })).toBe('edit-conflict'));
  it('reopen: not a next grant that is too low', async () => {
    expect(await codeOf('reopen', { as: api.operator, base: 1, body: { nextGrant: 1, reason: 'Why' } })).toBe('edit-conflict');
  });
  it('notes: not lock-held', async () => expect(await codeOf('lockNotes', { as: former, base: 1 })).toBe('edit-conflict'));
  it('change: not slug-taken', async () => {
    const taken = await api.container();
    expect(await codeOf('change', { as: api.operator, base: 99, body: { slug: taken } })).toBe('edit-conflict');
  });
  it('an archived container', async () => {
    const place = await api.container();
    await api.call('POST', `/containers/${place}/archive`, { as: api.operator });
    const stale: [string, string, Principal, object][] = [
      ['POST', '/lock/acquire', lead, {}],
      ['POST', '/lock/clear', api.operator, { grant: 0, reason: 'Why' }],
      ['POST', '/lock/reopen', api.operator, { nextGrant: 9, reason: 'Why' }],
      ['PUT', '/lock/notes', lead, { notes: 'N' }],
      ['PUT', '/collaboration/notes', lead, { notes: 'N' }],
      ['PATCH', '', api.operator, { title: 'T' }],
    ];
    for (const [method, path, as, body] of stale) {
      expect((await api.call(method, `/containers/${place}${path}`, { as, base: 77, body })).body.code).toBe('edit-conflict');
    }
  });
});

describe('the grant before the rest', () => {
  it.each(WITH_GRANT)('%s in an archived container gets a receipt', async (name) => {
    const place = await api.container();
    await api.call('POST', `/containers/${place}/archive`, { as: api.operator });
    const path = CALLS[name]!.path().replace(slug, place);
    const reply = await api.call(CALLS[name]!.method, path, { as: lead, base: 1, key: randomUUID(), body: CALLS[name]!.good() });
    expect(reply.body.code).toBe('grant-unknown');
  });
  it('landing: a receipt, not its bad entries', async () => {
    const entries = [{ identifier: 'nonsense', title: 'T', body: '' }];
    expect(await codeOf('landing', { as: former, key: randomUUID(), body: { grant: dead, message: '', entries } })).toBe('grant-superseded');
  });
  it('lease and block: a receipt, not an unknown principal', async () => {
    expect(await codeOf('lease', { as: former, body: { grant: dead, to: randomUUID(), count: 1 } })).toBe('grant-superseded');
    expect(await codeOf('block', { as: former, body: { grant: dead, title: 'T', assignee: randomUUID() } })).toBe('grant-superseded');
  });
});

it('a role that is taken away is judged again where the write is decided (P-1)', async () => {
  const demoted = await api.person();
  const token = await api.tokenOf(demoted);
  await api.call('PATCH', `/principals/${demoted.id}`, { as: api.operator, body: { role: 'reader' } });
  expect(await codeOf('petition', { as: token })).toBe('forbidden');
});
