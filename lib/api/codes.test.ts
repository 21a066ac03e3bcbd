/** Section 10's table of refusals: each over HTTP, with its status and members. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { beginRecovery, finishStep, STEPS, thisInstance } from '../db/phase';
import { log } from '../log';
import type { Principal } from '../principals/record';
import { openApi, problemBody, type Api, type CallOptions, type Reply } from '../testing/api';
import { arrow, clausesOf, complete, containerWith, gridOf, start } from '../testing/work';
import { letTimePass } from '../testing/world';
import { setRuntime } from '../runtime';

/** The table, without R-9. */
const TABLE = {
  'malformed-json': 400,
  'idempotency-key-required': 400,
  unauthenticated: 401,
  forbidden: 403,
  'producer-cannot-attest': 403,
  'not-found': 404,
  'unknown-clause': 404,
  'lock-held': 409,
  'not-your-turn': 409,
  'push-required': 409,
  'not-silent': 409,
  'grant-moved': 409,
  'container-closed': 409,
  archived: 409,
  'grant-unknown': 409,
  'grant-superseded': 409,
  'grant-cleared': 409,
  'grant-released': 409,
  'not-holder': 409,
  'grant-expired': 409,
  'already-waiting': 409,
  'already-holder': 409,
  'range-taken': 409,
  'wrong-state': 409,
  'slug-taken': 409,
  'name-taken': 409,
  'last-operator': 409,
  'grid-missing': 409,
  'grid-exists': 409,
  'illegal-transition': 409,
  'pass-not-running': 409,
  'clauses-open': 409,
  'transition-refused': 409,
  'transition-refused-invalidated': 409,
  'single-active-role-violation': 409,
  'amendment-queue-full': 409,
  'edit-conflict': 412,
  'precondition-required': 428,
  'too-large': 413,
  'invalid-input': 422,
  'landing-invalid': 422,
  'idempotency-mismatch': 422,
  'rate-limited': 429,
  recovering: 503,
} as const;
type Code = keyof typeof TABLE;

const seen = new Set<Code>();
let api: Api;
let lead: Principal;
let other: Principal;

/** The answer is this refusal, with exactly these members. */
function expectRefusal(reply: Reply, code: Code, members: Record<string, unknown> = {}): void {
  const title = expect.stringMatching(/\S/);
  expect(reply.body).toEqual(problemBody(code, TABLE[code], title, expect.stringMatching(/\S/), members));
  expect(reply.status).toBe(TABLE[code]);
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  expect(reply.headers.get('cache-control')).toBe('no-store');
  seen.add(code);
}

const refOf = ({ id, name, kind }: Principal) => ({ id, name, kind });
const post = (path: string, options: CallOptions) => api.call('POST', path, options);
const landing = (grant: number, more: object = {}) => ({ grant, message: 'A push', entries: [], ...more });
const push = (slug: string, as: Principal, body: object, key: string = randomUUID()) => post(`/containers/${slug}/landings`, { as, key, body });

beforeAll(async () => {
  api = await openApi();
  lead = await api.person();
  other = await api.person('coworker', 'agent');
});
afterAll(() => api.close());

