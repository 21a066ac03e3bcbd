/**
 * Hostile input (R-3, section 10): always a 4xx that names the field, never a 500, and nothing
 * half-written; what may be stored comes back character for character.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../principals/record';
import { contentOf, openApi, type Api, type CallOptions, type Reply } from '../testing/api';
import { arrow, gridOf } from '../testing/work';

let api: Api;
let lead: Principal;
let other: Principal;
/** Held by `lead` under `grant`, with a petition and a block of `other`. */
let slug: string;
let grant: number;
let lease: string;
let petition: string;
let block: string;
let token: string;

type Kind = 'text' | 'markdown' | 'number' | 'boolean' | 'choice' | 'id' | 'list';
/** A member of a body: where it stands, and what it may be. */
type Member = { at: (string | number)[]; kind: Kind; optional?: true };
type Subject = { method: string; path: () => string; as: () => Principal; good: () => object; members: Member[]; more?: () => CallOptions };

const member = (at: string, kind: Kind, optional?: true): Member => ({ at: at.split('.').map((k) => (/^\d+$/.test(k) ? Number(k) : k)), kind, optional });
const revision = () => api.revision(slug);

/** Every call that takes a body. The good bodies are refused for what is stored alone, and that of the landing is a repeat, so that the state stays. */
const CALLS: Record<string, Subject> = {
  'create a container': {
    method: 'POST',
    path: () => '/containers',
    as: () => api.operator,
    good: () => ({ slug, title: 'T', description: '', prefix: 'AB', termSeconds: 1, windowSeconds: 1, public: false }),
    members: [member('slug', 'choice'), member('title', 'text'), member('description', 'markdown', true), member('prefix', 'choice', true), member('termSeconds', 'number', true), member('windowSeconds', 'number', true), member('public', 'boolean', true)],
  },
  'change a container': {
    method: 'PATCH',
    path: () => `/containers/${slug}`,
    as: () => api.operator,
    good: () => ({ slug: 'x', title: 'T', description: '', prefix: 'AB', termSeconds: 1, windowSeconds: 1, public: false, summary: '' }),
    members: [member('slug', 'choice', true), member('title', 'text', true), member('description', 'markdown', true), member('prefix', 'choice', true), member('termSeconds', 'number', true), member('windowSeconds', 'number', true), member('public', 'boolean', true), member('summary', 'text', true)],
    more: () => ({ base: 77 }),
  },
  acquire: { method: 'POST', path: () => `/containers/${slug}/lock/acquire`, as: () => other, good: () => ({ reason: 'Why' }), members: [member('reason', 'text', true)], more: () => ({ base: 77 }) },
  heartbeat: { method: 'POST', path: () => `/containers/${slug}/lock/heartbeat`, as: () => lead, good: () => ({ grant }), members: [member('grant', 'number')], more: () => ({ base: 77 }) },
  release: { method: 'POST', path: () => `/containers/${slug}/lock/release`, as: () => lead, good: () => ({ grant }), members: [member('grant', 'number')], more: () => ({ base: 77 }) },
  clear: { method: 'POST', path: () => `/containers/${slug}/lock/clear`, as: () => api.operator, good: () => ({ grant, reason: 'Why' }), members: [member('grant', 'number'), member('reason', 'text')], more: () => ({ base: 77 }) },
  reopen: { method: 'POST', path: () => `/containers/${slug}/lock/reopen`, as: () => api.operator, good: () => ({ nextGrant: 9, reason: 'Why' }), members: [member('nextGrant', 'number'), member('reason', 'text')], more: () => ({ base: 77 }) },
  'lock notes': { method: 'PUT', path: () => `/containers/${slug}/lock/notes`, as: () => lead, good: () => ({ notes: 'N', summary: 'S' }), members: [member('notes', 'markdown'), member('summary', 'text', true)], more: () => ({ base: 77 }) },
  'collaboration notes': { method: 'PUT', path: () => `/containers/${slug}/collaboration/notes`, as: () => lead, good: () => ({ notes: 'N', summary: 'S' }), members: [member('notes', 'markdown'), member('summary', 'text', true)], more: () => ({ base: 77 }) },
  petition: { method: 'POST', path: () => `/containers/${slug}/petitions`, as: () => lead, good: () => ({ reason: 'Why' }), members: [member('reason', 'text')] },
  'assign a block': {
    method: 'POST',
    path: () => `/containers/${slug}/blocks`,
    as: () => other,
    good: () => ({ grant, title: 'T', description: 'D', assignee: lead.id, leaseId: lease }),
    members: [member('grant', 'number'), member('title', 'text'), member('description', 'markdown', true), member('assignee', 'id'), member('leaseId', 'id', true)],
  },
  'mark a block': { method: 'PATCH', path: () => `/containers/${slug}/blocks/${block}`, as: () => other, good: () => ({ state: 'done' }), members: [member('state', 'choice')] },
  'lease the next': { method: 'POST', path: () => `/containers/${slug}/leases`, as: () => other, good: () => ({ grant, to: lead.id, count: 1 }), members: [member('grant', 'number'), member('to', 'id'), member('count', 'number')] },
  'lease a range': {
    method: 'POST',
    path: () => `/containers/${slug}/leases`,
    as: () => other,
    good: () => ({ grant, to: lead.id, from: 5, through: 6 }),
    members: [member('grant', 'number'), member('to', 'id'), member('from', 'number'), member('through', 'number')],
  },
  'save a draft': { method: 'PUT', path: () => `/containers/${slug}/drafts/TS-1`, as: () => lead, good: () => ({ grant, title: 'T', body: 'B' }), members: [member('grant', 'number'), member('title', 'text'), member('body', 'markdown')], more: () => ({ base: 77 }) },
  land: {
    method: 'POST',
    path: () => `/containers/${slug}/landings`,
    as: () => lead,
    good: () => ({ grant, message: 'M', entries: [{ identifier: 'TS-1', title: 'T', body: 'B', leaseId: lease }], keepLeases: [lease] }),
    members: [
      member('grant', 'number'),
      member('message', 'text'),
      member('entries', 'list'),
      member('entries.0.identifier', 'text'),
      member('entries.0.title', 'text'),
      member('entries.0.body', 'markdown'),
      member('entries.0.leaseId', 'id', true),
      member('keepLeases', 'list', true),
      member('keepLeases.0', 'id'),
    ],
    more: () => ({ key: 'spent' }),
  },
  'start a pass': { method: 'POST', path: () => `/containers/${slug}/passes`, as: () => lead, good: () => ({ grant, arrow: 'a' }), members: [member('grant', 'number'), member('arrow', 'text')] },
  'complete a pass': { method: 'POST', path: () => `/containers/${slug}/passes/${randomUUID()}/complete`, as: () => lead, good: () => ({ grant }), members: [member('grant', 'number')] },
  'abort a pass': { method: 'POST', path: () => `/containers/${slug}/passes/${randomUUID()}/abort`, as: () => lead, good: () => ({ reason: 'manual-stop' }), members: [member('reason', 'choice')] },
  'move a clause': {
    method: 'POST',
    path: () => `/containers/${slug}/passes/${randomUUID()}/clauses/C1/transitions`,
    as: () => lead,
    good: () => ({ to: 'pass', reason: 'Why', details: { log: [1] } }),
    members: [member('to', 'choice'), member('reason', 'text', true)],
  },
  'ask for an amendment': {
    method: 'POST',
    path: () => `/containers/${slug}/amendments`,
    as: () => lead,
    good: () => ({ grant, baseVersion: 1, changes: [{ artifact: 'a.md', section: 's' }], grid: gridOf([arrow('a')]), rationale: 'Why' }),
    members: [member('grant', 'number', true), member('baseVersion', 'number'), member('changes', 'list'), member('changes.0.artifact', 'text'), member('changes.0.section', 'text', true), member('rationale', 'text')],
  },
  'create a principal': {
    method: 'POST',
    path: () => '/principals',
    as: () => api.operator,
    good: () => ({ name: lead.name, kind: 'person', role: 'reader' }),
    members: [member('name', 'text'), member('kind', 'choice', true), member('role', 'choice'), member('password', 'text', true)],
  },
  'change a principal': {
    method: 'PATCH',
    path: () => `/principals/${other.id}`,
    as: () => api.operator,
    good: () => ({ name: lead.name, role: 'reader', active: true }),
    members: [member('name', 'text', true), member('role', 'choice', true), member('active', 'boolean', true), member('password', 'text', true)],
  },
  'issue a token': { method: 'POST', path: () => `/principals/${randomUUID()}/tokens`, as: () => api.operator, good: () => ({ label: 'L', expiresInDays: 1 }), members: [member('label', 'text', true), member('expiresInDays', 'number', true)] },
};

