/** The real server as a process of its own (server-process.mjs), for tests that kill it and start it again. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Failpoint } from '../failpoint';
import { readReply, type Reply } from './api';
import { within } from './lives';

const PROGRAM = fileURLToPath(new URL('server-process.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type CallOptions = { as?: string; body?: unknown; base?: number; key?: string };

export type ServerProcess = {
  pid: number;
  address: string;
  /** A call under /api/v1, unless the path is `/readyz`. Rejects when the server dies meanwhile. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Resolves when /readyz says so. */
  ready(): Promise<void>;
  /** Has the process end by SIGKILL when it next comes to this point. */
  arm(failpoint: Failpoint): Promise<void>;
  /** How it ended: its code, or the signal. */
  ended: Promise<number | NodeJS.Signals>;
  /** Ends it, and waits until it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | NodeJS.Signals>;
};

const alive = new Set<ChildProcess>();

/** Ends the servers that a failed test left behind. Call it in `afterAll`. */
export async function endServers(): Promise<void> {
  await Promise.all(
    [...alive].map((child) => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      return ended;
    }),
  );
}

/** Starts a server on a database and a data folder. Resolves when it takes requests, which may be before it has recovered. */
export async function startServer({ databaseUrl, dataDir }: { databaseUrl: string; dataDir: string }): Promise<ServerProcess> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_RATE_LIMIT: 'off',
    HOLDFAST_DEMO: '0',
    HOLDFAST_LOG: 'error',
    HOST: '127.0.0.1',
    PORT: '0',
    NODE_ENV: 'production',
  };
  delete env.npm_lifecycle_event;
  const child = fork(PROGRAM, { cwd: ROOT, env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  alive.add(child);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output = (output + chunk).slice(-10_000)));
  const ended = once(child, 'exit').then(([code, signal]) => {
    alive.delete(child);
    return (code ?? signal) as number | NodeJS.Signals;
  });
  const failed = ended.then((how) => {
    throw new Error(`the server ended (${how}):\n${output}`);
  });
  failed.catch(() => undefined);
  const [{ address }] = (await Promise.race([once(child, 'message'), failed])) as [{ address: string }];

  const call: ServerProcess['call'] = async (method, path, { as, body, base, key } = {}) => {
    const headers: Record<string, string> = { connection: 'close' };
    if (as) headers.authorization = `Bearer ${as}`;
    if (base !== undefined) headers['if-match'] = `"${base}"`;
    if (key) headers['idempotency-key'] = key;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const url = `${address}${path === '/readyz' ? '' : '/api/v1'}${path}`;
    return readReply(await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }));
  };
  return {
    pid: child.pid!,
    address,
    call,
    ready: () => Promise.race([within(30, async () => (await call('GET', '/readyz')).status === 200), failed]),
    arm: (failpoint) => new Promise((done, refused) => child.send({ failpoint }, (error) => (error ? refused(error) : done()))),
    ended,
    async end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