describe('before anything is decided', () => {
  it('malformed-json: no JSON, none at all, or not UTF-8', async () => {
    const slug = await api.container();
    for (const raw of ['', '{', '{"reason":', 'reason', "{'a':1}", '{"a":1,}', 'NaN', new Uint8Array([0x22, 0xff, 0x22])]) {
      expectRefusal(await post(`/containers/${slug}/petitions`, { as: lead, raw }), 'malformed-json');
    }
  });

  it('idempotency-key-required: on landings', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    expectRefusal(await post(`/containers/${slug}/landings`, { as: lead, body: landing(grant) }), 'idempotency-key-required');
  });

  it('unauthenticated: no sign-in, an unknown token, and a container that is not public', async () => {
    const slug = await api.container();
    const bad = { as: `hf_${'A'.repeat(43)}` };
    for (const reply of [
      await api.call('GET', '/me'),
      await api.call('GET', '/me', bad),
      await api.call('GET', `/containers/${slug}/lock`),
      await api.call('GET', '/containers/no-such-container/lock'),
      await post('/containers', { body: { slug: 'x', title: 'X' } }),
    ]) {
      expectRefusal(reply, 'unauthenticated');
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it('forbidden: names the needed role', async () => {
    const reader = await api.person('reader');
    const slug = await api.container();
    expectRefusal(await post(`/containers/${slug}/petitions`, { as: reader, body: { reason: 'Why' } }), 'forbidden', { neededRole: 'coworker' });
    expectRefusal(await post('/containers', { as: lead, body: { slug: 'x', title: 'X' } }), 'forbidden', { neededRole: 'operator' });
    expectRefusal(await post(`/containers/${slug}/lock/clear`, { as: lead, base: 1, body: { grant: 1, reason: 'Why' } }), 'forbidden', { neededRole: 'operator' });
    expectRefusal(await api.call('GET', '/principals', { as: lead }), 'forbidden', { neededRole: 'operator' });
  });

  it('forbidden: another’s petition, and another’s block', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const { body: petition } = await post(`/containers/${slug}/petitions`, { as: other, body: { reason: 'Mine' } });
    const third = await api.person();
    expectRefusal(await api.call('DELETE', `/containers/${slug}/petitions/${petition.id}`, { as: third }), 'forbidden', { neededRole: 'operator' });
    const { body: block } = await post(`/containers/${slug}/blocks`, { as: lead, body: { grant, title: 'Work', assignee: other.id } });
    expectRefusal(await api.call('PATCH', `/containers/${slug}/blocks/${block.id}`, { as: third, body: { state: 'done' } }), 'forbidden', { neededRole: 'coworker' });
  });

  it('not-found: containers, what is in them, principals, tokens, calls and methods', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const nobody = randomUUID();
    for (const reply of [
      await api.call('GET', '/containers/no-such-container', { as: lead }),
      await post('/containers/no-such-container/petitions', { as: lead, body: { reason: 'Why' } }),
      await push('no-such-container', lead, landing(grant)),
      await api.call('DELETE', `/containers/${slug}/petitions/${nobody}`, { as: lead }),
      await api.call('DELETE', `/containers/${slug}/petitions/7`, { as: lead }),
      await api.call('PATCH', `/containers/${slug}/blocks/${nobody}`, { as: lead, body: { state: 'done' } }),
      await api.call('DELETE', `/containers/${slug}/drafts/TS-1`, { as: lead }),
      await api.call('PUT', `/containers/${slug}/drafts/TS-0`, { as: lead, base: 0, body: { grant, title: 'T', body: '' } }),
      await api.call('PUT', `/containers/${slug}/drafts/XX-1`, { as: lead, base: 0, body: { grant, title: 'T', body: '' } }),
      await api.call('GET', `/containers/${slug}/landings/1`, { as: lead }),
      await api.call('GET', `/containers/${slug}/landings/0`, { as: lead }),
      await api.call('GET', `/containers/${slug}/landings/one`, { as: lead }),
      await api.call('GET', `/containers/${slug}/entries/TS-1`, { as: lead }),
      await api.call('GET', `/containers/${slug}/entries/TS-1/revisions`, { as: lead }),
      await api.call('PATCH', `/principals/${nobody}`, { as: api.operator, body: { active: false } }),
      await post(`/principals/${nobody}/tokens`, { as: api.operator, body: {} }),
      await api.call('GET', `/principals/${nobody}/tokens`, { as: api.operator }),
      await api.call('DELETE', `/tokens/${nobody}`, { as: api.operator }),
      await api.call('GET', '/no-such-call', { as: lead }),
      await api.call('DELETE', `/containers/${slug}`, { as: api.operator }),
      await api.call('GET', '/'),
    ]) {
      expectRefusal(reply, 'not-found');
    }
  });

  it('precondition-required: on every revision-checked edit', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const edits: [string, string, Principal, object][] = [
      ['POST', 'lock/acquire', lead, {}],
      ['POST', 'lock/heartbeat', lead, { grant }],
      ['POST', 'lock/release', lead, { grant }],
      ['POST', 'lock/clear', api.operator, { grant, reason: 'Why' }],
      ['POST', 'lock/reopen', api.operator, { nextGrant: 9, reason: 'Why' }],
      ['PUT', 'lock/notes', lead, { notes: '' }],
      ['PUT', 'collaboration/notes', lead, { notes: '' }],
      ['PUT', 'drafts/TS-1', lead, { grant, title: 'T', body: '' }],
    ];
    for (const [method, path, as, body] of edits) {
      expectRefusal(await api.call(method, `/containers/${slug}/${path}`, { as, body }), 'precondition-required');
    }
    expectRefusal(await api.call('PATCH', `/containers/${slug}`, { as: api.operator, body: { title: 'T' } }), 'precondition-required');
  });

  it('too-large: a landing above 8 MiB, told by its length or found while reading', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const raw = JSON.stringify(landing(grant, { message: 'x'.repeat(8 * 1024 * 1024) }));
    const key = randomUUID();
    expectRefusal(await post(`/containers/${slug}/landings`, { as: lead, key, raw, headers: { 'content-length': String(raw.length) } }), 'too-large');
    expectRefusal(await post(`/containers/${slug}/landings`, { as: lead, key, raw }), 'too-large');
    let cancelled = false;
    const chunk = new Uint8Array(1024 * 1024).fill(0x20);
    const endless = new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(chunk), cancel: () => void (cancelled = true) });
    expectRefusal(await post(`/containers/${slug}/landings`, { as: lead, key, raw: endless }), 'too-large');
    expect(cancelled).toBe(true);
    expectRefusal(await post(`/containers/${slug}/petitions`, { as: lead, raw: ' '.repeat(3 * 1024 * 1024) }), 'too-large');
  });

  it('invalid-input: every fault with its path', async () => {
    const slug = await api.container();
    expectRefusal(await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: ' ', more: 1 } }), 'invalid-input', {
      errors: [
        { path: 'reason', message: expect.any(String) },
        { path: 'more', message: expect.any(String) },
      ],
    });
    const grant = await api.grantTo(slug, lead);
    const fault = (path: string) => ({ errors: [{ path, message: expect.any(String) }] });
    expectRefusal(await push(slug, lead, landing(grant, { entries: [{ identifier: 'TS-1', title: '', body: '' }] })), 'invalid-input', fault('entries[0].title'));
    expectRefusal(await push(slug, lead, landing(grant, { keepLeases: [randomUUID()] })), 'invalid-input', fault('keepLeases[0]'));
    expectRefusal(await post(`/containers/${slug}/leases`, { as: lead, body: { grant, to: randomUUID(), count: 1 } }), 'invalid-input', fault('to'));
    expectRefusal(await post(`/containers/${slug}/blocks`, { as: lead, body: { grant, title: 'T', assignee: randomUUID() } }), 'invalid-input', fault('assignee'));
    expectRefusal(await post(`/containers/${slug}/blocks`, { as: lead, body: { grant, title: 'T', assignee: lead.id, leaseId: randomUUID() } }), 'invalid-input', fault('leaseId'));
    const base = await api.revision(slug);
    expectRefusal(await post(`/containers/${slug}/lock/reopen`, { as: api.operator, base, body: { nextGrant: 1, reason: 'Why' } }), 'invalid-input', fault('nextGrant'));
    expectRefusal(await api.call('GET', `/containers/${slug}/landings?limit=0`, { as: lead }), 'invalid-input', fault('limit'));
    expectRefusal(
      await post(`/containers/${slug}/lock/acquire`, { as: lead, body: {}, headers: { 'if-match': 'W/"1"' } }),
      'invalid-input',
      fault('If-Match'),
    );
    expectRefusal(await push(slug, lead, landing(grant), 'k'.repeat(201)), 'invalid-input', fault('Idempotency-Key'));
  });

  it('a reader cannot be leased to, nor a deactivated principal given a block', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const reader = await api.person('reader');
    const gone = await api.person();
    await api.call('PATCH', `/principals/${gone.id}`, { as: api.operator, body: { active: false } });
    const fault = (path: string) => ({ errors: [{ path, message: expect.any(String) }] });
    expectRefusal(await post(`/containers/${slug}/leases`, { as: lead, body: { grant, to: reader.id, count: 1 } }), 'invalid-input', fault('to'));
    expectRefusal(await post(`/containers/${slug}/blocks`, { as: lead, body: { grant, title: 'T', assignee: gone.id } }), 'invalid-input', fault('assignee'));
  });
});

