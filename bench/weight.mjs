/** The weight of a page's scripts, and of a bare page's of the framework. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../scripts/setup/paths.mjs';

/** What a page still loads by itself comes within so long after its load, in milliseconds. */
const AFTER_LOAD_MS = 2_500;

/**
 * Loads a page and weighs every script that it runs before anybody touches it, workers too, each once, by gzip.
 * @returns {Promise<{ total: number, scripts: { name: string, text: string, size: number }[] }>} sizes in kB (1,000 bytes)
 */
export async function weigh(context, url) {
  const page = await context.newPage();
  const found = new Map();
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') found.set(response.url(), response.text());
  });
  await page.goto(url, { waitUntil: 'load' });
  await sleep(AFTER_LOAD_MS);
  const scripts = [];
  for (const [name, coming] of found) {
    const text = await coming;
    scripts.push({ name: new URL(name).pathname.replace('/_next/static/chunks/', ''), text, size: gzipSync(text).length / 1000 });
  }
  await page.close();
  return { total: scripts.reduce((sum, { size }) => sum + size, 0), scripts: scripts.sort((a, b) => b.size - a.size) };
}

/** A folder inside the project, so that the framework is found where the project has it. */
const BARE = join(ROOT, 'bench', '.bare');
const FILES = {
  'package.json': '{ "type": "module", "private": true }',
  'next.config.mjs': `export default { turbopack: { root: ${JSON.stringify(ROOT)} } };`,
  'app/layout.jsx': 'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }',
  // Rendered for each request, as our pages are.
  'app/page.jsx': 'export const dynamic = "force-dynamic";\nexport default function Page() { return <p>Bare</p>; }',
};
const next = join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next');
const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Builds and starts the least app that the framework makes, of the versions installed here, for as long as some work takes. */
export async function withBare(work) {
  rmSync(BARE, { recursive: true, force: true });
  try {
    for (const [file, text] of Object.entries(FILES)) {
      mkdirSync(join(BARE, file, '..'), { recursive: true });
      writeFileSync(join(BARE, file), text);
    }
    const built = spawnSync(process.execPath, [next, 'build'], { cwd: BARE, env, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`The bare page was not built:\n${built.stdout}${built.stderr}`);
    const port = await freePort();
    const child = spawn(process.execPath, [next, 'start', '-p', String(port), '-H', '127.0.0.1'], { cwd: BARE, env, stdio: 'ignore' });
    try {
      const url = `http://127.0.0.1:${port}/`;
      for (let tries = 0; tries < 100 && !(await fetch(url).catch(() => undefined))?.ok; tries++) await sleep(200);
      return await work(url);
    } finally {
      child.kill('SIGKILL'); // asked to end, it would wait for the browser to close its connections
      await once(child, 'exit');
    }
  } finally {
    rmSync(BARE, { recursive: true, force: true });
  }
}

/** The framework's version. */
export const version = (name) => JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).version;
