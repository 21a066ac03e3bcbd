import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { run, SetupError } from './run.mjs';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

const isRoot = process.getuid?.() === 0;

/** Playwright's own browser, where it was downloaded. */
async function downloaded() {
  const { chromium } = await import('@playwright/test');
  const path = chromium.executablePath();
  return existsSync(path) ? path : null;
}

/**
 * A Chromium on this machine: `CHROMIUM_PATH`, else an installed one, else the one Playwright downloaded, else null.
 * @returns {Promise<string | null>}
 * @throws {SetupError} when `CHROMIUM_PATH` names no file
 */
export async function findBrowser() {
  const given = process.env.CHROMIUM_PATH;
  if (given && !existsSync(given)) throw new SetupError(`CHROMIUM_PATH is "${given}", and there is no such file.`);
  return given || (INSTALLED.find((path) => existsSync(path)) ?? (await downloaded()));
}

/** What Chromium needs to run quietly, and as root without its sandbox. */
export const BROWSER_FLAGS = [
  ...(isRoot ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const ADVICE = 'Install Chromium or Google Chrome yourself, or set CHROMIUM_PATH to one, then run the same command again.';

async function fromDebian() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { label: 'Reading the list of packages', log: 'browser-update.log', advice: ADVICE, env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], {
    label: 'Installing Chromium (once)',
    log: 'browser-install.log',
    advice: ADVICE,
    env,
  });
}

async function fromPlaywright() {
  await run(process.execPath, [join(ROOT, 'node_modules', '@playwright', 'test', 'cli.js'), 'install', 'chromium'], {
    label: 'Downloading Chromium (once)',
    log: 'browser-install.log',
    advice: ADVICE,
  });
}

/** Makes sure that there is a Chromium, installing one where it can. @returns {Promise<string>} its path */
export async function ensureBrowser() {
  const found = await findBrowser();
  if (found) return found;
  const debian = existsSync('/etc/debian_version') && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
  if (isRoot && debian) await fromDebian().catch(fromPlaywright);
  else await fromPlaywright();
  const installed = await findBrowser();
  if (!installed) throw new SetupError(`No browser was found after its installation. ${ADVICE}`);
  return installed;
}