/** A piece of JSON that `JSON.stringify` would not write. */
class Raw {
  constructor(readonly text: string) {}
}

/** A body with a member replaced, as JSON text. */
function bodyWith(good: object, at: Member['at'], value: unknown): string {
  const body = structuredClone(good) as Record<string, unknown>;
  let inner = body as Record<string | number, unknown>;
  for (const key of at.slice(0, -1)) inner = inner[key] as typeof inner;
  inner[at.at(-1)!] = value instanceof Raw ? '\u0001raw' : value;
  const text = JSON.stringify(body);
  return value instanceof Raw ? text.replace('"\\u0001raw"', value.text) : text;
}

const pathOf = (at: Member['at']): string => at.reduce<string>((out, key) => (typeof key === 'number' ? `${out}[${key}]` : out ? `${out}.${key}` : key), '');
const send = (subject: Subject, raw: CallOptions['raw']): Promise<Reply> => api.call(subject.method, subject.path(), { as: subject.as(), raw, ...subject.more?.() });

/** Refused as invalid, naming `path` or what lies in it. */
function expectNamed(reply: Reply, path: string, what: unknown): void {
  const paths: string[] = reply.body?.errors?.map((e: { path: string }) => e.path) ?? [];
  const named = paths.some((p) => p === path || p.startsWith(`${path}.`) || p.startsWith(`${path}[`));
  expect({ what, path, status: reply.status, code: reply.body?.code, named, paths }).toEqual({ what, path, status: 422, code: 'invalid-input', named: true, paths });
}

