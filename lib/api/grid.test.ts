/** Grids, their versions and amendments over HTTP: shapes, paging, and hostile grids, which are never a 500. */
import type { z } from '@hono/zod-openapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../principals/record';
import { contentOf, openApi, strict, type Api, type Reply } from '../testing/api';
import { arrow, gridOf } from '../testing/work';
import * as shape from './shapes';

let api: Api;
let lead: Principal;
let reader: Principal;
beforeAll(async () => {
  api = await openApi();
  [lead, reader] = [await api.person(), await api.person('reader')];
});
afterAll(() => api.close());

function expectShape(reply: Reply, status: number, schema: z.ZodType): Reply['body'] {
  expect([reply.status, reply.body?.code, reply.body?.errors]).toEqual([status, undefined, undefined]);
  expect(reply.headers.get('cache-control')).toBe('no-store');
  expect(strict(schema).safeParse(reply.body).error?.issues ?? []).toEqual([]);
  return reply.body;
}
const get = (path: string, as?: Principal) => api.call('GET', path, { as });
const init = (slug: string, grid: unknown, as: Principal = api.operator) => api.call('POST', `/containers/${slug}/grid/init`, { as, body: { grid } });
const amend = (slug: string, body: Record<string, unknown>, as: Principal = api.operator) =>
  api.call('POST', `/containers/${slug}/amendments`, { as, body: { baseVersion: 1, changes: [], grid: GRID, rationale: 'Why', ...body } });

const GRID = gridOf([arrow('a', { dependencies: [{ artifact: 'x' }] }), arrow('b', { requires: ['a'] }), arrow('none', { dependencies: [] })]);
const YAML = `contexts: [payments]
roles: [analyst, architect]
arrows:
  - {id: a, from: analyst, to: architect, context: payments, stratum: 1, clauses: [{id: C1, concept: it-holds, type: machine}]}
`;

async function gridded(): Promise<string> {
  const slug = await api.container();
  expectShape(await init(slug, GRID), 201, shape.grid);
  return slug;
}
const decided = async (slug: string, id: string) => {
  await expect.poll(async () => (await one(slug, id)).state, { timeout: 5_000, interval: 25 }).not.toMatch(/queued|committing/);
  return one(slug, id);
};
const one = async (slug: string, id: string) => (await get(`/containers/${slug}/amendments`, reader)).body.items.find((a: { id: string }) => a.id === id);

describe('the grid', () => {
  it.each([
    ['an object', GRID],
    ['JSON text', JSON.stringify(GRID)],
    ['YAML', YAML],
  ])('POST …/grid/init with %s, then GET …/grid and GET …/grid/versions/1', async (_name, grid) => {
    const slug = await api.container();
    const made = expectShape(await init(slug, grid), 201, shape.grid);
    expect(made).toMatchObject({ version: 1, arrows: made.grid.arrows.map(({ id }: { id: string }) => ({ id, status: 'unevaluated' })), project: { version: 1, complete: 0, total: made.grid.arrows.length, unevaluated: made.grid.arrows.length } });
    expect(expectShape(await get(`/containers/${slug}/grid`, reader), 200, shape.grid)).toEqual(made);
    const { version, digest, grid: stored } = made;
    expect(expectShape(await get(`/containers/${slug}/grid/versions/1`, reader), 200, shape.gridVersion)).toEqual({ version, digest, grid: stored });
    expect((await get(`/containers/${slug}`, reader)).body.project).toEqual(made.project);
  });

  it('POST …/grid/mirror/rebuild names the current version', async () => {
    const slug = await gridded();
    const { body } = await get(`/containers/${slug}/grid`, reader);
    expect(expectShape(await api.call('POST', `/containers/${slug}/grid/mirror/rebuild`, { as: api.operator }), 200, shape.gridPointer)).toEqual({ version: 1, digest: body.digest });
    expect((await api.call('POST', `/containers/${slug}/grid/mirror/rebuild`, { as: lead })).body.code).toBe('forbidden');
  });

  it('is read without signing in where the container is public, and not otherwise', async () => {
    const [open, closed] = [await api.container({ public: true }), await api.container()];
    for (const slug of [open, closed]) await init(slug, GRID);
    for (const path of ['/grid', '/grid/versions/1', '/amendments']) {
      expect([path, (await get(`/containers/${open}${path}`)).status, (await get(`/containers/${closed}${path}`)).status]).toEqual([path, 200, 401]);
    }
  });
});

