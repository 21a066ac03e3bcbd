/** E-1 to E-3 over HTTP: the whole transition table, who may move what, and what fences a move. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLegal, isVerdict, CLAUSE_STATES, type ClauseStatus, type ClauseType, type Pass } from '../engine';
import type { Principal } from '../principals/record';
import { contentOf, openApi, type Api, type Reply } from '../testing/api';
import { arrow, bring, clausesOf, complete, containerWith, start } from '../testing/work';
import { letTimePass } from '../testing/world';

let api: Api;
let lead: Principal;
let starter: Principal;
let coworker: Principal;
let reader: Principal;

beforeAll(async () => {
  api = await openApi();
  [lead, starter, coworker, reader] = [await api.person(), await api.person('coworker', 'agent'), await api.person(), await api.person('reader')];
  await Promise.all([lead, starter, coworker, reader, api.operator].map(api.tokenOf));
});
afterAll(() => api.close());

const move = (slug: string, pass: Pass, clause: string, as: Pick<Principal, 'id'>, to: ClauseStatus, more: object = {}): Promise<Reply> =>
  api.call('POST', `/containers/${slug}/passes/${pass.id}/clauses/${clause}/transitions`, { as, body: { to, ...(to === 'unevaluated' ? { reason: 'Not now' } : {}), ...more } });
const clauseOf = async (slug: string, pass: Pass, id: string) =>
  (await api.call('GET', `/containers/${slug}/passes/${pass.id}`, { as: reader })).body.clauses.find((c: { id: string }) => c.id === id);
const logOf = async (pass: Pass, clause: string) =>
  (await api.db.query(`SELECT move, "from", "to", author_id AS by, at, reason, details FROM transition WHERE pass_id = $1 AND clause_id = $2 ORDER BY move`, [pass.id, clause])).rows;
const attestationsOf = async (pass: Pass) =>
  (await api.db.query(`SELECT clause_id AS clause, move, verdict, by_id AS by, at, reason, details FROM attestation WHERE pass_id = $1 ORDER BY at`, [pass.id])).rows;

/** What a move could touch. */
const TABLES = ['pass', 'clause', 'transition', 'attestation', 'arrow', 'checkpoint', 'checkpoint_chain', 'role_lock', 'audit_line', 'notice', 'lock_page', 'lock_revision'];

/** A refusal with its code and members, that left everything as it was. */
async function refusedWhole(send: () => Promise<Reply>, status: number, expected: object): Promise<void> {
  const before = await contentOf(api.db, TABLES);
  const reply = await send();
  expect([reply.status, reply.body]).toEqual([status, expect.objectContaining(expected)]);
  expect(await contentOf(api.db, TABLES)).toEqual(before);
}