const MB = 'x'.repeat(1024 * 1024);
/** Texts that are refused wherever a text may stand. */
const UNSTORABLE: Record<string, unknown> = {
  'U+0000': 'a\0b',
  'U+0000 alone': '\0',
  'U+0000 escaped': new Raw('"a\\u0000b"'),
  'a lone high surrogate': 'a\ud800b',
  'a lone high surrogate at the end': 'a\ud83d',
  'a lone low surrogate': '\udc00a',
  'surrogates in the wrong order': '\udc00\ud800',
  'a lone surrogate, escaped': new Raw('"\\ud800"'),
  'a lone surrogate, escaped in capitals': new Raw('"\\uDFFF"'),
};
const OF_OTHER_TYPES: Record<Kind, unknown[]> = {
  text: [1, true, null, [], {}, ['a'], { toString: 'a' }],
  markdown: [1, true, null, [], {}, ['a']],
  choice: [1, true, null, [], {}, ['a'], 'nonsense of no kind', '', '__proto__', "x'; DROP TABLE container; --", MB],
  id: [1, true, null, [], {}, '', 'nonsense', '00000000-0000-0000-0000-00000000000', `{${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}}`, "x' OR '1'='1"],
  boolean: [1, 0, 'true', '', null, [], {}],
  list: [1, true, 'a', null, {}, { length: 1 }, { 0: 'a' }, [null], [[]], [1]],
  number: ['1', '', true, null, [], {}, [1], 0.5, 1.5, -1, -0.5, -9007199254740991, 9007199254740992, 1e21, 1e308, new Raw('1e400'), new Raw('-1e400'), new Raw('9007199254740993'), new Raw('9'.repeat(400)), new Raw('0.00000000000000000001')],
};

beforeAll(async () => {
  api = await openApi();
  [lead, other] = [await api.person(), await api.person()];
  slug = await api.container();
  petition = (await api.call('POST', `/containers/${slug}/petitions`, { as: other, body: { reason: 'Why' } })).body.id;
  await api.call('DELETE', `/containers/${slug}/petitions/${petition}`, { as: other });
  grant = await api.grantTo(slug, lead);
  lease = (await api.lease(slug, lead, { grant, to: lead.id, from: 1, through: 3 })).id;
  block = (await api.call('POST', `/containers/${slug}/blocks`, { as: lead, body: { grant, title: 'T', assignee: lead.id } })).body.id;
  token = (await api.call('POST', `/principals/${other.id}/tokens`, { as: api.operator, body: {} })).body.id;
  expect((await send(CALLS.land!, JSON.stringify(CALLS.land!.good()))).status).toBe(201);
  await api.tokenOf(api.operator);
  await api.tokenOf(lead);
  await api.tokenOf(other);
});
afterAll(() => api.close());

/** Runs `attack` and sees to it that nothing was written. */
async function writesNothing(attack: () => Promise<void>): Promise<void> {
  const before = await contentOf(api.db);
  await attack();
  expect(await contentOf(api.db)).toEqual(before);
}