describe('amendments', () => {
  it('POST …/amendments by an operator: 202, queued, then committed within a second as the next version', async () => {
    const slug = await gridded();
    const queued = expectShape(await amend(slug, { changes: [{ artifact: 'x' }, { artifact: 'y', section: 's' }], grid: { ...GRID, arrows: [...GRID.arrows, arrow('new')] } }), 202, shape.amendment);
    expect(queued).toMatchObject({ state: 'queued', version: null, baseVersion: 1, grant: null, place: 1, author: { id: api.operator.id, name: api.operator.name, kind: 'person' } });
    expect(await decided(slug, queued.id)).toMatchObject({ state: 'committed', version: 2, outcome: null });
    const grid = expectShape(await get(`/containers/${slug}/grid`, reader), 200, shape.grid);
    expect([grid.version, grid.arrows]).toEqual([
      2,
      [
        { id: 'a', status: 'invalidated' },
        { id: 'b', status: 'unevaluated' },
        { id: 'none', status: 'invalidated', conservative: true },
        { id: 'new', status: 'unevaluated' },
      ],
    ]);
    expect(grid.project).toEqual({ version: 2, complete: 0, total: 4, unevaluated: 2 });
    expect((await get(`/containers/${slug}/grid/versions/1`, reader)).body.grid).toEqual(GRID);
    expect((await get(`/containers/${slug}/grid/versions/2`, reader)).body.digest).toBe(grid.digest);
  });

  it('by the lead under its grant, set aside on overlap, and resubmitted', async () => {
    const slug = await gridded();
    const grant = await api.grantTo(slug, lead);
    const first = (await amend(slug, { changes: [{ artifact: 'x' }] })).body;
    await decided(slug, first.id);
    const second = expectShape(await amend(slug, { changes: [{ artifact: 'x' }], grant }, lead), 202, shape.amendment);
    expect(await decided(slug, second.id)).toMatchObject({ state: 'needs-rejustification', version: null, grant, outcome: expect.stringContaining('v2') });
    const again = { grant, baseVersion: 2, changes: [{ artifact: 'x' }], grid: JSON.stringify(GRID), rationale: 'Still' };
    const path = `/containers/${slug}/amendments/${second.id}/resubmit`;
    const resubmitted = expectShape(await api.call('POST', path, { as: lead, body: again }), 202, shape.amendment);
    expect(resubmitted).toMatchObject({ id: second.id, state: 'queued', place: 3, baseVersion: 2, rationale: 'Still', decidedAt: null });
    expect(await decided(slug, second.id)).toMatchObject({ state: 'committed', version: 3 });
    const late = await api.call('POST', path, { as: lead, body: again });
    expect([late.status, late.body.code, late.body.state]).toEqual([409, 'wrong-state', 'committed']);
  });

  it('GET …/amendments: newest first, in pages; limits and cursors are judged', async () => {
    const slug = await gridded();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await amend(slug, { changes: [{ artifact: `f${i}` }] })).body.id);
    await decided(slug, ids.at(-1)!);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page = expectShape(await get(`/containers/${slug}/amendments?limit=2${next && `&cursor=${next}`}`, reader), 200, shape.pageOf(shape.amendment));
      seen.push(...page.items.map((a: { id: string }) => a.id));
      next = page.next;
    }
    expect(seen).toEqual(ids.toReversed());
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=-1', 'cursor=99', 'cursor=99999999999999999999']) {
      expect([query, (await get(`/containers/${slug}/amendments?${query}`, reader)).status]).toEqual([query, 422]);
    }
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no base', { baseVersion: undefined }, 'baseVersion'],
    ['base 0', { baseVersion: 0 }, 'baseVersion'],
    ['a base to come', { baseVersion: 2 }, 'baseVersion'],
    ['a base beyond every integer', { baseVersion: 2 ** 53 - 1 }, 'baseVersion'],
    ['no changes', { changes: undefined }, 'changes'],
    ['a change that is no artifact', { changes: [{ artifact: 'x' }, 'y'] }, 'changes[1]'],
    ['a blank artifact', { changes: [{ artifact: ' ' }] }, 'changes[0].artifact'],
    ['an unknown member of a change', { changes: [{ artifact: 'x', lines: 3 }] }, 'changes[0].lines'],
    ['too many changes', { changes: Array(501).fill({ artifact: 'x' }) }, 'changes'],
    ['no grid', { grid: undefined }, 'grid'],
    ['no rationale', { rationale: undefined }, 'rationale'],
    ['a blank rationale', { rationale: ' ' }, 'rationale'],
    ['grant 0', { grant: 0 }, 'grant'],
    ['an unknown member', { priority: 1 }, 'priority'],
  ])('%s is 422 at its path', async (_name, body, path) => {
    const reply = await amend(await shared(), body);
    expect([reply.status, reply.body.code, reply.body.errors?.map((e: { path: string }) => e.path)]).toEqual([422, 'invalid-input', [path]]);
  });
});

