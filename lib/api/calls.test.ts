/** Each call of section 10's table: its success, its shape, its ETag, its paging. */
import { randomUUID } from 'node:crypto';
import type { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../principals/record';
import { openApi, strict, type Api, type Reply } from '../testing/api';
import { arrow, clausesOf, complete, containerWith, gridOf, start } from '../testing/work';
import { letTimePass } from '../testing/world';
import * as shape from './shapes';

let api: Api;
let lead: Principal;
let other: Principal;
let reader: Principal;

/** The answer is a success of exactly this shape; answers about the work are never stored by caches (W-2). */
function expectShape(reply: Reply, status: number, schema: z.ZodType): Reply['body'] {
  expect([reply.status, reply.body?.code]).toEqual([status, undefined]);
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  const result = strict(schema).safeParse(reply.body);
  expect(result.error?.issues ?? []).toEqual([]);
  return reply.body;
}

/** As `expectShape`, with the revision as the ETag. */
function expectPage(reply: Reply, schema: z.ZodType, status = 200): Reply['body'] {
  const body = expectShape(reply, status, schema);
  expect(reply.headers.get('etag')).toBe(`"${body.revision}"`);
  return body;
}

function expectNothing(reply: Reply): void {
  expect([reply.status, reply.text]).toEqual([204, '']);
  expect(reply.headers.get('cache-control')).toBe('no-store');
}

const refOf = ({ id, name, kind }: Principal) => ({ id, name, kind });
const get = (path: string, as?: Principal) => api.call('GET', path, { as });

beforeAll(async () => {
  api = await openApi();
  [lead, other, reader] = [await api.person(), await api.person('coworker', 'agent'), await api.person('reader')];
});
afterAll(() => api.close());

describe('containers', () => {
  it('POST /containers, with everything and with nothing but its slug and title', async () => {
    const full = { slug: 'made-here', title: 'Made “here”', description: '# Hello', prefix: 'MH', termSeconds: 1, windowSeconds: 86_400, public: true };
    const made = expectPage(await api.call('POST', '/containers', { as: api.operator, body: full }), shape.container, 201);
    expect(made).toMatchObject({ ...full, revision: 1, badge: 'OPEN', caution: false, archivedAt: null, lock: { holder: null, grant: 0, revision: 1, waiting: 0 } });
    const bare = expectPage(await api.call('POST', '/containers', { as: api.operator, body: { slug: 'bare', title: 'T' } }), shape.container, 201);
    expect(bare).toMatchObject({ description: '', prefix: 'BARE', termSeconds: 14_400, windowSeconds: 900, public: false });
  });

  it('GET and PATCH /containers/{slug}', async () => {
    const slug = await api.container();
    const before = expectPage(await get(`/containers/${slug}`, reader), shape.container);
    const change = { title: 'New', description: 'D', termSeconds: 5, summary: 'Because' };
    const after = expectPage(await api.call('PATCH', `/containers/${slug}`, { as: api.operator, base: before.revision, body: change }), shape.container);
    expect(after).toMatchObject({ title: 'New', description: 'D', termSeconds: 5, windowSeconds: 900, revision: before.revision + 1 });
    const renamed = expectPage(await api.call('PATCH', `/containers/${slug}`, { as: api.operator, base: after.revision, body: { slug: `${slug}-x` } }), shape.container);
    expect(renamed).toMatchObject({ id: before.id, slug: `${slug}-x` });
    expect((await get(`/containers/${slug}`, reader)).status).toBe(404);
  });

  it('POST /containers/{slug}/archive, twice; it is read as before and left out of the list', async () => {
    const slug = await api.container({ title: `Archived ${randomUUID()}` });
    const first = expectPage(await api.call('POST', `/containers/${slug}/archive`, { as: api.operator }), shape.container);
    const second = expectPage(await api.call('POST', `/containers/${slug}/archive`, { as: api.operator }), shape.container);
    expect([typeof first.archivedAt, second.archivedAt]).toEqual(['string', first.archivedAt]);
    expectPage(await get(`/containers/${slug}/lock`, reader), shape.lock);
    expect((await get(`/containers?q=${encodeURIComponent(first.title)}`, reader)).body.items).toEqual([]);
  });

  it('GET /containers: by badge, by text, in pages', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const slugs: string[] = [];
    for (let i = 0; i < 5; i++) slugs.push(await api.container({ slug: `${word}-${i}`, title: `About ${word}` }));
    await api.lead(slugs[1]!, lead);
    await api.lead(slugs[2]!, lead);
    await letTimePass(api.db, slugs[2]!, 5 * 3600);
    await api.call('POST', `/containers/${slugs[3]}/petitions`, { as: other, body: { reason: 'Why' } });
    const list = async (query: string) => expectShape(await get(`/containers?${query}`, reader), 200, shape.pageOf(shape.container));
    const slugsOf = (page: { items: { slug: string }[] }) => page.items.map((c) => c.slug);
    for (const [badge, expected] of [['OPEN', [0, 4]], ['HELD', [1]], ['HOLDER SILENT', [2]], ['HANDOVER', [3]]] as const) {
      expect(slugsOf(await list(`q=${word}&badge=${encodeURIComponent(badge)}`))).toEqual(expected.map((i) => slugs[i]));
    }
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page = await list(`q=${word.toUpperCase()}&limit=2${next && `&cursor=${next}`}`);
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...slugsOf(page));
      next = page.next;
    }
    expect(seen).toEqual(slugs);
    expect(await list(`q=${word}&limit=5`)).toMatchObject({ next: null });
    expect(slugsOf(await list(`q=${word}%25`))).toEqual([]);
    expect((await get('/containers?badge=held', reader)).body.errors[0].path).toBe('badge');
  });

  it('GET …/badge and …/audit', async () => {
    const slug = await api.container();
    const badge = expectShape(await get(`/containers/${slug}/badge`, reader), 200, shape.badge);
    expect(badge).toEqual({ badge: 'OPEN', caution: false, cautionSince: null, cautionGrant: null, now: badge.now });
    await api.lead(slug, lead, 'Reasons');
    const audit = expectShape(await get(`/containers/${slug}/audit`, reader), 200, shape.pageOf(shape.auditLine));
    expect(audit.items.map((l: { action: string }) => l.action)).toEqual(['acquire', 'container-created']);
    expect(audit.items[0]).toMatchObject({ actor: refOf(lead), target: 'lock', grant: 1, reason: 'Reasons' });
  });
});