describe.each(Object.entries(CALLS))('%s', (name, subject) => {
  it('finds no fault in a good body', () =>
    writesNothing(async () => {
      const reply = await send(subject, JSON.stringify(subject.good()));
      expect([reply.status === 201 || (reply.status >= 403 && reply.status <= 412), reply.body.errors]).toEqual([true, undefined]);
    }));

  it('names each member that holds what cannot be stored, is of the wrong type, missing or out of range', () =>
    writesNothing(async () => {
      for (const { at, kind, optional } of subject.members) {
        const path = pathOf(at);
        const attack = async (what: unknown, value: unknown) => expectNamed(await send(subject, bodyWith(subject.good(), at, value)), path, what);
        for (const [what, value] of Object.entries(UNSTORABLE)) await attack(what, value);
        for (const value of OF_OTHER_TYPES[kind]) await attack(value instanceof Raw ? value.text : value, value);
        await attack('a lone surrogate within', { a: [{ b: '\ud800' }] });
        if (kind === 'text' && !path.endsWith('identifier')) await attack('1 MB', MB);
        if (kind === 'markdown') {
          await attack('a byte more than 256 KiB', 'x'.repeat(256 * 1024 + 1));
          await attack('more than 256 KiB of UTF-8', 'ä'.repeat(128 * 1024 + 1));
        }
        if (!optional && kind !== 'list' && path !== 'keepLeases[0]') await attack('missing', undefined);
      }
    }));

  it('names unknown members', () =>
    writesNothing(async () => {
      const good = JSON.stringify(subject.good()).slice(0, -1);
      const comma = good === '{' ? '' : ',';
      for (const [json, path] of [
        ['"unknown":1', 'unknown'],
        ['"unknown":null', 'unknown'],
        ['"__proto__":{"role":"operator"}', '__proto__'],
        ['"__proto__":null', '__proto__'],
        ['"constructor":{"prototype":{}}', 'constructor'],
        ['"prototype":1', 'prototype'],
        ['"toString":1', 'toString'],
        ['"hasOwnProperty":1', 'hasOwnProperty'],
        ['"toJSON":1', 'toJSON'],
        ['"":1', 'body'],
        ['"a\\u0000":1', 'body'],
        ['"\\ud800":1', 'body'],
        [`"${'k'.repeat(100_000)}":1`, 'k'.repeat(200)],
      ] as const) {
        expectNamed(await send(subject, `${good}${comma}${json}}`), path, json.slice(0, 60));
      }
    }));

  it('refuses what is no object, no JSON or no UTF-8', () =>
    writesNothing(async () => {
      for (const raw of ['[]', 'null', '1', '"x"', 'true', '[{}]', `[${JSON.stringify(subject.good())}]`]) expectNamed(await send(subject, raw), 'body', raw);
      const deep = 100_000;
      const good = JSON.stringify(subject.good());
      const texts: CallOptions['raw'][] = ['', ' ', '{', '}', '{]', 'undefined', '{"a":01}', '{"a":.5}', '{"a":+1}', '{"a":Infinity}', "{'a':1}", '{"a":1}{"a":1}', '{"a":"\n"}', '{"a":"\\x"}', '//', '\0'];
      texts.push('['.repeat(deep), '{"a":'.repeat(deep), good.slice(0, -1), `${good}x`, new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]));
      for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) texts.push(Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]));
      for (const raw of texts) {
        const reply = await send(subject, raw);
        expect([String(raw).slice(0, 40), reply.status, reply.body.code]).toEqual([String(raw).slice(0, 40), 400, 'malformed-json']);
      }
      for (const raw of ['['.repeat(deep) + ']'.repeat(deep), '{"a":'.repeat(deep) + '1' + '}'.repeat(deep)]) {
        const reply = await send(subject, raw);
        expect([reply.status, reply.body.code]).toEqual([422, 'invalid-input']);
        expect(reply.text.length).toBeLessThan(2_000);
      }
      const [first] = subject.members;
      expectNamed(await send(subject, bodyWith(subject.good(), first!.at, new Raw(`${'['.repeat(deep)}${']'.repeat(deep)}`))), pathOf(first!.at), `deep in ${name}`);
    }));

  it('judges a body behind a byte order mark, and the last of equal names', () =>
    writesNothing(async () => {
      const good = JSON.stringify(subject.good());
      const plain = await send(subject, good);
      const marked = await send(subject, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good)]));
      expect([marked.status, marked.body.code]).toEqual([plain.status, plain.body.code]);
      const [first] = subject.members;
      const twice = await send(subject, `${good.slice(0, -1)},"${first!.at[0]}":{"a":1}}`);
      expectNamed(twice, String(first!.at[0]), 'twice');
    }));
});