describe('the lock', () => {
  it('lock-held: who, why, under which grant, since and until when; the holder too', async () => {
    const slug = await api.container();
    const held = await api.lead(slug, lead, 'Because of this');
    const members = { holder: refOf(lead), reason: 'Because of this', grant: held.grant, grantedAt: held.grantedAt, expiresAt: held.expiresAt };
    const base = held.revision;
    expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: other, base, body: {} }), 'lock-held', members);
    expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: lead, base, body: {} }), 'lock-held', members);
    expectRefusal(await api.call('PUT', `/containers/${slug}/lock/notes`, { as: other, base, body: { notes: 'Mine' } }), 'lock-held', members);
    expectRefusal(await post(`/containers/${slug}/archive`, { as: api.operator }), 'lock-held', members);
  });

  it('not-your-turn: whose turn it is, and when the caller’s begins', async () => {
    const slug = await api.container({ windowSeconds: 600 });
    await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: 'First' } });
    await post(`/containers/${slug}/petitions`, { as: other, body: { reason: 'Second' } });
    const base = await api.revision(slug);
    const { queue, othersTurnAt } = await api.lock(slug);
    expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: other, base, body: {} }), 'not-your-turn', { turnOf: refOf(lead), yourTurnAt: queue[1]!.turnAt });
    const third = await api.person();
    expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: third, base, body: {} }), 'not-your-turn', { turnOf: refOf(lead), yourTurnAt: othersTurnAt });
    await letTimePass(api.db, slug, 700);
    const late = await api.lock(slug);
    expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: third, base, body: {} }), 'not-your-turn', { turnOf: refOf(other), yourTurnAt: late.othersTurnAt });
  });

  it('push-required: a release before a push', async () => {
    const slug = await api.container();
    const { grant, revision } = await api.lead(slug, lead);
    expectRefusal(await post(`/containers/${slug}/lock/release`, { as: lead, base: revision, body: { grant } }), 'push-required');
  });

  it('not-silent: while held, when it can be cleared; with no holder, null', async () => {
    const slug = await api.container();
    expectRefusal(await post(`/containers/${slug}/lock/clear`, { as: api.operator, base: 1, body: { grant: 0, reason: 'Why' } }), 'not-silent', { clearableAt: null });
    const { grant, revision, expiresAt } = await api.lead(slug, lead);
    expectRefusal(await post(`/containers/${slug}/lock/clear`, { as: api.operator, base: revision, body: { grant, reason: 'Why' } }), 'not-silent', { clearableAt: expiresAt });
  });

  it('grant-moved: a clear of another grant', async () => {
    const slug = await api.container();
    const { grant, revision } = await api.lead(slug, lead);
    for (const moved of [grant - 1, grant + 1]) {
      expectRefusal(await post(`/containers/${slug}/lock/clear`, { as: api.operator, base: revision, body: { grant: moved, reason: 'Why' } }), 'grant-moved', { currentGrant: grant });
    }
  });

  it('container-closed: when a revision shows a grant above the page’s; a re-opening ends it', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    await push(slug, lead, landing(grant));
    // What a restored dump of the page alone looks like.
    await api.db.query(`UPDATE lock_page SET "grant" = 0, next_grant = 1, holder_id = NULL, available_since = granted_at WHERE container_id = (SELECT id FROM container WHERE slug = '${slug}')`);
    const base = await api.revision(slug);
    const closed = { reason: expect.stringMatching(/grant 1\b.*grant 0|grant 1 is on record, the lock page is at 0/) };
    expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: lead, base, body: {} }), 'container-closed', closed);
    expectRefusal(await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: 'Why' } }), 'container-closed', closed);
    expectRefusal(await api.call('PUT', `/containers/${slug}/lock/notes`, { as: lead, base, body: { notes: 'N' } }), 'container-closed', closed);
    const { body: page } = await api.call('GET', `/containers/${slug}/collaboration`, { as: lead });
    expectRefusal(await api.call('PUT', `/containers/${slug}/collaboration/notes`, { as: lead, base: page.revision, body: { notes: 'N' } }), 'container-closed', closed);
    expect((await post(`/containers/${slug}/lock/reopen`, { as: api.operator, base, body: { nextGrant: 1000, reason: 'A restore' } })).status).toBe(200);
    const again = await post(`/containers/${slug}/lock/acquire`, { as: lead, base: await api.revision(slug), body: {} });
    expect([again.status, again.body.grant]).toEqual([200, 1000]);
  });

  it('archived: every write', async () => {
    const slug = await api.container();
    const { body: petition } = await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: 'Why' } });
    await post(`/containers/${slug}/archive`, { as: api.operator });
    const base = await api.revision(slug);
    const { body: page } = await api.call('GET', `/containers/${slug}/collaboration`, { as: lead });
    const { body: container } = await api.call('GET', `/containers/${slug}`, { as: lead });
    expect(container.archivedAt).not.toBeNull();
    for (const reply of [
      await post(`/containers/${slug}/lock/acquire`, { as: lead, base, body: {} }),
      await post(`/containers/${slug}/lock/reopen`, { as: api.operator, base, body: { nextGrant: 9, reason: 'Why' } }),
      await post(`/containers/${slug}/lock/clear`, { as: api.operator, base, body: { grant: 0, reason: 'Why' } }),
      await api.call('PUT', `/containers/${slug}/lock/notes`, { as: lead, base, body: { notes: 'N' } }),
      await api.call('PUT', `/containers/${slug}/collaboration/notes`, { as: lead, base: page.revision, body: { notes: 'N' } }),
      await post(`/containers/${slug}/petitions`, { as: other, body: { reason: 'Why' } }),
      await api.call('DELETE', `/containers/${slug}/petitions/${petition.id}`, { as: lead }),
      await api.call('PATCH', `/containers/${slug}`, { as: api.operator, base: container.revision, body: { title: 'T' } }),
    ]) {
      expectRefusal(reply, 'archived');
    }
  });
});

