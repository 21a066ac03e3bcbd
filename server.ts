import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Claim } from './lib/postgres/claim';
import { ensureCluster } from './lib/postgres/cluster';
import { log } from './lib/log';
import { migrate, shutOut } from './lib/postgres/migrate';
import { explainListen, listenAddress } from './scripts/setup/address.mjs';
import { onNpmGone } from './scripts/setup/parent.mjs';
import { dataFolder, ROOT } from './scripts/setup/paths.mjs';
import { step } from './scripts/setup/progress.mjs';

/*
 * The whole of Holdfast in one process: the database's server beside it, the HTTP API (Hono) and the pages (Next) on one
 * port. The port opens first, so that /healthz answers while the rest starts; until then all else is 503.
 */

/** How this server is known to others on the machine, and how it ends. */
export type Running = {
  /** For example http://127.0.0.1:3000 */
  address: string;
  databaseUrl: string;
  /** Stops taking requests, lets those under way finish for up to five seconds, and ends everything that was started. */
  stop(): Promise<void>;
};

export type MainOptions = {
  /** The data folder, claimed already by the caller; released when the server stops. */
  claim: Claim<{ address: string | null }>;
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const DRAIN_MS = 5_000;
/** A terminal and npm may both deliver one Ctrl-C. */
const SAME_KEYPRESS_MS = 400;
const API_PATHS = ['/healthz', '/readyz', '/metrics'];

/** The path of a request target, without its query; also of the absolute form that proxies may send. */
export function pathOf(target: string): string {
  const path = URL.canParse(target) ? new URL(target).pathname : target;
  return path.split(/[?#]/, 1)[0] ?? '/';
}

/** Whether the HTTP API answers a path; the pages have all others. */
export function isApiPath(path: string): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/') || API_PATHS.includes(path);
}

/** What answers before the app can. */
function starting(request: IncomingMessage, response: ServerResponse): void {
  const alive = pathOf(request.url ?? '/') === '/healthz';
  response.writeHead(alive ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(alive ? {} : { 'retry-after': '1' }),
  });
  response.end(JSON.stringify(alive ? { status: 'ok' } : { status: 'starting' }));
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((done, failed) => {
    server.once('error', (error) => failed(explainListen(error, host, port)));
    server.listen(port, host, () => done((server.address() as AddressInfo).port));
  });
}

function addressFor(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

/** Ends the server's connections: idle ones now, busy ones once they are done or the time is up. */
async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(late);
}

async function pages(server: Server, host: string, port: number): Promise<{ handle: Listener; close(): Promise<void> }> {
  const { default: next } = await import('next');
  const app = next({ dev: false, dir: ROOT, hostname: host, port, httpServer: server });
  await app.prepare();
  const handler = app.getRequestHandler();
  return { handle: (request, response) => void handler(request, response), close: () => app.close() };
}

/** What is up, in the order in which it came up; it goes down in the opposite order, after the port. */
class Parts {
  server: Server | null = null;
  /** What keeps connections busy that would never be done; ends before the port is drained. */
  endStreams: () => Promise<void> = async () => undefined;
  readonly undo: (() => Promise<void> | void)[] = [];
  private ending: Promise<void> | null = null;

  stop(): Promise<void> {
    return (this.ending ??= this.end());
  }

  private async end(): Promise<void> {
    const port = this.server?.listening ? [this.endStreams, () => drain(this.server as Server)] : [];
    for (const end of [...port, ...this.undo.toReversed()]) {
      try {
        await end();
      } catch (error) {
        console.error(error);
      }
    }
  }
}

async function bringUp(parts: Parts, claim: MainOptions['claim'], stopping: AbortSignal): Promise<Omit<Running, 'stop'>> {
  const { host, port: wantedPort } = listenAddress();
  parts.undo.push(() => claim.release());
  let answer: Listener = starting;
  const server = createServer((request, response) => answer(request, response));
  server.headersTimeout = 15_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = 65_000;
  parts.server = server;
  const port = await listen(server, host, wantedPort);
  const address = addressFor(host, port);

  const embedded = !process.env.DATABASE_URL;
  if (embedded) {
    const cluster = await step('Starting the database', () => ensureCluster(dataFolder()));
    parts.undo.push(cluster.stop);
    cluster.keepUp((message) => log.warn({ event: 'embedded-database', message }));
    // The pages are a bundle of their own, with modules of their own: they learn the address here.
    process.env.DATABASE_URL = cluster.url;
  }
  const databaseUrl = process.env.DATABASE_URL as string;
  stopping.throwIfAborted();
  await step('Bringing the database up to date', () =>
    migrate(databaseUrl).catch((error: unknown) => {
      throw (embedded ? undefined : shutOut(databaseUrl, error)) ?? error;
    }),
  );
  stopping.throwIfAborted();

  const { boot } = await import('./lib/boot');
  const booted = await step('Preparing the workspace', () => boot(databaseUrl, { dataDir: dataFolder(), address, embedded }));
  parts.endStreams = () => booted.endStreams();
  parts.undo.push(() => booted.close());
  stopping.throwIfAborted();
  const [{ app }, site] = await Promise.all([import('./lib/api/app'), step('Loading the pages', () => pages(server, host, port))]);
  parts.undo.push(site.close);
  stopping.throwIfAborted();

  const api = getRequestListener(app.fetch);
  // Behind a proxy of yours (HOLDFAST_URL) its word on the client's address counts; else nobody's but the socket's.
  const direct = !process.env.HOLDFAST_URL;
  answer = (request, response) => {
    if (direct) request.headers['x-forwarded-for'] = request.socket.remoteAddress;
    if (isApiPath(pathOf(request.url ?? '/'))) void api(request, response);
    else site.handle(request, response);
  };
  claim.update({ address });
  console.log(`\nHoldfast is running at ${address}`);
  for (const line of booted.lines) console.log(line);
  console.log('Stop it with Ctrl-C.');
  return { address, databaseUrl };
}

/** Starts Holdfast. Resolves when it takes requests. @throws Error for people when it cannot; nothing is left running. */
export async function main({ claim }: MainOptions): Promise<Running> {
  const parts = new Parts();
  const stopping = new AbortController();
  const coming = bringUp(parts, claim, stopping.signal);
  const stop = async () => {
    stopping.abort();
    // What is coming up must be there, or have failed, before it can be taken down whole.
    await coming.catch(() => undefined);
    await parts.stop();
  };
  exitOnSignals(stop);
  try {
    const running = await coming;
    process.send?.({ ready: true, ...running }, undefined, undefined, () => undefined);
    return { ...running, stop };
  } catch (error) {
    await parts.stop();
    // Stopped while it came up: the signal's handler ends the process, and nothing went wrong.
    if (stopping.signal.aborted) return new Promise(() => undefined);
    throw error;
  }
}

/** The first SIGINT, SIGTERM or SIGHUP (a closed terminal), or the end of the npm that started us, stops in good order; a second signal ends the process at once. */
function exitOnSignals(stop: () => Promise<void>): void {
  let first = 0;
  const end = () => {
    if (first === 0) {
      first = Date.now();
      console.log('\nStopping …');
      void stop().then(() => process.exit(0));
    } else if (Date.now() - first > SAME_KEYPRESS_MS) {
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // What reads our output may end before us, and must not take a good stop down with it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const once = () => {
    if (first === 0) end();
  };
  onNpmGone(once);
  // Whoever forked us (the browser tests) is gone.
  process.once('disconnect', once);
}