describe('If-Match', () => {
  const EDITS = Object.entries(CALLS).filter(([, { more }]) => more?.().base !== undefined);
  it.each(EDITS)('%s: exactly one strong tag, else 422; one that is no revision 412', async (_name, subject) => {
    await writesNothing(async () => {
      const sent = (tag: string) => api.call(subject.method, subject.path(), { as: subject.as(), body: subject.good(), headers: { 'if-match': tag } });
      for (const tag of ['W/"1"', 'w/"1"', '*', '1', '', '"1', '1"', '""1""', '"1", "2"', '"1","2"', '"1" "2"', "'1'", '"1";x', '"a"b"', '“1”'.normalize().replace(/[“”]/g, '\u00ab'), `"${'"'.repeat(99)}"`, ',', '"1",']) {
        expectNamed(await sent(tag), 'If-Match', tag);
      }
      for (const tag of ['"0"', '"77"', '""', '"01"', '"1.0"', '"-1"', '"1e0"', '"+1"', '" 1"', '"x"', '"é"', '"2147483647"', '"2147483648"', '"9007199254740991"', '"9007199254740993"', `"${'9'.repeat(8000)}"`, '"W/1"', '"__proto__"']) {
        if (tag.includes(' ')) continue;
        if (tag === '"0"' && subject.path().includes('/drafts/')) continue;
        const reply = await sent(tag);
        expect([tag, reply.status, reply.body.code]).toEqual([tag, 412, 'edit-conflict']);
      }
    });
  });
});

describe('Idempotency-Key', () => {
  it('is text of 1 to 200 characters, taken as it stands', async () => {
    const place = await api.container();
    const of = await api.grantTo(place, lead);
    const push = (key: string, message = 'M') => api.call('POST', `/containers/${place}/landings`, { as: lead, body: { grant: of, message, entries: [] }, headers: { 'idempotency-key': key } });
    const before = await contentOf(api.db);
    expect((await push('')).body.code).toBe('idempotency-key-required');
    expect((await push('   ')).body.code).toBe('idempotency-key-required');
    for (const key of ['k'.repeat(201), 'k'.repeat(10_000)]) expectNamed(await push(key), 'Idempotency-Key', key.length);
    expect(await contentOf(api.db)).toEqual(before);
    const keys = ['k', 'K', 'k'.repeat(200), "'; DROP TABLE landing; --", '__proto__', '"quoted"', 'a, b', 'é', '%00', '0', 'null'];
    for (const [i, key] of keys.entries()) expect([key, (await push(key, key)).body.sequence]).toEqual([key, i + 1]);
    for (const [i, key] of keys.entries()) expect([key, (await push(key, key)).body.sequence]).toEqual([key, i + 1]);
  });
});