describe.each(['machine', 'attested'] as const)('E-1: the transition table, on a clause of type %s', (type: ClauseType) => {
  const PAIRS = CLAUSE_STATES.flatMap((from) => CLAUSE_STATES.map((to) => [from, to] as const));
  let slug: string;
  let pass: Pass;

  beforeAll(async () => {
    slug = await containerWith(api, [arrow('a', { clauses: clausesOf(Array<ClauseType>(49).fill(type)) })]);
    await api.lead(slug, lead);
    pass = await start(api, slug, lead, 'a');
  });

  it.each(PAIRS.filter(([from, to]) => isLegal(from, to)))('legal: %s → %s', async (from, to) => {
    const id = `C${PAIRS.findIndex((p) => p[0] === from && p[1] === to) + 1}`;
    await bring(api, slug, lead, api.operator, pass, id, from);
    const before = await logOf(pass, id);
    const by = isVerdict(type, to) ? api.operator : lead;
    const reply = await move(slug, pass, id, by, to);
    expect([reply.status, reply.body]).toEqual([200, { clause: id, from, to, at: expect.any(String) }]);
    const reason = to === 'unevaluated' ? 'Not now' : null;
    expect(await clauseOf(slug, pass, id)).toMatchObject({ status: to, reason });
    expect(await logOf(pass, id)).toEqual([...before, { move: before.length + 1, from, to, by: by.id, at: reply.body.at, reason, details: null }]);
  });

  it.each(PAIRS.filter(([from, to]) => !isLegal(from, to)))('illegal: %s → %s', async (from, to) => {
    const id = `C${PAIRS.findIndex((p) => p[0] === from && p[1] === to) + 1}`;
    await bring(api, slug, lead, api.operator, pass, id, from);
    const before = await contentOf(api.db, TABLES);
    // Legality is judged before authority: everybody who may move anything hears the same.
    for (const by of [lead, api.operator, coworker]) {
      const reply = await move(slug, pass, id, by, to);
      expect([reply.status, reply.body]).toEqual([409, expect.objectContaining({ code: 'illegal-transition', from, to })]);
    }
    // And before the rest of the input.
    expect((await move(slug, pass, id, lead, to, { reason: '' })).body.code).toBe('illegal-transition');
    expect((await move(slug, pass, id, reader, to)).body).toMatchObject({ code: 'forbidden', neededRole: 'coworker' });
    expect(await contentOf(api.db, TABLES)).toEqual(before);
    expect(await clauseOf(slug, pass, id)).toMatchObject({ status: from });
  });
});

describe('E-1, E-2: what a move may say', () => {
  let slug: string;
  let pass: Pass;
  let next = 0;
  const fresh = () => `C${++next}`;

  beforeAll(async () => {
    slug = await containerWith(api, [arrow('a', { clauses: clausesOf(Array<ClauseType>(40).fill('machine')) })]);
    await api.lead(slug, lead);
    pass = await start(api, slug, lead, 'a');
  });

  it('an unknown clause is unknown-clause, whatever else is wrong', async () => {
    for (const id of ['C99', 'c1', '%E2%84%83', 'C1.']) {
      for (const [by, to] of [[lead, 'pass'], [coworker, 'pending']] as const) {
        await refusedWhole(() => move(slug, pass, id, by, to), 404, { code: 'unknown-clause' });
      }
    }
  });

  it('a state that does not exist is invalid-input', async () => {
    for (const to of ['done', '', 'PASS', null, 7, ['pass']]) {
      await refusedWhole(() => move(slug, pass, 'C40', lead, to as ClauseStatus), 422, { code: 'invalid-input', errors: [{ path: 'to', message: expect.any(String) }] });
    }
  });

  it('unevaluated carries a reason', async () => {
    const id = fresh();
    for (const reason of [undefined, '', '   ', '\n\t']) {
      await refusedWhole(() => move(slug, pass, id, lead, 'unevaluated', { reason }), 422, { code: 'invalid-input', errors: [{ path: 'reason', message: expect.any(String) }] });
    }
    expect((await move(slug, pass, id, lead, 'unevaluated', { reason: 'The tool is not here' })).status).toBe(200);
    expect(await clauseOf(slug, pass, id)).toMatchObject({ status: 'unevaluated', reason: 'The tool is not here' });
    await refusedWhole(() => move(slug, pass, fresh(), lead, 'unevaluated', { reason: 'x'.repeat(1001) }), 422, { code: 'invalid-input' });
  });

  it('a verdict may carry evidence of any JSON, to 64 KiB of it', async () => {
    const KIB64 = 64 * 1024;
    for (const details of [{ log: ['a', { b: null }], 'ünï': 1.5 }, 'x'.repeat(KIB64 - 2), '€'.repeat((KIB64 - 2) / 3), 0, false, [], null]) {
      const id = fresh();
      expect((await move(slug, pass, id, lead, 'pass', { details })).status).toBe(200);
      expect((await logOf(pass, id))[0].details).toEqual(details);
    }
    for (const details of ['x'.repeat(KIB64 - 1), '€'.repeat(KIB64 / 3), { a: Array(KIB64 / 2).fill(1) }]) {
      await refusedWhole(() => move(slug, pass, 'C40', lead, 'pass', { details }), 422, { code: 'invalid-input', errors: [{ path: 'details', message: expect.any(String) }] });
    }
    await refusedWhole(() => move(slug, pass, 'C40', lead, 'pass', { details: { a: 'nul \0' } }), 422, { code: 'invalid-input', errors: [{ path: 'details.a', message: expect.any(String) }] });
    await refusedWhole(() => move(slug, pass, 'C40', lead, 'pass', { evidence: 1 }), 422, { code: 'invalid-input', errors: [{ path: 'evidence', message: expect.any(String) }] });
  });
});

