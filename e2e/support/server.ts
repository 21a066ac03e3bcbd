import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FullConfig } from '@playwright/test';
import { removeAbandonedClusters, removeClusterFolder, temporaryClusterFolder } from '../../lib/postgres/cluster';

/** The server that browser tests use: the built app, whole, in a process of its own with data of its own. */
export type TestServer = { address: string; databaseUrl: string };

const PREFIX = 'holdfast-e2e-';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The running server. In tests and their fixtures; `globalSetup` has started it. */
export function testServer(): TestServer {
  const { HOLDFAST_TEST_ADDRESS: address, HOLDFAST_TEST_DATABASE: databaseUrl } = process.env;
  if (!address || !databaseUrl) throw new Error("There is no test server: run these tests with Playwright's runner.");
  return { address, databaseUrl };
}

/** Starts the built app on a free port and an empty data folder. The child tells its address once it takes requests. */
async function startServer(dataDir: string, log: string): Promise<{ child: ChildProcess; server: TestServer }> {
  const output = createWriteStream(log);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOLDFAST_DATA_DIR: dataDir,
    HOLDFAST_RATE_LIMIT: 'off',
    HOST: '127.0.0.1',
    PORT: '0',
    NODE_ENV: 'production',
  };
  // The child starts its own database, and must not take its end from npm, which is not its parent.
  delete env.DATABASE_URL;
  delete env.npm_lifecycle_event;
  const child = fork(join(ROOT, 'scripts', 'start.mjs'), { cwd: ROOT, env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The server did not start:\n${readFileSync(log, 'utf8').trim()}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [TestServer & { ready: true }];
  return { child, server: message };
}

export default async function setup(config: FullConfig): Promise<() => Promise<void>> {
  await removeAbandonedClusters(tmpdir(), PREFIX);
  const dataDir = temporaryClusterFolder(tmpdir(), PREFIX);
  const logs = join(config.rootDir, '..', 'test-results');
  mkdirSync(logs, { recursive: true });
  const { child, server } = await startServer(dataDir, join(logs, 'server.log')).catch((error: unknown) => {
    removeClusterFolder(dataDir);
    throw error;
  });
  process.env.HOLDFAST_TEST_ADDRESS = server.address;
  process.env.HOLDFAST_TEST_DATABASE = server.databaseUrl;
  return async () => {
    if (child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    removeClusterFolder(dataDir);
  };
}