describe('addresses', () => {
  const SEGMENTS = ['%00', 'a%00b', '%ff', '%c0%80', '%ed%a0%80', '%zz', '%', '%2', '%25', '__proto__', 'hasOwnProperty', 'toString', '.%2e', '%2e%2e%2fx', 'a%2fb', '%27%20OR%201%3D1%20--', '%22', '%5c', '%F0%9F%92%A5', '%20', '%0d%0a', 'x'.repeat(5_000), '*', '{slug}', ':slug', '-1', '0', '1.5', 'NaN', '9'.repeat(400), 'TS-0', 'TS-01', 'ts-1', 'TS-9007199254740992', `TS-${'9'.repeat(300)}`, 'TS-1%00', 'TS-1%20', 'TS-%d9%a1'];
  const uuids = ['00000000-0000-0000-0000-000000000000', '0'.repeat(32), `urn:uuid:${'0'.repeat(8)}`];

  it('name nothing: every segment of every call', () =>
    writesNothing(async () => {
      /** One call for each kind of segment meets all of them, the others some. */
      const whole = new Set(['/containers/@/lock', `/containers/${slug}/petitions/@`, `/containers/${slug}/blocks/@`, `/containers/${slug}/drafts/@`, `/containers/${slug}/landings/@`, `/containers/${slug}/entries/@`, '/principals/@']);
      const paths: [string, string, object?][] = [
        ['GET', '/containers/@'],
        ['PATCH', '/containers/@', { title: 'T' }],
        ['POST', '/containers/@/archive'],
        ['GET', '/containers/@/lock'],
        ['GET', '/containers/@/lock/revisions'],
        ['POST', '/containers/@/lock/acquire', {}],
        ['POST', '/containers/@/lock/clear', { grant, reason: 'Why' }],
        ['PUT', '/containers/@/lock/notes', { notes: '' }],
        ['GET', '/containers/@/collaboration'],
        ['PUT', '/containers/@/collaboration/notes', { notes: '' }],
        ['POST', '/containers/@/petitions', { reason: 'Why' }],
        ['DELETE', `/containers/@/petitions/${petition}`],
        ['DELETE', `/containers/${slug}/petitions/@`],
        ['PATCH', `/containers/${slug}/blocks/@`, { state: 'done' }],
        ['POST', '/containers/@/leases', { grant, to: lead.id, count: 1 }],
        ['GET', '/containers/@/drafts'],
        ['PUT', `/containers/${slug}/drafts/@`, { grant, title: 'T', body: '' }],
        ['DELETE', `/containers/${slug}/drafts/@`],
        ['POST', '/containers/@/landings', { grant, message: '', entries: [] }],
        ['GET', '/containers/@/landings'],
        ['GET', `/containers/${slug}/landings/@`],
        ['GET', '/containers/@/register/verify'],
        ['GET', '/containers/@/entries?q=x'],
        ['GET', `/containers/${slug}/entries/@`],
        ['GET', `/containers/${slug}/entries/@/revisions`],
        ['GET', '/containers/@/badge'],
        ['GET', '/containers/@/audit'],
        ['PATCH', '/principals/@', { active: true }],
        ['GET', '/principals/@/tokens'],
        ['POST', '/principals/@/tokens', {}],
        ['DELETE', '/tokens/@'],
        ['GET', '/@'],
      ];
      for (const [method, path, body] of paths) {
        for (const segment of whole.has(path) ? [...SEGMENTS, ...uuids] : ['%00', '%ed%a0%80', '%zz', '__proto__', '%27%20OR%201%3D1%20--', 'x'.repeat(5_000), uuids[0]!]) {
          const reply = await api.call(method, path.replace('@', segment), { as: api.operator, body, base: path.includes('drafts') ? 0 : 1, key: 'k' });
          expect([method, path, segment, reply.status, reply.body?.code]).toEqual([method, path, segment, 404, 'not-found']);
        }
      }
    }));
});

describe('query strings', () => {
  it('that are not UTF-8 or hold U+0000 are 422 with the parameter named', async () => {
    for (const path of ['/containers', `/containers/${slug}/entries`, '/principals']) {
      for (const q of ['%00', 'a%00', '%ff', '%ed%a0%80', '%zz', '%', '%c0%80']) expectNamed(await api.call('GET', `${path}?q=${q}`, { as: api.operator }), 'q', q);
      expectNamed(await api.call('GET', `${path}?%ff=1`, { as: api.operator }), 'query', 'a name');
      expectNamed(await api.call('GET', `${path}?a%00=1`, { as: api.operator }), 'query', 'a name');
    }
  });

  it('that search for anything strange are answered', async () => {
    const place = await api.container();
    const { grant: of } = await api.lead(place, lead);
    await api.lease(place, lead, { grant: of, to: lead.id, count: 1 });
    await api.push(place, lead, of, [{ identifier: 'TS-1', title: 'One', body: 'x y z' }]);
    const { body: whole } = await api.call('GET', '/containers?limit=200', { as: lead });
    const odd = ["'", '"', "'; DROP TABLE container; --", '%', '_', '\\', '\\\\', '\\%', '(', '!', '&', '|', ':*', 'a:*', '<->', '-', '--', '"unclosed', 'a & | b', 'OR', '-a -b', '🦭', 'x'.repeat(3_000), 'ä'.repeat(3_000), 'a '.repeat(3_000), '-'.repeat(3_000), '"'.repeat(3_000), 'x'.repeat(2_046), `${'x'.repeat(2_500)} y`, '\u202e', '\r\n', '  '];
    for (const q of odd) {
      for (const path of ['/containers', `/containers/${place}/entries`]) {
        const reply = await api.call('GET', `${path}?q=${encodeURIComponent(q)}`, { as: lead });
        expect([path, q.slice(0, 40), reply.status]).toEqual([path, q.slice(0, 40), 200]);
      }
    }
    expect((await api.call('GET', '/containers?limit=200', { as: lead })).body.items).toHaveLength(whole.items.length);
    expect((await api.call('GET', '/containers?q=%25', { as: lead })).body.items).toEqual([]);
  });

  it('count the first of equal names, and ignore what is not known', async () => {
    expect((await api.call('GET', '/containers?limit=1&limit=0', { as: lead })).status).toBe(200);
    expectNamed(await api.call('GET', '/containers?limit=0&limit=1', { as: lead }), 'limit', 'twice');
    for (const query of ['', '&', '=', '&&=&', '__proto__=1', 'constructor=1', 'unknown=%F0%9F%92%A5', 'limit[]=9', 'limit.x=1']) {
      expect([query, (await api.call('GET', `/containers?${query}`, { as: lead })).status]).toEqual([query, 200]);
    }
  });
});