describe('who may read (P-2)', () => {
  const READS = ['', '/lock', '/lock/revisions', '/collaboration', '/collaboration/revisions', '/landings', '/landings/1', '/register/verify', '/entries', '/entries/TS-1', '/entries/TS-1/revisions', '/badge', '/audit', '/grid', '/grid/versions/1', '/passes', '/amendments'];

  it('a public container is read without signing in, any other with', async () => {
    const [open, closed] = [await containerWith(api, [arrow('a')], { public: true }), await containerWith(api, [arrow('a')])];
    for (const slug of [open, closed]) {
      const { grant } = await api.lead(slug, lead);
      await api.lease(slug, lead, { grant, to: lead.id, count: 1 });
      await api.push(slug, lead, grant, [{ identifier: 'TS-1', title: 'T', body: '' }]);
    }
    for (const path of READS) {
      expect([path, (await get(`/containers/${open}${path}`)).status]).toEqual([path, 200]);
      expect([path, (await get(`/containers/${closed}${path}`)).status]).toEqual([path, 401]);
      expect([path, (await get(`/containers/${closed}${path}`, reader)).status]).toEqual([path, 200]);
    }
    const slugs = (reply: Reply) => reply.body.items.map((c: { slug: string }) => c.slug);
    expect(slugs(await get(`/containers?limit=200`))).toContain(open);
    expect(slugs(await get(`/containers?limit=200`))).not.toContain(closed);
    expect((await get(`/containers/${open}/drafts`)).status).toBe(401);
  });

  it('somebody who is not signed in cannot tell a closed container from none', async () => {
    const closed = await api.container();
    const [one, two] = [await get(`/containers/${closed}`), await get('/containers/there-is-no-such')];
    expect([one.status, one.text]).toEqual([two.status, two.text]);
  });
});