describe('E-2: who moves what', () => {
  const VERDICTS: ClauseStatus[] = ['pass', 'fail', 'insufficient-basis'];

  /** A pass under `led`'s grant, started by the assignee of a block. */
  async function work(led: Principal, by: Principal) {
    const slug = await containerWith(api, [arrow('a', { clauses: clausesOf(['machine', 'attested', ...Array<ClauseType>(20).fill('attested')]) })]);
    const { grant } = await api.lead(slug, led);
    if (by !== led) await api.call('POST', `/containers/${slug}/blocks`, { as: led, body: { grant, title: 'Work', assignee: by.id } });
    return { slug, pass: await start(api, slug, by, 'a') };
  }
  const says = async (...args: Parameters<typeof move>) => {
    const { status, body } = await move(...args);
    return status === 200 ? 'moved' : [body.code, body.neededRole].filter(Boolean).join(' ');
  };

  it('lead and starter move; an operator, a coworker and a reader who produce nothing do not', async () => {
    const { slug, pass } = await work(lead, starter);
    for (const clause of ['C1', 'C2']) {
      for (const to of ['running', 'awaiting-attestation', 'unevaluated'] as const) {
        expect([clause, to, await says(slug, pass, clause, api.operator, to)]).toEqual([clause, to, 'forbidden coworker']);
        expect([clause, to, await says(slug, pass, clause, coworker, to)]).toEqual([clause, to, 'forbidden coworker']);
        expect([clause, to, await says(slug, pass, clause, reader, to)]).toEqual([clause, to, 'forbidden coworker']);
      }
    }
    for (const to of ['pass', 'fail'] as const) for (const by of [api.operator, coworker, reader]) expect(await says(slug, pass, 'C1', by, to)).toBe('forbidden coworker');
    expect(await says(slug, pass, 'C1', starter, 'running')).toBe('moved');
    expect(await says(slug, pass, 'C1', lead, 'pass')).toBe('moved');
    expect(await says(slug, pass, 'C2', lead, 'awaiting-attestation')).toBe('moved');
    expect(await says(slug, pass, 'C3', starter, 'awaiting-attestation')).toBe('moved');
    expect(await says(slug, pass, 'C4', starter, 'unevaluated')).toBe('moved');
  });

  it('a verdict is an operator’s: not the producer’s, nor anyone else’s', async () => {
    const { slug, pass } = await work(lead, starter);
    for (const to of VERDICTS) {
      const id = { pass: 'C3', fail: 'C4', 'insufficient-basis': 'C5' }[to as string]!;
      await bring(api, slug, lead, api.operator, pass, id, 'awaiting-attestation');
      for (const by of [lead, starter]) expect([to, await says(slug, pass, id, by, to)]).toEqual([to, 'producer-cannot-attest']);
      expect([to, await says(slug, pass, id, coworker, to)]).toEqual([to, 'forbidden operator']);
      expect([to, await says(slug, pass, id, reader, to)]).toEqual([to, 'forbidden coworker']);
      expect([to, await says(slug, pass, id, api.operator, to)]).toEqual([to, 'moved']);
    }
    // Straight from pending, and again after an insufficient basis, whose way back is the producer's.
    expect(await says(slug, pass, 'C6', starter, 'pass')).toBe('producer-cannot-attest');
    expect(await says(slug, pass, 'C6', api.operator, 'pass')).toBe('moved');
    expect(await says(slug, pass, 'C5', api.operator, 'awaiting-attestation')).toBe('forbidden coworker');
    expect(await says(slug, pass, 'C5', starter, 'awaiting-attestation')).toBe('moved');
    expect(await says(slug, pass, 'C5', api.operator, 'fail')).toBe('moved');
  });

  it('an operator who produces does not attest, whatever its role: as the lead, as the starter, nor once its grant has run out or ended', async () => {
    const [leading, starting] = [await api.person('operator'), await api.person('operator')];
    const { slug, pass } = await work(leading, starting);
    for (const id of ['C2', 'C3', 'C4', 'C5']) await bring(api, slug, starting, api.operator, pass, id, 'awaiting-attestation');
    for (const by of [leading, starting]) for (const to of VERDICTS) expect(await says(slug, pass, 'C2', by, to)).toBe('producer-cannot-attest');
    await letTimePass(api.db, slug, 5 * 3600);
    for (const by of [leading, starting]) expect(await says(slug, pass, 'C2', by, 'pass')).toBe('producer-cannot-attest');
    expect(await says(slug, pass, 'C2', api.operator, 'pass')).toBe('moved');

    const later = await work(leading, starting);
    for (const { id } of later.pass.clauses) await bring(api, later.slug, starting, api.operator, later.pass, id, id === 'C1' ? 'pass' : 'awaiting-attestation');
    const { grant } = later.pass;
    expect((await api.call('POST', `/containers/${later.slug}/passes/${later.pass.id}/complete`, { as: leading, body: { grant } })).status).toBe(200);
    await api.push(later.slug, leading, grant);
    await api.call('POST', `/containers/${later.slug}/lock/release`, { as: leading, base: await api.revision(later.slug), body: { grant } });
    for (const by of [leading, starting]) expect(await says(later.slug, later.pass, 'C2', by, 'pass')).toBe('producer-cannot-attest');
    expect(await says(later.slug, later.pass, 'C2', api.operator, 'pass')).toBe('moved');
  });

  it('each verdict is in the attestation log, in the transaction of its move, and nothing else is; the log is only appended to', async () => {
    const { slug, pass } = await work(lead, starter);
    await move(slug, pass, 'C1', lead, 'pass', { details: { machine: true } });
    await move(slug, pass, 'C2', lead, 'awaiting-attestation');
    await move(slug, pass, 'C3', lead, 'unevaluated');
    expect(await attestationsOf(pass)).toEqual([]);
    const first = await move(slug, pass, 'C2', api.operator, 'insufficient-basis', { reason: 'Show more', details: { missing: ['x'] } });
    await move(slug, pass, 'C2', lead, 'awaiting-attestation');
    const second = await move(slug, pass, 'C2', api.operator, 'pass');
    const by = api.operator.id;
    expect(await attestationsOf(pass)).toEqual([
      { clause: 'C2', move: 2, verdict: 'insufficient-basis', by, at: first.body.at, reason: 'Show more', details: { missing: ['x'] } },
      { clause: 'C2', move: 4, verdict: 'pass', by, at: second.body.at, reason: null, details: null },
    ]);
    await move(slug, pass, 'C2', api.operator, 'fail');
    await move(slug, pass, 'C4', lead, 'pass');
    expect(await attestationsOf(pass)).toHaveLength(2);
    for (const table of ['attestation', 'transition', 'checkpoint']) {
      await expect(api.db.query(`DELETE FROM ${table} WHERE true`)).rejects.toThrow();
    }
    await expect(api.db.query(`UPDATE attestation SET verdict = 'fail'`)).rejects.toThrow();
  });
});