describe('what may be stored comes back character for character', () => {
  const TEXTS = [
    '<script>alert(1)</script><img src=x onerror=alert(1)>',
    '[click](javascript:alert(1)) ![x](data:text/html;base64,PHN2Zz4=)',
    "Robert'); DROP TABLE container; --",
    '${7*7} {{7*7}} %s %n \\u0000 \\0 &lt;&amp; \u0001\u001b[31m\u007f',
    'a\u0301 á \u202eabc\u202c \u200d 👩‍👩‍👧‍👦 \u{10ffff} \ufeff \ufffe',
  ];

  it.each(TEXTS)('%s', async (text) => {
    const place = await api.container();
    const at = `/containers/${place}`;
    const { grant: of, revision: base } = await api.lead(place, lead);
    const titled = text.slice(0, 200);
    const put = await api.call('PUT', `${at}/lock/notes`, { as: lead, base, body: { notes: text, summary: titled } });
    expect(put.body.notes).toBe(text);
    const { body: revisions } = await api.call('GET', `${at}/lock/revisions?limit=1`, { as: lead });
    expect([revisions.items[0].summary, revisions.items[0].fields.notes]).toEqual([titled, text]);
    const { body: page } = await api.call('GET', `${at}/collaboration`, { as: lead });
    expect((await api.call('PUT', `${at}/collaboration/notes`, { as: lead, base: page.revision, body: { notes: text } })).body.notes).toBe(text);
    expect((await api.call('POST', `${at}/petitions`, { as: other, body: { reason: text } })).body.reason).toBe(text);
    expect((await api.call('GET', `${at}/lock`, { as: lead })).body.queue[0].reason).toBe(text);
    expect((await api.call('POST', `${at}/blocks`, { as: lead, body: { grant: of, title: titled, description: text, assignee: other.id } })).body).toMatchObject({ title: titled, description: text });
    expect((await api.call('PUT', `${at}/drafts/TS-1`, { as: lead, base: 0, body: { grant: of, title: titled, body: text } })).body).toMatchObject({ title: titled, body: text });
    expect((await api.call('PATCH', at, { as: api.operator, base: 1, body: { title: titled, description: text } })).body).toMatchObject({ title: titled, description: text });
    await api.lease(place, lead, { grant: of, to: lead.id, count: 1 });
    const landed = await api.call('POST', `${at}/landings`, { as: lead, key: 'k', body: { grant: of, message: text, entries: [{ identifier: 'TS-1', title: titled, body: text }] } });
    expect(landed.body.message).toBe(text);
    expect((await api.call('GET', `${at}/entries/TS-1`, { as: lead })).body).toMatchObject({ title: titled, body: text });
    expect((await api.call('GET', `${at}/register/verify`, { as: lead })).body).toEqual({ ok: true, checked: 1 });
  });

  it('bodies at the very limit, whatever they are made of', async () => {
    const place = await api.container();
    const of = await api.grantTo(place, lead);
    const size = 256 * 1024;
    const repeat = (part: string) => part.repeat(Math.floor(size / Buffer.byteLength(part)));
    let words = '';
    for (let i = 0; words.length < size - 10; i++) words += `${i.toString(36)} `;
    const bodies = [repeat('x'), repeat('💥'), repeat('\n'), repeat('a-'), repeat('a.b/'), repeat('http://a.b/c?d '), repeat('a@b.c '), repeat('<a>'), repeat('1e9.'), repeat('&amp;'), repeat('ä '), words, `${'x'.repeat(3_000)} y`];
    await api.lease(place, lead, { grant: of, to: lead.id, count: bodies.length });
    const entries = bodies.map((body, i) => ({ identifier: `TS-${i + 1}`, title: '💥'.repeat(200), body }));
    const landed = await api.call('POST', `/containers/${place}/landings`, { as: lead, key: 'k', body: { grant: of, message: 'm'.repeat(2_000), entries } });
    expect([landed.status, landed.body.code]).toEqual([201, undefined]);
    expect((await api.call('GET', `/containers/${place}/entries/TS-2`, { as: lead })).body.body).toBe(bodies[1]);
    expect((await api.call('GET', `/containers/${place}/register/verify`, { as: lead })).body.ok).toBe(true);
  });
});