describe('the lock', () => {
  it('GET …/lock: all fields, from OPEN to HOLDER SILENT, with the queue', async () => {
    const slug = await api.container();
    const open = expectPage(await get(`/containers/${slug}/lock`, reader), shape.lock);
    expect(open).toMatchObject({ revision: 1, holder: null, grant: 0, nextGrant: 1, grantedAt: null, expiresAt: null, lastBeatAt: null, capAt: null, badge: 'OPEN', queue: [], audit: [], notes: '' });
    const { body: petition } = await api.call('POST', `/containers/${slug}/petitions`, { as: other, body: { reason: 'Soon' } });
    const waiting = expectPage(await get(`/containers/${slug}/lock`, reader), shape.lock);
    expect(waiting.badge).toBe('HANDOVER');
    expect(waiting.queue).toMatchObject([{ petition: petition.id, principal: refOf(other), reason: 'Soon', place: 1, revision: petition.revision }]);
    await api.lead(slug, other);
    expect(expectPage(await get(`/containers/${slug}/lock`, reader), shape.lock)).toMatchObject({ badge: 'HELD', holder: refOf(other), queue: [] });
    await letTimePass(api.db, slug, 5 * 3600);
    const silent = expectPage(await get(`/containers/${slug}/lock`, reader), shape.lock);
    expect(silent).toMatchObject({ badge: 'HOLDER SILENT', caution: true, cautionSince: silent.expiresAt, cautionGrant: 1 });
  });

  it('acquire, heartbeat, notes, release, clear and reopen each answer the lock', async () => {
    const slug = await api.container();
    const lock = (method: string, verb: string, as: Principal, base: number, body: object) => api.call(method, `/containers/${slug}/lock/${verb}`, { as, base, body });
    const held = expectPage(await lock('POST', 'acquire', lead, 1, { reason: 'Work' }), shape.lock);
    expect(held).toMatchObject({ revision: 2, holder: refOf(lead), reason: 'Work', grant: 1, nextGrant: 2, badge: 'HELD', grantedAt: held.now, lastBeatAt: held.now });
    const beat = expectPage(await lock('POST', 'heartbeat', lead, 2, { grant: 1 }), shape.heartbeat);
    expect(beat).toMatchObject({ revision: 3, atCap: false, waiting: 0 });
    const noted = expectPage(await lock('PUT', 'notes', lead, 3, { notes: '*Notes*', summary: 'Why' }), shape.lock);
    expect(noted).toMatchObject({ revision: 4, notes: '*Notes*' });
    await api.push(slug, lead, 1);
    const released = expectPage(await lock('POST', 'release', lead, 4, { grant: 1 }), shape.lock);
    expect(released).toMatchObject({ revision: 5, holder: null, reason: '', availableSince: released.now, badge: 'OPEN' });
    const again = expectPage(await lock('POST', 'acquire', other, 5, {}), shape.lock);
    expect(again).toMatchObject({ grant: 2, reason: '' });
    await letTimePass(api.db, slug, 5 * 3600);
    const cleared = expectPage(await lock('POST', 'clear', api.operator, 6, { grant: 2, reason: 'Gone' }), shape.lock);
    expect(cleared).toMatchObject({ revision: 7, holder: null, grant: 2, caution: true, cautionGrant: 2, badge: 'OPEN' });
    expect(cleared.audit[0]).toMatchObject({ action: 'clear', actor: refOf(api.operator), grant: 2, reason: 'Gone', details: { operator: api.operator.name, holder: refOf(other) } });
    const lifted = expectPage(await lock('POST', 'reopen', api.operator, 7, { nextGrant: 500, reason: 'A restore' }), shape.lock);
    expect(lifted).toMatchObject({ revision: 8, grant: 2, nextGrant: 500 });

    const history = expectShape(await get(`/containers/${slug}/lock/revisions`, reader), 200, shape.pageOf(shape.lockRevision));
    expect(history.items.map((r: { kind: string }) => r.kind)).toEqual(['reopen', 'clear', 'acquire', 'release', 'notes', 'heartbeat', 'acquire', 'create']);
    expect(history.items.map((r: { revision: number }) => r.revision)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(history.items[1]).toMatchObject({ author: refOf(api.operator), reason: 'Gone', fields: { grant: 2, holder: null } });
    expect(history.items[4]).toMatchObject({ summary: 'Why', fields: { notes: '*Notes*' } });
    expect(history.items[5].fields.notes).toBe('');
    expect(history.items[5]).not.toHaveProperty('reason');
  });

  it('a heartbeat says at the cap that it is there, and how many wait', async () => {
    const slug = await api.container({ termSeconds: 86_400 });
    const { grant, revision } = await api.lead(slug, lead);
    await api.call('POST', `/containers/${slug}/petitions`, { as: other, body: { reason: 'Soon' } });
    const beat = expectPage(await api.call('POST', `/containers/${slug}/lock/heartbeat`, { as: lead, base: revision, body: { grant } }), shape.heartbeat);
    expect(beat).toMatchObject({ atCap: true, waiting: 1, expiresAt: beat.capAt });
  });

  it('is never a 304: the badge changes without a revision', async () => {
    const slug = await api.container();
    const { headers } = await get(`/containers/${slug}/lock`, reader);
    const again = await api.call('GET', `/containers/${slug}/lock`, { as: reader, headers: { 'if-none-match': headers.get('etag')! } });
    expect(again.status).toBe(200);
  });
});

describe('collaboration', () => {
  it('petitions, withdrawal, notes, blocks, leases and their page', async () => {
    const slug = await api.container();
    const at = `/containers/${slug}`;
    const petition = expectShape(await api.call('POST', `${at}/petitions`, { as: other, body: { reason: 'Why' } }), 201, shape.petition);
    expect(petition).toMatchObject({ principal: refOf(other), reason: 'Why', revision: 2, state: 'waiting' });
    expectNothing(await api.call('DELETE', `${at}/petitions/${petition.id}`, { as: other }));
    const { body: second } = await api.call('POST', `${at}/petitions`, { as: other, body: { reason: 'Again' } });
    expectNothing(await api.call('DELETE', `${at}/petitions/${second.id.toUpperCase()}`, { as: api.operator }));
    const { body: third } = await api.call('POST', `${at}/petitions`, { as: lead, body: { reason: 'Me' } });
    const grant = await api.grantTo(slug, lead);

    const lease = expectShape(await api.call('POST', `${at}/leases`, { as: lead, body: { grant, to: other.id, count: 10 } }), 201, shape.lease);
    expect(lease).toMatchObject({ to: refOf(other), from: 1, through: 10, state: 'active', grant });
    const range = expectShape(await api.call('POST', `${at}/leases`, { as: lead, body: { grant, to: lead.id, from: 128, through: 128 } }), 201, shape.lease);
    expect(range).toMatchObject({ from: 128, through: 128 });
    const task = { grant, title: 'Work', description: '# Do', assignee: other.id, leaseId: lease.id };
    const block = expectShape(await api.call('POST', `${at}/blocks`, { as: lead, body: task }), 201, shape.block);
    expect(block).toMatchObject({ title: 'Work', description: '# Do', assignee: refOf(other), leaseId: lease.id, state: 'open', grant });
    const done = expectShape(await api.call('PATCH', `${at}/blocks/${block.id}`, { as: other, body: { state: 'done' } }), 200, shape.block);
    expect(done).toEqual({ ...block, state: 'done' });

    const before = expectPage(await get(`${at}/collaboration`, reader), shape.collaboration);
    expect(before.petitions.map((p: { state: string }) => p.state)).toEqual(['withdrawn', 'withdrawn', 'granted']);
    expect(before.petitions[2]).toMatchObject({ id: third.id, grant });
    expect(before.petitions[0]).not.toHaveProperty('grant');
    expect([before.leases, before.blocks]).toEqual([[lease, range], [done]]);
    const noted = expectPage(await api.call('PUT', `${at}/collaboration/notes`, { as: other, base: before.revision, body: { notes: 'N' } }), shape.collaboration);
    expect(noted).toMatchObject({ notes: 'N', revision: before.revision + 1 });
    const history = expectShape(await get(`${at}/collaboration/revisions`, reader), 200, shape.pageOf(shape.collaborationRevision));
    expect(history.items.map((r: { kind: string }) => r.kind)).toEqual(['notes', 'block', 'block', 'lease', 'lease', 'granted', 'petition', 'withdraw', 'petition', 'withdraw', 'petition', 'create']);
    expect(history.items.map((r: { revision: number }) => r.revision)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('drafts: saved, saved again, listed by their author alone, deleted', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const save = (base: number, title: string, identifier = 'TS-7') => api.call('PUT', `/containers/${slug}/drafts/${identifier}`, { as: lead, base, body: { grant, title, body: '# B' } });
    const first = expectPage(await save(0, 'One'), shape.draft);
    expect(first).toMatchObject({ identifier: 'TS-7', grant, title: 'One', body: '# B', revision: 1, state: 'open' });
    const second = expectPage(await save(1, 'Two'), shape.draft);
    await save(0, 'Other', 'TS-9');
    const list = expectShape(await get(`/containers/${slug}/drafts`, lead), 200, shape.pageOf(shape.draft));
    expect(list.items[0]).toEqual(second);
    expect(list.items).toHaveLength(2);
    expect((await get(`/containers/${slug}/drafts`, other)).body).toEqual({ items: [], next: null });
    expectNothing(await api.call('DELETE', `/containers/${slug}/drafts/TS-9`, { as: lead }));
    expectNothing(await api.call('DELETE', `/containers/${slug}/drafts/TS-7`, { as: lead, base: 2 }));
    expect((await get(`/containers/${slug}/drafts`, lead)).body).toEqual({ items: [], next: null });
  });
});

describe('register and copy', () => {
  it('landings, entries, revisions, search, verify', async () => {
    const slug = await api.container();
    const at = `/containers/${slug}`;
    const grant = await api.grantTo(slug, lead);
    const lease = await api.lease(slug, lead, { grant, to: other.id, from: 5, through: 9 });
    const entries = [
      { identifier: 'TS-6', title: 'Six', body: 'about walruses' },
      { identifier: 'TS-5', title: 'Five', body: '', leaseId: lease.id },
    ];
    const push = (body: object) => api.call('POST', `${at}/landings`, { as: lead, key: randomUUID(), body: { grant, ...body } });
    const first = expectShape(await push({ message: 'First', entries, keepLeases: [] }), 201, shape.landing);
    expect(first).toMatchObject({ sequence: 1, grant, author: refOf(lead), message: 'First', previousDigest: '0'.repeat(64) });
    expect(first.entries.map((e: { identifier: string }) => e.identifier)).toEqual(['TS-6', 'TS-5']);
    expect(first.reclaimed).toEqual([{ id: lease.id, to: refOf(other), from: 5, through: 9 }]);
    const empty = expectShape(await push({ message: '', entries: [] }), 201, shape.landing);
    expect(empty).toMatchObject({ sequence: 2, entries: [], reclaimed: [], previousDigest: first.digest });
    await push({ message: 'Amend', entries: [{ identifier: 'TS-6', title: 'Six again', body: 'about seals' }] });

    const list = expectShape(await get(`${at}/landings`, reader), 200, shape.pageOf(shape.landing));
    expect(list.items.map((l: { sequence: number }) => l.sequence)).toEqual([3, 2, 1]);
    expect(expectShape(await get(`${at}/landings/1`, reader), 200, shape.landing)).toEqual(first);
    expect(expectShape(await get(`${at}/register/verify`, reader), 200, shape.verification)).toEqual({ ok: true, checked: 3 });

    const copy = expectShape(await get(`${at}/entries`, reader), 200, shape.pageOf(shape.entrySummary));
    expect(copy.items).toMatchObject([
      { identifier: 'TS-5', author: refOf(other), revision: 1, landing: 1, grant, caution: false },
      { identifier: 'TS-6', author: refOf(lead), revision: 2, landing: 3, title: 'Six again' },
    ]);
    const search = async (q: string) => expectShape(await get(`${at}/entries?q=${encodeURIComponent(q)}`, reader), 200, shape.pageOf(shape.entrySummary)).items.map((e: { identifier: string }) => e.identifier);
    expect(await search('seals')).toEqual(['TS-6']);
    expect(await search('walruses')).toEqual([]);
    expect(await search('TS-5')).toEqual(['TS-5']);
    expect(await search('ts-5')).toEqual(['TS-5']);
    const entry = expectShape(await get(`${at}/entries/TS-6`, reader), 200, shape.entry);
    expect(entry).toMatchObject({ body: 'about seals', revision: 2 });
    const history = await get(`${at}/entries/TS-6/revisions`, reader);
    const revisions = expectShape(history, 200, shape.entryHistory);
    expect(revisions.items.map((r: { body: string }) => r.body)).toEqual(['about seals', 'about walruses']);
    expect(revisions).toMatchObject({ next: null, caution: false });
  });

  it('verify names the first bad link', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    await api.push(slug, lead, grant);
    await api.push(slug, lead, grant);
    await api.db.query('ALTER TABLE landing DISABLE TRIGGER append_only');
    await api.db.query(`UPDATE landing SET message = 'Other' WHERE sequence = 2 AND container_id = (SELECT id FROM container WHERE slug = '${slug}')`);
    await api.db.query('ALTER TABLE landing ENABLE TRIGGER append_only');
    const verdict = expectShape(await get(`/containers/${slug}/register/verify`, reader), 200, shape.verification);
    expect(verdict).toMatchObject({ ok: false, checked: 1, firstBad: { sequence: 2 } });
  });
});

describe('grids, passes and amendments', () => {
  const YAML = `
contexts: [payments]
roles: [analyst, architect]
arrows:
  - id: payments-1
    from: analyst
    to: architect
    context: payments
    stratum: 1
    clauses:
      - {id: C1, concept: compiles, type: machine, arguments: {scope: "src/**"}}
      - {id: C2, concept: residue-is-honest, type: attested}
`;

  it('a grid from YAML, its version, and the project’s status on it and on the container', async () => {
    const slug = await api.container();
    const at = `/containers/${slug}`;
    expect((await get(at, reader)).body.project).toBeNull();
    const made = expectShape(await api.call('POST', `${at}/grid/init`, { as: api.operator, body: { grid: YAML } }), 201, shape.grid);
    expect(made).toMatchObject({ version: 1, arrows: [{ id: 'payments-1', status: 'unevaluated' }], project: { version: 1, complete: 0, total: 1, unevaluated: 1 } });
    expect(made.grid.arrows[0]).toMatchObject({ requires: [], dependencies: [], clauses: [{ id: 'C1', arguments: { scope: 'src/**' } }, { id: 'C2' }] });
    expect(expectShape(await get(`${at}/grid`, reader), 200, shape.grid)).toEqual(made);
    const { version, digest, grid } = made;
    expect(expectShape(await get(`${at}/grid/versions/1`, reader), 200, shape.gridVersion)).toEqual({ version, digest, grid });
    expect(expectShape(await get(at, reader), 200, shape.container).project).toEqual(made.project);
    expect(expectShape(await api.call('POST', `${at}/grid/mirror/rebuild`, { as: api.operator }), 200, shape.gridPointer)).toMatchObject({ version, digest });
    const chain = await api.call('POST', `${at}/checkpoints/acknowledge`, { as: api.operator, body: { reason: 'Why not' } });
    expect([chain.status, chain.body]).toEqual([200, { acknowledged: 1 }]);
  });

  it('a pass from its start to its completion, by the hands of its assignee; one that is aborted', async () => {
    const slug = await api.container();
    const at = `/containers/${slug}`;
    await api.call('POST', `${at}/grid/init`, { as: api.operator, body: { grid: YAML } });
    const grant = await api.grantTo(slug, lead);
    await api.call('POST', `${at}/blocks`, { as: lead, body: { grant, title: 'Work', assignee: other.id } });
    const startIt = (as: Principal) => api.call('POST', `${at}/passes`, { as, body: { grant, arrow: 'payments-1' } });
    const pass = expectShape(await startIt(other), 201, shape.pass);
    const pending = (id: string, type: string, concept: string) => ({ id, type, concept, status: 'pending', reason: null });
    expect(pass).toMatchObject({ arrow: 'payments-1', role: 'analyst', context: 'payments', gridVersion: 1, grant, state: 'running', reason: null, endedAt: null, starter: refOf(other) });
    expect(pass.clauses).toEqual([pending('C1', 'machine', 'compiles'), pending('C2', 'attested', 'residue-is-honest')]);
    const move = (id: string, clause: string, as: Principal, body: object) => api.call('POST', `${at}/passes/${id}/clauses/${clause}/transitions`, { as, body });
    const moved = expectShape(await move(pass.id, 'C1', other, { to: 'pass', details: { log: 'ok' } }), 200, shape.transition);
    expect(moved).toMatchObject({ clause: 'C1', from: 'pending', to: 'pass' });
    expectShape(await move(pass.id, 'C2', lead, { to: 'awaiting-attestation', reason: 'Look at it' }), 200, shape.transition);
    const done = expectShape(await api.call('POST', `${at}/passes/${pass.id}/complete`, { as: other, body: { grant } }), 200, shape.pass);
    expect(done).toMatchObject({ state: 'completed', reason: null, clauses: [{ status: 'pass' }, { status: 'awaiting-attestation', reason: 'Look at it' }] });
    expect([moved.at > pass.startedAt, done.endedAt > moved.at]).toEqual([true, true]);
    expect((await get(`${at}/grid`, reader)).body.arrows).toEqual([{ id: 'payments-1', status: 'provisional' }]);
    expectShape(await move(pass.id.toUpperCase(), 'C2', api.operator, { to: 'pass' }), 200, shape.transition);
    expect((await get(`${at}/grid`, reader)).body.project).toEqual({ version: 1, complete: 1, total: 1, unevaluated: 0 });

    const again = expectShape(await startIt(lead), 201, shape.pass);
    const aborted = expectShape(await api.call('POST', `${at}/passes/${again.id}/abort`, { as: api.operator, body: { reason: 'operator-interrupt' } }), 200, shape.pass);
    expect(aborted).toEqual({ ...again, state: 'aborted', reason: 'operator-interrupt', endedAt: aborted.endedAt });
    expect(expectShape(await get(`${at}/passes/${again.id.toUpperCase()}`, reader), 200, shape.pass)).toEqual(aborted);
    expect(expectShape(await get(`${at}/passes`, reader), 200, shape.pageOf(shape.pass)).items.map((p: { id: string }) => p.id)).toEqual([again.id, pass.id]);
  });

  it('an amendment of the lead, committed within a second or so; an operator’s that was set aside, submitted again', async () => {
    const slug = await containerWith(api, [arrow('a'), arrow('b', { context: 'ledger' })]);
    const at = `/containers/${slug}`;
    const grant = await api.grantTo(slug, lead);
    const [first] = [await complete(api, slug, lead, 'a')];
    expect(first.state).toBe('completed');
    const amendment = (stratum: number) => ({ baseVersion: 1, changes: [{ artifact: 'docs/x.md', section: 's' }], grid: gridOf([arrow('a', { stratum }), arrow('b', { context: 'ledger' })]), rationale: 'Why' });
    const settled = async (id: string) => {
      for (;;) {
        const { items } = expectShape(await get(`${at}/amendments`, reader), 200, shape.pageOf(shape.amendment));
        const found = items.find((a: { id: string }) => a.id === id);
        if (!['queued', 'committing'].includes(found.state)) return found;
      }
    };
    const asked = expectShape(await api.call('POST', `${at}/amendments`, { as: lead, body: { grant, ...amendment(2) } }), 202, shape.amendment);
    expect(asked).toMatchObject({ state: 'queued', version: null, author: refOf(lead), grant, place: 1, baseVersion: 1 });
    expect(await settled(asked.id)).toMatchObject({ state: 'committed', version: 2 });
    expect(expectShape(await get(`${at}/grid`, reader), 200, shape.grid)).toMatchObject({ version: 2, arrows: [{ id: 'a', status: 'invalidated' }, { id: 'b', status: 'unevaluated' }] });
    const late = expectShape(await api.call('POST', `${at}/amendments`, { as: api.operator, body: amendment(3) }), 202, shape.amendment);
    expect(await settled(late.id)).toMatchObject({ state: 'needs-rejustification', version: null, outcome: expect.stringContaining('v2') });
    const again = expectShape(await api.call('POST', `${at}/amendments/${late.id}/resubmit`, { as: api.operator, body: { ...amendment(3), baseVersion: 2 } }), 202, shape.amendment);
    expect(again).toMatchObject({ id: late.id, state: 'queued', place: 3 });
    expect(await settled(late.id)).toMatchObject({ state: 'committed', version: 3 });
  });

  it('GET /recovery: for operators', async () => {
    const report = expectShape(await get('/recovery', api.operator), 200, shape.recovery);
    expect(report.steps.map((s: { name: string }) => s.name)).toEqual(['engine', 'amendment', 'runner']);
    for (const who of [reader, lead]) expect((await get('/recovery', who)).body.code).toBe('forbidden');
  });
});

describe('principals and tokens', () => {
  it('GET /me, for every role', async () => {
    for (const who of [reader, lead, other, api.operator]) {
      const me = expectShape(await get('/me', who), 200, shape.me);
      expect(me).toEqual({ ...refOf(who), role: who.role });
    }
  });

  it('creates, changes and lists principals', async () => {
    const name = `Zoë ${randomUUID()}`;
    const made = expectShape(await api.call('POST', '/principals', { as: api.operator, body: { name, role: 'reader', kind: 'agent', password: 'long enough' } }), 201, shape.fullPrincipal);
    expect(made).toMatchObject({ name, role: 'reader', kind: 'agent', active: true });
    const changed = expectShape(await api.call('PATCH', `/principals/${made.id}`, { as: api.operator, body: { role: 'coworker', active: false } }), 200, shape.fullPrincipal);
    expect(changed).toEqual({ ...made, role: 'coworker', active: false });
    const found = expectShape(await get(`/principals?q=${encodeURIComponent(name.toUpperCase())}`, api.operator), 200, shape.pageOf(shape.fullPrincipal));
    expect(found).toEqual({ items: [changed], next: null });
  });

  it('issues a token that is shown once, lists and revokes it', async () => {
    const owner = await api.person();
    const issued = expectShape(await api.call('POST', `/principals/${owner.id}/tokens`, { as: api.operator, body: { label: 'Laptop', expiresInDays: 1 } }), 201, shape.issuedToken);
    expect((await api.call('GET', '/me', { as: issued.token })).body.id).toBe(owner.id);
    const list = await get(`/principals/${owner.id}/tokens`, api.operator);
    expect(expectShape(list, 200, shape.pageOf(shape.token)).items).toMatchObject([{ id: issued.id, label: 'Laptop', revokedAt: null }]);
    expect(list.text).not.toContain(issued.token);
    expectNothing(await api.call('DELETE', `/tokens/${issued.id}`, { as: api.operator }));
    expectNothing(await api.call('DELETE', `/tokens/${issued.id}`, { as: api.operator }));
    expect((await api.call('GET', '/me', { as: issued.token })).status).toBe(401);
  });

  it('healthz, readyz and the document need no sign-in', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'ok' });
    expect((await get('/readyz')).body).toEqual({ status: 'ready' });
    expect((await get('/openapi.json')).body.openapi).toBe('3.1.0');
    for (const path of ['/healthz', '/readyz', '/openapi.json']) expect((await get(path)).headers.get('cache-control')).toBe('no-store');
  });
});