describe('archived and closed containers: work too', () => {
  const attested = () => containerWith(api, [arrow('a', { clauses: clausesOf(['attested', 'machine']) })]);
  const grid = gridOf([arrow('a')]);
  const amendment = { baseVersion: 1, changes: [], grid, rationale: 'Why' };

  it('archived: a first grid, an amendment, and a verdict that comes late', async () => {
    const slug = await attested();
    const { grant } = await api.lead(slug, lead);
    const pass = await complete(api, slug, lead, 'a', { C1: 'awaiting-attestation', C2: 'pass' });
    await push(slug, lead, landing(grant));
    await post(`/containers/${slug}/lock/release`, { as: lead, base: await api.revision(slug), body: { grant } });
    await post(`/containers/${slug}/archive`, { as: api.operator });
    expectRefusal(await post(`/containers/${slug}/amendments`, { as: api.operator, body: amendment }), 'archived');
    expectRefusal(await post(`/containers/${slug}/passes/${pass.id}/clauses/C1/transitions`, { as: api.operator, body: { to: 'pass' } }), 'archived');
    const bare = await api.container();
    await post(`/containers/${bare}/archive`, { as: api.operator });
    expectRefusal(await post(`/containers/${bare}/grid/init`, { as: api.operator, body: { grid } }), 'archived');
  });

  it('container-closed: nothing moves, starts or ends where the record shows a later grant (LP-4)', async () => {
    const slug = await attested();
    const { grant } = await api.lead(slug, lead);
    const pass = await start(api, slug, lead, 'a');
    // A record from before a restore.
    await api.db.query(`
      ALTER TABLE lock_revision DISABLE TRIGGER append_only;
      UPDATE lock_revision SET "grant" = 2 WHERE container_id = (SELECT id FROM container WHERE slug = '${slug}') AND kind = 'acquire';
      ALTER TABLE lock_revision ENABLE TRIGGER append_only;`);
    const closed = { reason: 'grant 2 is on record, the lock page is at 1' };
    const at = `/containers/${slug}/passes`;
    for (const reply of [
      await post(at, { as: lead, body: { grant, arrow: 'a' } }),
      await post(`${at}/${pass.id}/clauses/C2/transitions`, { as: lead, body: { to: 'pass' } }),
      await post(`${at}/${pass.id}/complete`, { as: lead, body: { grant } }),
      await post(`${at}/${pass.id}/abort`, { as: lead, body: { reason: 'manual-stop' } }),
      await post(`/containers/${slug}/amendments`, { as: lead, body: { grant, ...amendment } }),
    ]) {
      expectRefusal(reply, 'container-closed', closed);
    }
  });
});

describe('receipts', () => {
  /** Every call that carries a grant, except clear. */
  const carriers = async (slug: string, as: Principal, grant: number): Promise<Reply[]> => {
    const base = await api.revision(slug);
    return [
      await post(`/containers/${slug}/lock/heartbeat`, { as, base, body: { grant } }),
      await post(`/containers/${slug}/lock/release`, { as, base, body: { grant } }),
      await push(slug, as, landing(grant)),
      await post(`/containers/${slug}/leases`, { as, body: { grant, to: as.id, count: 1 } }),
      await post(`/containers/${slug}/blocks`, { as, body: { grant, title: 'T', assignee: as.id } }),
      await api.call('PUT', `/containers/${slug}/drafts/TS-1`, { as, base: 0, body: { grant, title: 'T', body: '' } }),
      await post(`/containers/${slug}/passes`, { as, body: { grant, arrow: 'a' } }),
      await post(`/containers/${slug}/amendments`, { as, body: { grant, baseVersion: 1, changes: [], grid: gridOf([arrow('a')]), rationale: 'Why' } }),
    ];
  };
  const receiptOf = (yourGrant: number, page: { grant: number; holder: unknown; grantedAt: unknown; expiresAt: unknown }) => ({
    yourGrant,
    currentGrant: page.grant,
    holder: page.holder,
    grantedAt: page.grantedAt,
    expiresAt: page.expiresAt,
  });
  const expectReceipts = async (slug: string, as: Principal, grant: number, code: Code) => {
    const members = receiptOf(grant, await api.lock(slug));
    for (const reply of await carriers(slug, as, grant)) expectRefusal(reply, code, members);
  };

  it('grant-unknown: above the current, also where none was ever given', async () => {
    const slug = await api.container();
    await expectReceipts(slug, lead, 1, 'grant-unknown');
    await api.lead(slug, lead);
    await expectReceipts(slug, lead, 2, 'grant-unknown');
    await expectReceipts(slug, lead, Number.MAX_SAFE_INTEGER, 'grant-unknown');
  });

  it('grant-superseded: below the current, for its former holder and for the present one', async () => {
    const slug = await api.container({ termSeconds: 60 });
    const grant = await api.grantTo(slug, lead);
    await letTimePass(api.db, slug, 61);
    await api.lead(slug, other);
    await expectReceipts(slug, lead, grant, 'grant-superseded');
    await expectReceipts(slug, other, grant, 'grant-superseded');
  });

  it('grant-cleared: the last grant, cleared by an operator', async () => {
    const slug = await api.container({ termSeconds: 60 });
    const { grant, revision } = await api.lead(slug, lead);
    await letTimePass(api.db, slug, 61);
    expect((await post(`/containers/${slug}/lock/clear`, { as: api.operator, base: revision, body: { grant, reason: 'Gone' } })).status).toBe(200);
    await expectReceipts(slug, lead, grant, 'grant-cleared');
    expect((await api.lock(slug)).holder).toBeNull();
  });

  it('grant-released: the last grant, released', async () => {
    const slug = await api.container();
    const { grant, revision } = await api.lead(slug, lead);
    await push(slug, lead, landing(grant));
    expect((await post(`/containers/${slug}/lock/release`, { as: lead, base: revision, body: { grant } })).status).toBe(200);
    await expectReceipts(slug, lead, grant, 'grant-released');
  });

  it('not-holder: the current grant in another’s hand, expired or not', async () => {
    const slug = await api.container({ termSeconds: 60 });
    const grant = await api.grantTo(slug, lead);
    await expectReceipts(slug, other, grant, 'not-holder');
    await letTimePass(api.db, slug, 61);
    await expectReceipts(slug, other, grant, 'not-holder');
  });

  it('grant-expired: the current grant past its expiry, in its holder’s hand', async () => {
    const slug = await api.container({ termSeconds: 60 });
    const grant = await api.grantTo(slug, lead);
    await letTimePass(api.db, slug, 60);
    await expectReceipts(slug, lead, grant, 'grant-expired');
  });

  it('leave an audit line each for refused landings (R-2)', async () => {
    const slug = await api.container();
    await push(slug, lead, landing(7));
    const { body } = await api.call('GET', `/containers/${slug}/audit`, { as: lead });
    expect(body.items[0]).toMatchObject({ actor: refOf(lead), action: 'refused', target: 'landing', grant: 7, reason: 'grant-unknown' });
  });
});