let ready: Promise<string> | undefined;
/** One container with a grid, for calls that change nothing. */
const shared = (): Promise<string> => (ready ??= gridded());

describe('hostile grids', () => {
  const withArguments = (json: string) => `{"contexts":["c"],"roles":["r"],"arrows":[{"id":"a","from":"r","to":"r","context":"c","stratum":1,"clauses":[{"id":"C","concept":"x","type":"machine","arguments":${json}}]}]}`;
  const AT = 'grid.arrows[0].clauses[0].arguments';
  const text = (yaml: string) => JSON.stringify(yaml);
  /** By name: the grid as it stands in the request's JSON, and where the fault is. */
  const HOSTILE: [string, string, string | RegExp][] = [
    ['null', 'null', 'grid'],
    ['true', 'true', 'grid'],
    ['a list', '[]', 'grid'],
    ['no members', '{}', 'grid.contexts'],
    ['a number beyond all', withArguments('{"x":1e999}'), `${AT}.x`],
    ['__proto__', withArguments('{"__proto__":{"polluted":1}}'), `${AT}.__proto__`],
    ['__proto__ at the top', '{"contexts":[],"roles":[],"arrows":[],"__proto__":{}}', 'grid.__proto__'],
    ['U+0000', withArguments('{"x":"a\\u0000b"}'), `${AT}.x`],
    ['a lone surrogate', withArguments('{"x":"\\ud800"}'), `${AT}.x`],
    ['a name with U+0000', withArguments('{"a\\u0000b":1}'), AT],
    ['deep lists', withArguments('['.repeat(200) + ']'.repeat(200)), /^grid\./],
    ['very deep lists', '['.repeat(500_000) + ']'.repeat(500_000), /^grid/],
    ['more than 1 MiB', withArguments(JSON.stringify({ x: 'x'.repeat(1_100_000) })), 'grid'],
    ['an arrow named __proto__', withArguments('{}').replace('"id":"a"', '"id":"__proto__"'), 'grid.arrows[0].id'],
    ['a role named constructor that is not there', withArguments('{}').replace('"from":"r"', '"from":"constructor"'), 'grid.arrows[0].from'],
    ['YAML with a tag', text('a: !!js/function "x"'), 'grid'],
    ['YAML with .nan', text(`contexts: []\nroles: []\narrows: .nan\n`), 'grid.arrows'],
    ['YAML with a bomb', text(`a: &a [${'x,'.repeat(9)}]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`).join('\n')}`), 'grid'],
    ['YAML, deep', text('['.repeat(300_000)), 'grid'],
    ['YAML, tabs', text('contexts:\n\t- a'), 'grid'],
    ['YAML, a member twice', text(`${YAML}roles: []`), 'grid.roles'],
    ['YAML, not closed', text('"'), 'grid'],
    ['text that is no grid', text('hello'), 'grid'],
    ['a cycle', JSON.stringify({ ...GRID, arrows: [arrow('a', { requires: ['b'] }), arrow('b', { requires: ['a'] })] }), 'grid.arrows[1].requires[0]'],
  ];

  it.each(HOSTILE)('%s: 422 with the path, at init, amendment and resubmission, and nothing is written', async (_name, grid, path) => {
    const slug = await shared();
    const before = await contentOf(api.db, ['grid', 'grid_version', 'amendment', 'audit_line']);
    const rest = '"baseVersion":1,"changes":[],"rationale":"Why"';
    for (const [to, raw] of [
      ['grid/init', `{"grid":${grid}}`],
      ['amendments', `{${rest},"grid":${grid}}`],
      ['amendments/00000000-0000-4000-8000-000000000000/resubmit', `{${rest},"grid":${grid}}`],
    ] as const) {
      const reply = await api.call('POST', `/containers/${slug}/${to}`, { as: api.operator, raw });
      expect([to, reply.status, reply.body.code]).toEqual([to, 422, 'invalid-input']);
      expect(reply.body.errors[0].path).toMatch(path instanceof RegExp ? path : new RegExp(`^${path.replace(/[[\].]/g, '\\$&')}$`));
      expect(reply.text.length).toBeLessThan(20_000);
    }
    expect(await contentOf(api.db, ['grid', 'grid_version', 'amendment', 'audit_line'])).toEqual(before);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('a body beyond 2 MiB is too-large', async () => {
    const reply = await api.call('POST', `/containers/${await shared()}/grid/init`, { as: api.operator, raw: `{"grid":"${'x'.repeat(2_200_000)}"}` });
    expect([reply.status, reply.body.code]).toEqual([413, 'too-large']);
  });

  it('every fault is listed with its path', async () => {
    const grid = { contexts: ['c'], roles: ['r'], arrows: [0, 1, 2, 3].map((i) => arrow(`a${i}`, { from: i === 3 ? 'nobody' : 'r', to: 'r', context: 'c', stratum: i === 2 ? 7 : 1 })) };
    const reply = await init(await shared(), grid);
    expect(reply.body.errors).toEqual([
      { path: 'grid.arrows[2].stratum', message: 'must be a whole number from 1 to 6' },
      { path: 'grid.arrows[3].from', message: 'there is no role nobody' },
    ]);
  });

  it('what is odd and well-formed is kept as it was given, and its digest holds', async () => {
    const slug = await api.container();
    const given = JSON.parse(withArguments('{"":"","constructor":{"a":[null,true,-0,1e300,5e-324,12345678901234567890]},"\u2028":"\ud83d\ude00","a b":{"c":{}}}'));
    const made = expectShape(await init(slug, given), 201, shape.grid);
    expect(made.grid.arrows[0].clauses[0].arguments).toEqual(JSON.parse(JSON.stringify(given.arrows[0].clauses[0].arguments)));
    const same = await api.container();
    expect((await init(same, JSON.stringify(given))).body.digest).toBe(made.digest);
    const { body } = await amend(slug, { grid: given });
    expect(await decided(slug, body.id)).toMatchObject({ state: 'committed' });
    expect((await get(`/containers/${slug}/grid`, reader)).body.digest).toBe(made.digest);
  });
});