describe('paging', () => {
  let slug: string;
  let work: string;
  let full: Principal;
  const LISTS: Record<string, { path: () => string; as: () => Principal; cursor: 'cursor' | 'before'; bad: string[] }> = {};
  const list = (name: string, path: () => string, as: () => Principal, cursor: 'cursor' | 'before', bad: string[]) => (LISTS[name] = { path, as, cursor, bad });
  const NUMBERS = ['0', '-1', '1.5', '01', 'x', '', ' 1', '1e3', '9007199254740993', '9'.repeat(40), "1'--"];
  list('containers', () => '/containers', () => reader, 'cursor', ['', 'UPPER', 'a b', 'x'.repeat(65), "x'--", '%00']);
  list('lock revisions', () => `/containers/${slug}/lock/revisions`, () => reader, 'before', [...NUMBERS, '1000']);
  list('collaboration revisions', () => `/containers/${slug}/collaboration/revisions`, () => reader, 'before', [...NUMBERS, '1000']);
  list('landings', () => `/containers/${slug}/landings`, () => reader, 'cursor', [...NUMBERS, '1000']);
  list('entries', () => `/containers/${slug}/entries`, () => reader, 'cursor', NUMBERS);
  list('found entries', () => `/containers/${slug}/entries?q=title`, () => reader, 'cursor', ['o0', 'o-1', '1', '', 'o9999999999']);
  list('entry revisions', () => `/containers/${slug}/entries/TS-1/revisions`, () => reader, 'cursor', [...NUMBERS, '1000']);
  list('audit', () => `/containers/${slug}/audit`, () => reader, 'cursor', [...NUMBERS, '900719925474099']);
  list('drafts', () => `/containers/${slug}/drafts`, () => lead, 'cursor', ['', '1', '0:1', '1:0', ':', '1:1:1', '-1:1', `1:${'9'.repeat(20)}`]);
  list('passes', () => `/containers/${work}/passes`, () => reader, 'cursor', ['', '1', 'x', randomUUID(), "x'--"]);
  list('amendments', () => `/containers/${work}/amendments`, () => reader, 'cursor', NUMBERS);
  list('principals', () => '/principals', () => api.operator, 'cursor', ['', '1', 'x', randomUUID(), "x'--"]);
  list('tokens', () => `/principals/${full.id}/tokens`, () => api.operator, 'cursor', ['', '1', randomUUID()]);

  beforeAll(async () => {
    slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    for (let i = 0; i < 4; i++) {
      await api.lease(slug, lead, { grant, to: lead.id, from: i + 1, through: i + 1 });
      await api.push(slug, lead, grant, [{ identifier: `TS-${i + 1}`, title: `A title ${i}`, body: '' }]);
      await api.push(slug, lead, grant, [{ identifier: 'TS-1', title: `A title ${i}`, body: '' }]);
      await api.call('PUT', `/containers/${slug}/drafts/TS-${i + 10}`, { as: lead, base: 0, body: { grant, title: 'T', body: '' } });
      await api.call('PUT', `/containers/${slug}/lock/notes`, { as: lead, base: await api.revision(slug), body: { notes: `${i}` } });
    }
    work = await containerWith(api, Array.from({ length: 5 }, (_, i) => arrow(`a${i}`, { context: `c${i}`, clauses: clausesOf(['machine']) })));
    const grid = gridOf([arrow('a')]);
    await api.lead(work, lead);
    for (let i = 0; i < 5; i++) await start(api, work, lead, `a${i}`);
    for (let i = 0; i < 4; i++) await api.call('POST', `/containers/${work}/amendments`, { as: api.operator, body: { baseVersion: 1, changes: [], grid, rationale: `${i}` } });
    for (let open = true; open; ) open = (await get(`/containers/${work}/amendments`, reader)).body.items.some((a: { state: string }) => ['queued', 'committing'].includes(a.state));
    full = await api.person();
    for (let i = 0; i < 4; i++) await api.call('POST', `/principals/${full.id}/tokens`, { as: api.operator, body: {} });
  });

  const page = (name: string, query: string) => {
    const { path, as } = LISTS[name]!;
    return get(`${path()}${path().includes('?') ? '&' : '?'}${query}`, as());
  };

  it.each(Object.keys(LISTS))('%s: two by two gives what one page gives, in its order', async (name) => {
    const { body: whole } = await page(name, 'limit=200');
    expect(whole.next).toBeNull();
    expect(whole.items.length).toBeGreaterThanOrEqual(4);
    const timeless = (item: object) => ({ ...item, now: undefined });
    const seen: object[] = [];
    let next: string | null = null;
    do {
      const query: string = next === null ? 'limit=2' : `limit=2&${LISTS[name]!.cursor}=${encodeURIComponent(next)}`;
      const { status, body } = await page(name, query);
      expect(status).toBe(200);
      expect(body.items.length).toBe(Math.min(2, whole.items.length - seen.length));
      seen.push(...body.items);
      next = body.next;
    } while (next !== null);
    expect(seen.map(timeless)).toEqual(whole.items.map(timeless));
    expect((await page(name, `limit=${whole.items.length}`)).body.next).toBeNull();
  });

  it.each(Object.keys(LISTS))('%s: a limit out of 1 to 200 and an unknown cursor are 422', async (name) => {
    for (const limit of ['0', '201', '-1', '1.5', '1e2', '', '%201', '1%20', '0x10', '01', 'x', '9'.repeat(30), '%00']) {
      const reply = await page(name, `limit=${limit}`);
      expect([limit, reply.status, reply.body.errors?.[0].path]).toEqual([limit, 422, 'limit']);
    }
    for (const limit of ['1', '200']) expect((await page(name, `limit=${limit}`)).status).toBe(200);
    const { cursor, bad } = LISTS[name]!;
    for (const value of bad) {
      const reply = await page(name, `${cursor}=${value === '%00' ? value : encodeURIComponent(value)}`);
      expect([value, reply.status, reply.body.errors?.[0].path]).toEqual([value, 422, cursor]);
    }
  });

  it('is 50 by default', async () => {
    const place = await api.container();
    const { grant } = await api.lead(place, lead);
    for (let i = 0; i < 52; i++) await api.push(place, lead, grant);
    const { body } = await get(`/containers/${place}/landings`, reader);
    expect([body.items.length, body.next]).toEqual([50, '3']);
  });
});
