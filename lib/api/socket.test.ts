/** The API over real sockets, as `server.ts` serves it: what only the wire can do to it. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { log } from '../log';
import { startHub, type Hub } from '../live/hub';
import type { Principal } from '../principals/record';
import { contentOf, openApi, type Api } from '../testing/api';
import { app } from './app';

let api: Api;
let server: Server;
let lead: Principal;
let bearer: string;
let slug: string;
let grant: number;
const faults = vi.spyOn(log, 'error');

beforeAll(async () => {
  api = await openApi();
  lead = await api.person();
  bearer = `Authorization: Bearer ${await api.tokenOf(lead)}`;
  slug = await api.container();
  grant = await api.grantTo(slug, lead);
  server = createServer(getRequestListener(app.fetch));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await api.close();
});

type Answer = { status: number; headers: Record<string, string>; body: string };

const open = (): Promise<Socket> =>
  new Promise((done, failed) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => done(socket));
    socket.on('error', failed);
  });

function parse(text: string): Answer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}

/** Everything that a socket says until it closes. */
const heard = (socket: Socket): Promise<string> =>
  new Promise((done) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part) => (text += part));
    socket.on('error', () => done(text));
    socket.on('close', () => done(text));
  });

/** Sends one request as it stands and gives the answer. */
async function exchange(...lines: string[]): Promise<Answer> {
  const socket = await open();
  const all = heard(socket);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return parse(await all);
}
const request = (line: string, ...headers: string[]) => exchange(`${line} HTTP/1.1`, 'Host: holdfast.test', 'Connection: close', bearer, ...headers);
const codeOf = ({ body }: Answer): string => (JSON.parse(body.includes('\r\n') ? body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1) : body) as { code: string }).code;
const post = async (path: string, body: string, ...headers: string[]) => {
  const socket = await open();
  const all = heard(socket);
  socket.write([`POST /api/v1/containers/${slug}${path} HTTP/1.1`, 'Host: holdfast.test', 'Connection: close', bearer, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n'));
  return parse(await all);
};

describe('methods', () => {
  it('HEAD answers as GET without a body', async () => {
    const [get, head] = [await request(`GET /api/v1/containers/${slug}/lock`), await request(`HEAD /api/v1/containers/${slug}/lock`)];
    expect([head.status, head.body, head.headers.etag, head.headers['cache-control']]).toEqual([200, '', get.headers.etag, 'no-store']);
    expect((await request('HEAD /api/v1/containers/no-such/lock')).status).toBe(404);
    expect((await request('HEAD /healthz')).status).toBe(200);
  });

  it('OPTIONS and methods that no call has are not-found, and open nothing to other sites', async () => {
    for (const method of ['OPTIONS', 'PROPFIND', 'SEARCH', 'PUT', 'M-SEARCH', 'QUERY']) {
      const answer = await request(`${method} /api/v1/containers`, 'Origin: http://evil.test', 'Access-Control-Request-Method: POST');
      expect([method, answer.status, codeOf(answer)]).toEqual([method, 404, 'not-found']);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('methods that HTTP does not know, or that are not for us, are 4xx', async () => {
    for (const method of ['BREW', 'get', 'G\0T', 'TRACE', 'CONNECT', 'TRACK']) {
      const answer = await request(`${method} /api/v1/containers`);
      expect([method, answer.status === 0 || Number.isNaN(answer.status) || (answer.status >= 400 && answer.status < 500), answer.status]).toEqual([method, true, answer.status]);
    }
  });
});

describe('headers', () => {
  it('that stand twice where one may stand are refused', async () => {
    const twice = await post('/lock/heartbeat', JSON.stringify({ grant }), 'If-Match: "1"', 'If-Match: "2"');
    expect([twice.status, codeOf(twice)]).toEqual([422, 'invalid-input']);
    const tokens = await request('GET /api/v1/me', bearer);
    expect([tokens.status, codeOf(tokens)]).toEqual([401, 'unauthenticated']);
    const lengths = await request(`POST /api/v1/containers/${slug}/petitions`, 'Content-Length: 2', 'Content-Length: 3', '', '{}');
    expect(lengths.status).toBe(400);
    const both = await request(`POST /api/v1/containers/${slug}/petitions`, 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '0');
    expect(both.status).toBe(400);
  });

  it('an Idempotency-Key that stands twice is one key', async () => {
    const push = (...keys: string[]) => post('/landings', JSON.stringify({ grant, message: '', entries: [] }), ...keys.map((key) => `Idempotency-Key: ${key}`));
    const [first, again] = [await push('a', 'b'), await push('a', 'b')];
    expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  });

  it('the media type of a body is not asked for', async () => {
    for (const type of [[], ['Content-Type: text/plain'], ['Content-Type: application/xml; charset=utf-16']]) {
      const answer = await post('/petitions', '{"reason":1}', ...type);
      expect([type, answer.status, codeOf(answer)]).toEqual([type, 422, 'invalid-input']);
    }
  });

  it('strange hosts, or none, end in no fault', async () => {
    for (const host of ['a b', '', 'x'.repeat(300), '[::1', 'evil.test/path', 'a@b', '127.0.0.1:99999']) {
      const answer = await exchange('GET /api/v1/me HTTP/1.1', `Host: ${host}`, 'Connection: close', bearer);
      expect([host, answer.status === 200 || answer.status === 400]).toEqual([host, true]);
    }
    expect([200, 400]).toContain((await exchange('GET /healthz HTTP/1.0')).status);
  });

  it('too many of them are refused', async () => {
    const answer = await request('GET /api/v1/me', ...Array.from({ length: 400 }, (_, i) => `X-${i}: ${'x'.repeat(100)}`));
    expect(answer.status).toBe(431);
  });
});

describe('addresses', () => {
  it('that cannot be decoded name nothing', async () => {
    for (const path of ['/containers/%zz/lock', '/containers/%/lock', '/containers/%00/lock', '/containers/%ff', '/%ff', '/containers/%c0%af', '/containers/a%2Fb', '/containers//lock', '//containers', '/containers/../../../etc/passwd', '/containers/%2e%2e/%2e%2e', '/containers/"', '/containers/<x>', '/containers/|']) {
      const answer = await request(`GET /api/v1${path}`);
      expect([path, answer.status, codeOf(answer)]).toEqual([path, 404, 'not-found']);
    }
  });

  it('that no URL can be made of are refused', async () => expect((await request('GET /api/v1/containers/\\')).status).toBe(400));

  it('that are very long name nothing, or are too long for HTTP', async () => {
    const long = await request(`GET /api/v1/containers/${'x'.repeat(15_000)}`);
    expect([long.status, codeOf(long)]).toEqual([404, 'not-found']);
    expect((await request(`GET /api/v1/${'a/'.repeat(7_000)}`)).status).toBe(404);
    expect((await request(`GET /api/v1/containers?q=${'%20'.repeat(4_000)}`)).status).toBe(200);
    expect((await request(`GET /api/v1/containers/${'x'.repeat(100_000)}`)).status).toBe(431);
  });

  it('in whole form are answered, in no form refused', async () => {
    expect((await request('GET http://holdfast.test/api/v1/me')).status).toBe(200);
    for (const target of ['*', 'api/v1/me', 'http://', 'javascript:alert(1)', '?']) {
      const answer = await request(`GET ${target}`);
      expect([target, answer.status >= 400 && answer.status < 500, answer.status]).toEqual([target, true, answer.status]);
    }
  });
});

describe('bodies', () => {
  const head = (path: string, ...headers: string[]) => [`POST /api/v1/containers/${slug}${path} HTTP/1.1`, 'Host: holdfast.test', bearer, 'Idempotency-Key: k', ...headers, '', ''].join('\r\n');
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;

  it('above the limit in chunks are refused before they end', async () => {
    const socket = await open();
    const all = heard(socket);
    let answered = false;
    socket.once('data', () => (answered = true));
    socket.write(head('/petitions', 'Transfer-Encoding: chunked'));
    let sent = 0;
    while (!answered && !socket.destroyed && sent < 4_000) {
      sent++;
      if (!socket.write(chunk)) await new Promise((drained) => ['drain', 'data', 'close'].forEach((event) => socket.once(event, drained)));
    }
    socket.destroy();
    const answer = parse(await all);
    expect([answer.status, codeOf(answer)]).toEqual([413, 'too-large']);
    expect(sent * 0x10000).toBeLessThan(64 * 1024 * 1024);
  });

  it('that say that they are above the limit are refused unread', async () => {
    for (const length of [String(9 * 1024 * 1024), '999999999999']) {
      const socket = await open();
      const all = heard(socket);
      socket.write(head('/landings', `Content-Length: ${length}`, 'Connection: close'));
      const answer = parse(await all);
      expect([answer.status, codeOf(answer)]).toEqual([413, 'too-large']);
    }
  });

  it('that are not asked for without a sign-in are not waited for', async () => {
    const socket = await open();
    const all = heard(socket);
    socket.write(['POST /api/v1/containers HTTP/1.1', 'Host: holdfast.test', 'Connection: close', 'Content-Length: 1000', '', '{'].join('\r\n'));
    expect(parse(await all).status).toBe(401);
  });

  it('in the smallest chunks are read whole', async () => {
    const socket = await open();
    const all = heard(socket);
    socket.write(head('/landings', 'Transfer-Encoding: chunked', 'Connection: close').replace('Idempotency-Key: k', 'Idempotency-Key: small'));
    for (const byte of Buffer.from(JSON.stringify({ grant, message: 'Käse 🧀', entries: [] }))) {
      socket.write(Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]));
    }
    socket.write('0\r\n\r\n');
    const answer = parse(await all);
    expect([answer.status, answer.body.includes('Käse 🧀')]).toEqual([201, true]);
  });

  it('that break off leave nothing behind, and no fault in the log', async () => {
    const before = await contentOf(api.db);
    faults.mockClear();
    const text = JSON.stringify({ grant, message: 'Never whole', entries: [] });
    for (const framing of [`Content-Length: ${text.length + 1}`, 'Transfer-Encoding: chunked']) {
      for (const how of ['end', 'destroy', 'resetAndDestroy'] as const) {
        const socket = await open();
        const all = heard(socket);
        socket.write(head('/landings', framing).replace('Idempotency-Key: k', 'Idempotency-Key: broken'));
        socket.write(framing.startsWith('C') ? text : `${text.length.toString(16)}\r\n${text}\r\n`);
        // The server has begun to read once another request has been answered.
        await request('GET /api/v1/me');
        socket[how]();
        await all;
      }
    }
    expect((await request('GET /api/v1/me')).status).toBe(200);
    expect(await contentOf(api.db)).toEqual(before);
    expect(faults).not.toHaveBeenCalled();
  });

  it('chunks that are no chunks are refused', async () => {
    for (const bad of ['zz\r\n{}\r\n0\r\n\r\n', '-1\r\n\r\n', 'ffffffffffffffffff\r\n']) {
      const socket = await open();
      const all = heard(socket);
      socket.write(head('/petitions', 'Transfer-Encoding: chunked', 'Connection: close') + bad);
      expect([bad, parse(await all).status]).toEqual([bad, 400]);
    }
  });

  it('one behind the other on one connection are answered in order', async () => {
    const socket = await open();
    const all = heard(socket);
    const get = (path: string, last = false) => `GET /api/v1${path} HTTP/1.1\r\nHost: holdfast.test\r\n${bearer}\r\n${last ? 'Connection: close\r\n' : ''}\r\n`;
    socket.write(get('/me') + get('/nothing') + get(`/containers/${slug}/lock`) + get('/me', true));
    const statuses = [...(await all).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    expect(statuses).toEqual([200, 404, 200, 200]);
  });
});

describe('streams of events', () => {
  let live: Hub;
  beforeAll(() => {
    live = startHub(api.runtime.db, api.url);
  });
  afterAll(() => live.close());

  it('HEAD has the headers of a stream, ends at once, and watches nothing', async () => {
    const head = await request(`HEAD /api/v1/containers/${slug}/events`);
    expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    expect(live.watchers).toBe(0);
  });

  it('watchers that are gone before they are let in leave nothing behind', async () => {
    for (let round = 0; round < 10; round++) {
      const sockets = await Promise.all(Array.from({ length: 20 }, open));
      for (const socket of sockets) {
        socket.write(`GET /api/v1/events?board=yes&container=${slug} HTTP/1.1\r\nHost: holdfast.test\r\n${bearer}\r\n\r\n`);
        setTimeout(() => socket.resetAndDestroy(), round);
      }
      await Promise.all(sockets.map((socket) => new Promise((done) => socket.once('close', done))));
    }
    await request('GET /api/v1/me');
    await expect.poll(() => live.watchers).toBe(0);
  });
});

it('has logged no fault of its own', () => {
  expect(faults).not.toHaveBeenCalled();
});