describe('the rest', () => {
  it('already-waiting: with the petition that waits', async () => {
    const slug = await api.container();
    const { body: petition } = await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: 'Why' } });
    expectRefusal(await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: 'Again' } }), 'already-waiting', { petition: petition.id });
  });

  it('already-holder: who holds cannot petition', async () => {
    const slug = await api.container();
    await api.lead(slug, lead);
    expectRefusal(await post(`/containers/${slug}/petitions`, { as: lead, body: { reason: 'Why' } }), 'already-holder');
  });

  it('range-taken: the first clash, with a lease and with what has landed', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const lease = (from: number, through: number) => post(`/containers/${slug}/leases`, { as: lead, body: { grant, to: lead.id, from, through } });
    await lease(10, 19);
    await lease(30, 39);
    expectRefusal(await lease(15, 35), 'range-taken', { from: 15, through: 19 });
    expectRefusal(await lease(1, 10), 'range-taken', { from: 10, through: 10 });
    await push(slug, lead, landing(grant, { entries: [{ identifier: 'TS-12', title: 'T', body: '' }] }));
    expectRefusal(await lease(1, 100), 'range-taken', { from: 12, through: 12 });
  });

  it('wrong-state: of a petition, a block and a draft', async () => {
    const slug = await api.container();
    const { body: petition } = await post(`/containers/${slug}/petitions`, { as: other, body: { reason: 'Why' } });
    await api.call('DELETE', `/containers/${slug}/petitions/${petition.id}`, { as: other });
    expectRefusal(await api.call('DELETE', `/containers/${slug}/petitions/${petition.id}`, { as: other }), 'wrong-state', { state: 'withdrawn' });

    const grant = await api.grantTo(slug, lead);
    const { body: block } = await post(`/containers/${slug}/blocks`, { as: lead, body: { grant, title: 'T', assignee: other.id } });
    const mark = (state: string) => api.call('PATCH', `/containers/${slug}/blocks/${block.id}`, { as: other, body: { state } });
    expect((await mark('done')).status).toBe(200);
    expectRefusal(await mark('returned'), 'wrong-state', { state: 'done' });

    const draft = { as: lead, body: { grant, title: 'T', body: '' } };
    await api.call('PUT', `/containers/${slug}/drafts/TS-1`, { ...draft, base: 0 });
    await api.call('DELETE', `/containers/${slug}/drafts/TS-1`, { as: lead });
    expectRefusal(await api.call('PUT', `/containers/${slug}/drafts/TS-1`, { ...draft, base: 1 }), 'wrong-state', { state: 'deleted' });
    expectRefusal(await api.call('DELETE', `/containers/${slug}/drafts/TS-1`, { as: lead }), 'wrong-state', { state: 'deleted' });
  });

  it('slug-taken: at creation and at a change', async () => {
    const [one, two] = [await api.container(), await api.container()];
    expectRefusal(await post('/containers', { as: api.operator, body: { slug: one, title: 'T' } }), 'slug-taken');
    expectRefusal(await api.call('PATCH', `/containers/${two}`, { as: api.operator, base: 1, body: { slug: one } }), 'slug-taken');
  });

  it('name-taken: at creation and at a change, in any case', async () => {
    const name = lead.name.toUpperCase();
    expectRefusal(await post('/principals', { as: api.operator, body: { name, role: 'reader' } }), 'name-taken');
    expectRefusal(await api.call('PATCH', `/principals/${other.id}`, { as: api.operator, body: { name } }), 'name-taken');
  });

  it('last-operator: neither deactivated nor demoted', async () => {
    for (const body of [{ active: false }, { role: 'coworker' }]) {
      expectRefusal(await api.call('PATCH', `/principals/${api.operator.id}`, { as: api.operator, body }), 'last-operator');
    }
  });

  it('edit-conflict: with the page, the container or the draft as it is now', async () => {
    const slug = await api.container();
    const { grant } = await api.lead(slug, lead);
    const sameNow = (current: object) => ({ current: { ...current, now: expect.any(String) } });
    const { body: lock } = await api.call('GET', `/containers/${slug}/lock`, { as: lead });
    for (const base of [0, 1, 999, Number.MAX_SAFE_INTEGER]) {
      expectRefusal(await post(`/containers/${slug}/lock/acquire`, { as: other, base, body: {} }), 'edit-conflict', sameNow(lock));
      expectRefusal(await post(`/containers/${slug}/lock/clear`, { as: api.operator, base, body: { grant, reason: 'Why' } }), 'edit-conflict', sameNow(lock));
      expectRefusal(await post(`/containers/${slug}/lock/reopen`, { as: api.operator, base, body: { nextGrant: 99, reason: 'Why' } }), 'edit-conflict', sameNow(lock));
      expectRefusal(await post(`/containers/${slug}/lock/heartbeat`, { as: lead, base, body: { grant } }), 'edit-conflict', sameNow(lock));
      expectRefusal(await post(`/containers/${slug}/lock/release`, { as: lead, base, body: { grant } }), 'edit-conflict', sameNow(lock));
      expectRefusal(await api.call('PUT', `/containers/${slug}/lock/notes`, { as: lead, base, body: { notes: 'N' } }), 'edit-conflict', sameNow(lock));
    }
    await api.call('PUT', `/containers/${slug}/collaboration/notes`, { as: lead, base: 1, body: { notes: 'Mine' } });
    const { body: page } = await api.call('GET', `/containers/${slug}/collaboration`, { as: lead });
    for (const base of [0, 1, page.revision + 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expectRefusal(await api.call('PUT', `/containers/${slug}/collaboration/notes`, { as: other, base, body: { notes: 'Yours' } }), 'edit-conflict', sameNow(page));
    }
    const { body: container } = await api.call('GET', `/containers/${slug}`, { as: lead });
    for (const base of [0, container.revision + 1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expectRefusal(await api.call('PATCH', `/containers/${slug}`, { as: api.operator, base, body: { title: 'T' } }), 'edit-conflict', sameNow(container));
    }
    const draft = { as: lead, body: { grant, title: 'T', body: '' } };
    expectRefusal(await api.call('PUT', `/containers/${slug}/drafts/TS-1`, { ...draft, base: 1 }), 'edit-conflict', { current: null });
    const { body: saved } = await api.call('PUT', `/containers/${slug}/drafts/TS-1`, { ...draft, base: 0 });
    for (const base of [0, 2, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expectRefusal(await api.call('PUT', `/containers/${slug}/drafts/TS-1`, { ...draft, base }), 'edit-conflict', { current: saved });
      expectRefusal(await api.call('DELETE', `/containers/${slug}/drafts/TS-1`, { as: lead, base }), 'edit-conflict', { current: saved });
    }
  });

  it('landing-invalid: every bad entry, with its code', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const lease = async (from: number) => (await post(`/containers/${slug}/leases`, { as: lead, body: { grant, to: lead.id, from, through: from + 4 } })).body;
    const [one, two] = [await lease(1), await lease(11)];
    const identifiers = ['TS-1', 'TS-1', 'TS-7', 'TS-01', 'XX-1', 'ts-2', 'TS-9007199254740992', 'TS-', ''];
    const entries = [...identifiers.map((identifier) => ({ identifier, title: 'T', body: '' })), { identifier: 'TS-11', title: 'T', body: '', leaseId: one.id }];
    const faults = ['', 'duplicate-identifier', 'identifier-not-leased', ...Array<string>(6).fill('identifier-malformed'), 'identifier-not-leased'];
    expectRefusal(await push(slug, lead, landing(grant, { entries })), 'landing-invalid', {
      errors: entries.flatMap(({ identifier }, index) => (faults[index] ? [{ index, identifier, code: faults[index], message: expect.any(String) }] : [])),
    });
    expect((await push(slug, lead, landing(grant, { entries: [{ identifier: 'TS-11', title: 'T', body: '', leaseId: two.id }] }))).status).toBe(201);
  });

  it('idempotency-mismatch: the same key with another body, also after the grant has ended', async () => {
    const slug = await api.container();
    const { grant, revision } = await api.lead(slug, lead);
    const key = randomUUID();
    const first = await push(slug, lead, landing(grant), key);
    expect(first.status).toBe(201);
    expectRefusal(await push(slug, lead, landing(grant, { message: 'Another' }), key), 'idempotency-mismatch');
    await post(`/containers/${slug}/lock/release`, { as: lead, base: revision, body: { grant } });
    expectRefusal(await push(slug, lead, landing(grant, { message: 'Another' }), key), 'idempotency-mismatch');
    const again = await push(slug, lead, landing(grant), key);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it('forbidden: a clause that another produces, and another’s verdict, pass and amendment', async () => {
    const slug = await containerWith(api, [arrow('a', { clauses: clausesOf(['machine', 'attested']) })]);
    const grant = await api.grantTo(slug, lead);
    const pass = await start(api, slug, lead, 'a');
    const move = (clause: string, to: string) => post(`/containers/${slug}/passes/${pass.id}/clauses/${clause}/transitions`, { as: other, body: { to } });
    expectRefusal(await move('C1', 'pass'), 'forbidden', { neededRole: 'coworker' });
    expectRefusal(await move('C2', 'pass'), 'forbidden', { neededRole: 'operator' });
    expectRefusal(await post(`/containers/${slug}/passes/${pass.id}/abort`, { as: other, body: { reason: 'manual-stop' } }), 'forbidden', { neededRole: 'operator' });
    expectRefusal(await post(`/containers/${slug}/grid/init`, { as: lead, body: { grid: gridOf([arrow('a')]) } }), 'forbidden', { neededRole: 'operator' });
    expect((await post(`/containers/${slug}/passes/${pass.id}/complete`, { as: other, body: { grant } })).body.code).toBe('not-holder');
  });

  it('not-found: passes, amendments and grid versions', async () => {
    const slug = await containerWith(api, [arrow('a')]);
    const grant = await api.grantTo(slug, lead);
    const elsewhere = await containerWith(api, [arrow('a')]);
    await api.lead(elsewhere, lead);
    const far = await start(api, elsewhere, lead, 'a');
    const amendment = { grant, baseVersion: 1, changes: [], grid: gridOf([arrow('a')]), rationale: 'Why' };
    for (const id of [randomUUID(), far.id, 'x', '%00']) {
      for (const reply of [
        await api.call('GET', `/containers/${slug}/passes/${id}`, { as: lead }),
        await post(`/containers/${slug}/passes/${id}/complete`, { as: lead, body: { grant } }),
        await post(`/containers/${slug}/passes/${id}/abort`, { as: lead, body: { reason: 'manual-stop' } }),
        await post(`/containers/${slug}/passes/${id}/clauses/C1/transitions`, { as: lead, body: { to: 'pass' } }),
        await post(`/containers/${slug}/amendments/${id}/resubmit`, { as: lead, body: amendment }),
      ]) {
        expectRefusal(reply, 'not-found');
      }
    }
    for (const version of ['0', '2', 'x', '-1', '99999999999']) expectRefusal(await api.call('GET', `/containers/${slug}/grid/versions/${version}`, { as: lead }), 'not-found');
  });

  it('grid-missing: before v1 there is no grid, no pass and no amendment; grid-exists: there is one v1', async () => {
    const slug = await api.container();
    const grant = await api.grantTo(slug, lead);
    const grid = gridOf([arrow('a')]);
    expectRefusal(await api.call('GET', `/containers/${slug}/grid`, { as: lead }), 'grid-missing');
    expectRefusal(await post(`/containers/${slug}/passes`, { as: lead, body: { grant, arrow: 'a' } }), 'grid-missing');
    expectRefusal(await post(`/containers/${slug}/amendments`, { as: lead, body: { grant, baseVersion: 1, changes: [], grid, rationale: 'Why' } }), 'grid-missing');
    expect((await post(`/containers/${slug}/grid/init`, { as: api.operator, body: { grid } })).status).toBe(201);
    expectRefusal(await post(`/containers/${slug}/grid/init`, { as: api.operator, body: { grid } }), 'grid-exists');
  });

  it('unknown-clause, illegal-transition, producer-cannot-attest, clauses-open, pass-not-running', async () => {
    const slug = await containerWith(api, [arrow('a', { clauses: clausesOf(['machine', 'attested', 'machine']) })]);
    const grant = await api.grantTo(slug, lead);
    const pass = await start(api, slug, lead, 'a');
    const at = `/containers/${slug}/passes/${pass.id}`;
    const move = (clause: string, to: string) => post(`${at}/clauses/${clause}/transitions`, { as: lead, body: { to } });
    for (const clause of ['C4', 'c1', 'C1%20', randomUUID()]) expectRefusal(await move(clause, 'pass'), 'unknown-clause');
    expectRefusal(await move('C2', 'pass'), 'producer-cannot-attest');
    expectRefusal(await move('C1', 'pending'), 'illegal-transition', { from: 'pending', to: 'pending' });
    expectRefusal(await post(`${at}/complete`, { as: lead, body: { grant } }), 'clauses-open', { clauses: ['C1', 'C2', 'C3'] });
    expect((await move('C2', 'awaiting-attestation')).status).toBe(200);
    expect((await move('C3', 'running')).status).toBe(200);
    expectRefusal(await post(`${at}/complete`, { as: lead, body: { grant } }), 'clauses-open', { clauses: ['C1', 'C3'] });
    await post(`${at}/abort`, { as: lead, body: { reason: 'manual-stop' } });
    for (const [path, body] of [['/complete', { grant }], ['/abort', { reason: 'operator-interrupt' }], ['/clauses/C1/transitions', { to: 'pass' }]] as const) {
      expectRefusal(await post(`${at}${path}`, { as: lead, body }), 'pass-not-running', { state: 'aborted', reason: 'manual-stop' });
    }
  });

  it('transition-refused: the required arrow, its status and the clauses that block; single-active-role-violation: the pass that is at work', async () => {
    const slug = await containerWith(api, [arrow('a', { clauses: clausesOf(['machine', 'machine']) }), arrow('b', { requires: ['a'], context: 'ledger' })]);
    const grant = await api.grantTo(slug, lead);
    const b = () => post(`/containers/${slug}/passes`, { as: lead, body: { grant, arrow: 'b' } });
    expectRefusal(await b(), 'transition-refused', { arrow: 'a', arrowStatus: 'unevaluated', blockingClauses: [] });
    await complete(api, slug, lead, 'a', { C1: 'pass', C2: 'fail' });
    expectRefusal(await b(), 'transition-refused', { arrow: 'a', arrowStatus: 'blocked', blockingClauses: [{ id: 'C2', status: 'fail' }] });
    await api.db.query(`UPDATE arrow SET invalidated = true WHERE container_id = (SELECT id FROM container WHERE slug = '${slug}')`);
    expectRefusal(await b(), 'transition-refused-invalidated', { arrow: 'a', arrowStatus: 'invalidated', blockingClauses: [{ id: 'C2', status: 'fail' }] });
    const pass = await start(api, slug, lead, 'a');
    expectRefusal(await post(`/containers/${slug}/passes`, { as: lead, body: { grant, arrow: 'a' } }), 'single-active-role-violation', { pass });
  });

  it('amendment-queue-full: a hundred and first', async () => {
    const slug = await containerWith(api, [arrow('a')]);
    const grid = gridOf([arrow('a')]);
    const here = `(SELECT id FROM container WHERE slug = '${slug}')`;
    // The write-lock is somebody's, so that nothing of the queue is decided meanwhile.
    await api.db.query(`INSERT INTO grid_write_lock (container_id, instance_id, taken_at) VALUES (${here}, '${thisInstance()}', clock_timestamp())`);
    await api.db.query(`
      INSERT INTO amendment (container_id, place, author_id, base_version, changes, grid, rationale, at)
      SELECT ${here}, n, '${api.operator.id}', 1, '[]', '{}', 'Why', clock_timestamp() FROM generate_series(1, 99) n;
      UPDATE grid SET amendments = 99 WHERE container_id = ${here}`);
    const ask = () => post(`/containers/${slug}/amendments`, { as: api.operator, body: { baseVersion: 1, changes: [], grid, rationale: 'Why' } });
    expect((await ask()).status).toBe(202);
    expectRefusal(await ask(), 'amendment-queue-full');
  });

  it('BR-2, recovering: each call until its step is done, with the step that runs; the lock, landings and reading always work', async () => {
    const slug = await containerWith(api, [arrow('a'), arrow('b', { context: 'ledger' })]);
    const { grant } = await api.lead(slug, lead);
    const pass = await start(api, slug, lead, 'a');
    const bare = await api.container();
    const grid = gridOf([arrow('a')]);
    const at = `/containers/${slug}`;
    const GATED: [(typeof STEPS)[number], number, () => Promise<Reply>][] = [
      ['engine', 200, () => post(`${at}/passes/${pass.id}/clauses/C1/transitions`, { as: lead, body: { to: 'pass' } })],
      ['engine', 200, () => post(`${at}/passes/${pass.id}/complete`, { as: lead, body: { grant } })],
      ['engine', 409, () => post(`${at}/passes/${pass.id}/abort`, { as: lead, body: { reason: 'manual-stop' } })],
      ['amendment', 202, () => post(`${at}/amendments`, { as: lead, body: { grant, baseVersion: 1, changes: [], grid: gridOf([arrow('a'), arrow('b', { context: 'ledger' })]), rationale: 'Why' } })],
      ['amendment', 201, () => post(`/containers/${bare}/grid/init`, { as: api.operator, body: { grid } })],
      ['runner', 201, () => post(`${at}/passes`, { as: lead, body: { grant, arrow: 'b' } })],
    ];
    beginRecovery(thisInstance());
    try {
      for (const [done, running] of STEPS.entries()) {
        const ready = await api.call('GET', '/readyz');
        expect([ready.status, ready.body]).toEqual([503, { status: 'recovering', step: running }]);
        for (const [step, , send] of GATED) {
          if (STEPS.indexOf(step) < done) continue;
          const reply = await send();
          expectRefusal(reply, 'recovering', { step: running });
          expect(reply.headers.get('retry-after')).toBe('1');
        }
        for (const path of ['', '/lock', '/grid', '/passes', `/passes/${pass.id}`, '/amendments', '/landings']) expect((await api.call('GET', `${at}${path}`, { as: lead })).status).toBe(200);
        expect((await push(slug, lead, landing(grant))).status).toBe(201);
        expect((await post(`${at}/lock/heartbeat`, { as: lead, base: await api.revision(slug), body: { grant } })).status).toBe(200);
        finishStep(running);
        for (const [step, status, send] of GATED) if (step === running) expect((await send()).status).toBe(status);
      }
      expect((await api.call('GET', '/readyz')).status).toBe(200);
      // A release ends passes also while the engine recovers.
      beginRecovery(thisInstance());
      expect((await post(`${at}/lock/release`, { as: lead, base: await api.revision(slug), body: { grant } })).status).toBe(200);
      const { body } = await api.call('GET', `${at}/passes`, { as: lead });
      expect(body.items.map((p: { arrow: string; state: string; reason: string | null }) => [p.arrow, p.state, p.reason])).toEqual([
        ['b', 'aborted', 'manual-stop'],
        ['a', 'completed', null],
      ]);
    } finally {
      for (const step of STEPS) finishStep(step);
    }
  });

  it('rate-limited: says when to come back', async () => {
    delete process.env.HOLDFAST_RATE_LIMIT;
    try {
      const eager = await api.person('reader');
      // The limiter's own row, as 600 writes in the last second leave it.
      await api.db.query('INSERT INTO rate_limit (key, points, expire) VALUES ($1, 600, $2)', [`write:${eager.id}`, Date.now() + 30_000]);
      const reply = await post('/containers', { as: eager, body: {} });
      expectRefusal(reply, 'rate-limited');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(reply.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    } finally {
      process.env.HOLDFAST_RATE_LIMIT = 'off';
    }
  });

  it('a fault of ours is a 500 with an id and nothing else; a database that does not answer a 503', async () => {
    const broken = { ...api.runtime, db: { query: () => Promise.reject(new Error('secret detail')) } as never };
    const as = await api.tokenOf(lead);
    const [errors, warnings] = [vi.spyOn(log, 'error').mockReturnValue(), vi.spyOn(log, 'warn').mockReturnValue()];
    try {
      setRuntime(broken);
      const reply = await api.call('GET', '/me', { as });
      expect(reply.body).toEqual(problemBody('internal', 500, expect.any(String), expect.stringContaining(reply.body.id), { id: expect.any(String) }));
      expect([reply.status, reply.text]).toEqual([500, expect.not.stringContaining('secret')]);
      expect(errors.mock.calls).toEqual([[expect.objectContaining({ id: reply.body.id, path: '/api/v1/me', error: 'secret detail' })]]);
      expect(JSON.stringify(errors.mock.calls)).not.toContain(as);
      setRuntime({ ...broken, db: { query: () => Promise.reject(Object.assign(new Error('no'), { code: '57P01' })) } as never });
      const busy = await api.call('GET', '/me', { as });
      expect(busy.body).toEqual(problemBody('busy', 503, expect.any(String), expect.any(String)));
      expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1']);
      expect((await api.call('GET', '/readyz')).status).toBe(503);
      expect((await api.call('GET', '/healthz')).status).toBe(200);
    } finally {
      for (const spy of [errors, warnings]) spy.mockRestore();
      setRuntime(api.runtime);
    }
  });
});

it('has met every code of the table', () => {
  expect([...seen].sort()).toEqual(Object.keys(TABLE).sort());
});