describe('E-3: what fences a move', () => {
  const ATTESTED = arrow('a', { clauses: clausesOf(['machine', 'attested', 'attested']) });
  /** A lead's pass with a clause that runs, one that awaits an attestation, and one that is pending. */
  async function running(settings: object = {}) {
    const slug = await containerWith(api, [ATTESTED], settings);
    const held = await api.lead(slug, lead);
    await api.call('POST', `/containers/${slug}/blocks`, { as: lead, body: { grant: held.grant, title: 'Work', assignee: starter.id } });
    const pass = await start(api, slug, starter, 'a');
    await bring(api, slug, lead, api.operator, pass, 'C1', 'running');
    await bring(api, slug, lead, api.operator, pass, 'C2', 'awaiting-attestation');
    return { slug, pass, held };
  }
  const receipt = (held: { grant: number; holder: unknown; grantedAt: unknown; expiresAt: unknown }) => ({
    yourGrant: held.grant,
    currentGrant: held.grant,
    holder: held.holder,
    grantedAt: held.grantedAt,
    expiresAt: held.expiresAt,
  });
  const notRunning = (state: string, reason: string | null) => ({ code: 'pass-not-running', state, reason });

  it('an expired grant moves nothing: lead and starter get its receipt; an operator’s verdict needs no grant', async () => {
    const { slug, pass } = await running();
    await letTimePass(api.db, slug, 4 * 3600);
    const held = await api.lock(slug);
    for (const by of [lead, starter]) {
      await refusedWhole(() => move(slug, pass, 'C1', by, 'pass'), 409, { code: 'grant-expired', ...receipt(held) });
      await refusedWhole(() => move(slug, pass, 'C3', by, 'awaiting-attestation'), 409, { code: 'grant-expired' });
    }
    expect((await move(slug, pass, 'C2', api.operator, 'pass')).status).toBe(200);
    // The next grant ends the pass, and with it the verdicts.
    await api.lead(slug, coworker);
    for (const [clause, by, to] of [['C1', lead, 'pass'], ['C1', starter, 'pass'], ['C1', coworker, 'pass'], ['C3', api.operator, 'pass']] as const) {
      await refusedWhole(() => move(slug, pass, clause, by, to), 409, notRunning('aborted', 'grant-superseded'));
    }
    expect((await clauseOf(slug, pass, 'C1')).status).toBe('running');
  });

  it('a released grant’s pass is aborted: nothing of it moves', async () => {
    const { slug, pass, held } = await running();
    await api.push(slug, lead, held.grant);
    await api.call('POST', `/containers/${slug}/lock/release`, { as: lead, base: await api.revision(slug), body: { grant: held.grant } });
    for (const [clause, by, to] of [['C1', lead, 'pass'], ['C1', starter, 'fail'], ['C2', api.operator, 'pass']] as const) {
      await refusedWhole(() => move(slug, pass, clause, by, to), 409, notRunning('aborted', 'manual-stop'));
    }
  });

  it('a cleared grant’s pass is aborted: nothing of it moves', async () => {
    const { slug, pass, held } = await running();
    await letTimePass(api.db, slug, 5 * 3600);
    await api.call('POST', `/containers/${slug}/lock/clear`, { as: api.operator, base: await api.revision(slug), body: { grant: held.grant, reason: 'Gone' } });
    for (const [clause, by, to] of [['C1', lead, 'pass'], ['C1', starter, 'fail'], ['C2', api.operator, 'pass']] as const) {
      await refusedWhole(() => move(slug, pass, clause, by, to), 409, notRunning('aborted', 'grant-superseded'));
    }
  });

  it('a completed pass takes an operator’s late verdicts, and its arrow’s status follows; nothing else', async () => {
    const slug = await containerWith(api, [ATTESTED]);
    await api.lead(slug, lead);
    const statusNow = async () => (await api.call('GET', `/containers/${slug}/grid`, { as: reader })).body.arrows[0].status;
    const pass = await complete(api, slug, lead, 'a', { C1: 'pass', C2: 'awaiting-attestation', C3: 'insufficient-basis' });
    expect(await statusNow()).toBe('provisional');
    await refusedWhole(() => move(slug, pass, 'C3', lead, 'awaiting-attestation'), 409, notRunning('completed', null));
    await refusedWhole(() => move(slug, pass, 'C2', lead, 'unevaluated'), 409, notRunning('completed', null));
    expect((await move(slug, pass, 'C2', lead, 'pass')).body.code).toBe('producer-cannot-attest');
    expect((await move(slug, pass, 'C2', coworker, 'pass')).body.code).toBe('forbidden');
    expect((await move(slug, pass, 'C2', api.operator, 'insufficient-basis')).status).toBe(200);
    expect((await move(slug, pass, 'C2', api.operator, 'pass')).status).toBe(200);
    expect(await statusNow()).toBe('provisional');
    // Also when its grant has ended since.
    await letTimePass(api.db, slug, 5 * 3600);
    await api.lead(slug, coworker);
    expect((await move(slug, pass, 'C3', api.operator, 'pass')).status).toBe(200);
    expect(await statusNow()).toBe('complete');
    expect(await attestationsOf(pass)).toMatchObject([{ clause: 'C3', verdict: 'insufficient-basis' }, { clause: 'C2', verdict: 'insufficient-basis' }, { clause: 'C2', verdict: 'pass' }, { clause: 'C3', verdict: 'pass' }]);
  });

  it('a late verdict is taken on the arrow’s latest completed pass alone, and not while the arrow is invalidated', async () => {
    const slug = await containerWith(api, [ATTESTED, arrow('b', { context: 'ledger', clauses: clausesOf(['attested']) })]);
    await api.lead(slug, lead);
    const waiting = { C1: 'pass', C2: 'awaiting-attestation', C3: 'awaiting-attestation' } as const;
    const old = await complete(api, slug, lead, 'a', waiting);
    // A pass that runs, and one that was aborted, change nothing.
    const next = await start(api, slug, lead, 'a');
    expect((await move(slug, old, 'C2', api.operator, 'pass')).status).toBe(200);
    await api.call('POST', `/containers/${slug}/passes/${next.id}/abort`, { as: lead, body: { reason: 'manual-stop' } });
    expect((await move(slug, old, 'C3', api.operator, 'insufficient-basis')).status).toBe(200);
    const latest = await complete(api, slug, lead, 'a', waiting);
    await refusedWhole(() => move(slug, old, 'C3', api.operator, 'pass'), 409, notRunning('completed', null));
    await api.db.query(`UPDATE arrow SET invalidated = true WHERE container_id = (SELECT id FROM container WHERE slug = $1)`, [slug]);
    await refusedWhole(() => move(slug, latest, 'C2', api.operator, 'pass'), 409, notRunning('completed', null));
    const third = await complete(api, slug, lead, 'a', waiting);
    await refusedWhole(() => move(slug, latest, 'C2', api.operator, 'pass'), 409, notRunning('completed', null));
    expect((await move(slug, third, 'C2', api.operator, 'fail')).status).toBe(200);
    expect((await api.call('GET', `/containers/${slug}/grid`, { as: reader })).body.arrows).toEqual([{ id: 'a', status: 'blocked' }, { id: 'b', status: 'unevaluated' }]);
  });

  it('P-1: a mover who is demoted or deactivated moves nothing more', async () => {
    const gone = await api.person();
    const slug = await containerWith(api, [ATTESTED]);
    await api.lead(slug, gone);
    const pass = await start(api, slug, gone, 'a');
    const token = await api.tokenOf(gone);
    const send = () => api.call('POST', `/containers/${slug}/passes/${pass.id}/clauses/C1/transitions`, { as: token, body: { to: 'pass' } });
    await api.call('PATCH', `/principals/${gone.id}`, { as: api.operator, body: { role: 'reader' } });
    expect((await send()).body.code).toBe('forbidden');
    await api.call('PATCH', `/principals/${gone.id}`, { as: api.operator, body: { active: false } });
    expect((await send()).body.code).toBe('unauthenticated');
    expect((await clauseOf(slug, pass, 'C1')).status).toBe('pending');
  });
});