describe('numbers at the edge', () => {
  it('the last identifier can be leased and landed', async () => {
    const place = await api.container();
    const of = await api.grantTo(place, lead);
    const last = Number.MAX_SAFE_INTEGER;
    const leased = await api.call('POST', `/containers/${place}/leases`, { as: lead, body: { grant: of, to: lead.id, from: last, through: last } });
    expect([leased.status, leased.body.through]).toEqual([201, last]);
    const entry = { identifier: `TS-${last}`, title: 'T', body: '' };
    expect((await api.call('POST', `/containers/${place}/landings`, { as: lead, key: 'k', body: { grant: of, message: '', entries: [entry] } })).status).toBe(201);
    expect((await api.call('GET', `/containers/${place}/entries/TS-${last}`, { as: lead })).status).toBe(200);
    expect((await api.call('GET', `/containers/${place}/entries?cursor=${last}`, { as: lead })).body).toEqual({ items: [], next: null });
    const clash = await api.call('POST', `/containers/${place}/leases`, { as: lead, body: { grant: of, to: lead.id, from: last - 5, through: last } });
    expect(clash.body).toMatchObject({ code: 'range-taken', from: last, through: last });
  });

  it('the highest next grant can be given, and those after it', async () => {
    const place = await api.container();
    const lift = (nextGrant: number, base: number) => api.call('POST', `/containers/${place}/lock/reopen`, { as: api.operator, base, body: { nextGrant, reason: 'Why' } });
    expectNamed(await lift(Number.MAX_SAFE_INTEGER, 1), 'nextGrant', 'no room above it');
    expect((await lift(2 ** 52, 1)).status).toBe(200);
    const held = await api.call('POST', `/containers/${place}/lock/acquire`, { as: lead, base: 2, body: {} });
    expect([held.status, held.body.grant, held.body.nextGrant]).toEqual([200, 2 ** 52, 2 ** 52 + 1]);
  });

  it('a lease has at most 100,000 identifiers, a landing 1,000 entries', async () => {
    const lend = (body: object) => api.call('POST', `/containers/${slug}/leases`, { as: lead, body: { grant, to: lead.id, ...body } });
    expectNamed(await lend({ count: 100_001 }), 'count', 'too many');
    expectNamed(await lend({ count: 0 }), 'count', 'none');
    expectNamed(await lend({ from: 10, through: 100_010 }), 'through', 'too many');
    expectNamed(await lend({ from: 10, through: 9 }), 'through', 'backwards');
    expectNamed(await lend({ from: 10 }), 'through', 'no end');
    expectNamed(await lend({ through: 10 }), 'from', 'no beginning');
    expectNamed(await lend({}), 'count', 'neither');
    expectNamed(await lend({ count: 1, from: 1, through: 1 }), 'from', 'both');
    const entries = Array.from({ length: 1_001 }, (_, i) => ({ identifier: `TS-${i + 1}`, title: 'T', body: '' }));
    expectNamed(await api.call('POST', `/containers/${slug}/landings`, { as: lead, key: 'k', body: { grant, message: '', entries } }), 'entries', 'too many');
  });

  it('a thousand bad entries are all listed, and a hundred faults of form', async () => {
    const push = (entry: object) => api.call('POST', `/containers/${slug}/landings`, { as: lead, key: 'k', body: { grant, message: '', entries: Array.from({ length: 1_000 }, () => entry) } });
    expect((await push({ identifier: 'nonsense', title: 'T', body: '' })).body.errors).toHaveLength(1_000);
    const faults = await push({ identifier: 1, title: '', body: null });
    expect([faults.status, faults.body.errors.length]).toEqual([422, 100]);
  });
});

it('a DELETE does not look at a body', async () => {
  for (const raw of ['{', '\0', '[]']) {
    expect((await api.call('DELETE', `/containers/${slug}/petitions/${petition}`, { as: other, raw })).body.code).toBe('wrong-state');
  }
  expect((await api.call('DELETE', `/tokens/${token}`, { as: api.operator, raw: '{' })).status).toBe(204);
});

it('a base of zero saves a new draft only where there is none', async () => {
  const body = { grant, title: 'T', body: '' };
  expect((await api.call('PUT', `/containers/${slug}/drafts/TS-99`, { as: lead, base: 0, body })).status).toBe(200);
  expect((await api.call('PUT', `/containers/${slug}/drafts/TS-99`, { as: lead, base: 0, body })).body.code).toBe('edit-conflict');
  expect(await revision()).toBeGreaterThan(0);
});
