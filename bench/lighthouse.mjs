/**
 * Audits of pages by Lighthouse, which is installed for this alone: `bench/package.json` with a lock file of its own.
 * It drives the Chromium that the browser tests use.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BROWSER_FLAGS } from '../scripts/setup/browser.mjs';
import { browserPath } from './browser.mjs';
import { median } from './figures.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
/** What an instance of Lighthouse reports differs by some points on a busy machine. */
const TIMES = Number(process.env.BENCH_AUDITS ?? 3);

function ensureInstalled() {
  if (existsSync(`${HERE}node_modules/lighthouse`)) return;
  console.log('Installing Lighthouse (once) …');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: HERE, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error('Lighthouse could not be installed.');
}

/**
 * Opens a browser for audits.
 * @returns an auditor of three forms: `desktop`, `mobile` (Lighthouse's own: loads fast, and reckons what a slow line and
 * processor would have made of it), and `mobile, slowed down` (line and processor are slow in fact).
 * `audit(url, form, cookie)` gives each category's scores, its middle one, and what failed
 */
export async function openAuditor() {
  ensureInstalled();
  const [{ default: lighthouse, desktopConfig }, { launch }] = await Promise.all([import('lighthouse'), import('chrome-launcher')]);
  const chrome = await launch({ chromePath: await browserPath(), chromeFlags: ['--headless=new', ...BROWSER_FLAGS] });
  return {
    close: () => chrome.kill(),
    async audit(url, form, cookie) {
      const flags = { port: chrome.port, output: 'json', logLevel: 'error', onlyCategories: CATEGORIES, ...(form === 'mobile, slowed down' ? { throttlingMethod: 'devtools' } : {}), ...(cookie ? { extraHeaders: { Cookie: cookie } } : {}) };
      const runs = [];
      for (let tries = 0; runs.length < TIMES; tries++) {
        const { lhr } = await lighthouse(url, flags, form === 'desktop' ? desktopConfig : undefined);
        // On a machine that is too busy it may see no page at all, which is no score.
        if (!lhr.runtimeError) runs.push(lhr);
        else if (tries > 2 * TIMES) throw new Error(lhr.runtimeError.message);
      }
      return CATEGORIES.map((category) => {
        const scores = runs.map((lhr) => Math.round(lhr.categories[category].score * 100));
        const middle = runs[scores.indexOf(median(scores))];
        return { category, scores, score: median(scores), failed: failedOf(middle, category) };
      });
    },
  };
}

/** The audits of a category that are not passed, with what they weigh. */
const failedOf = (lhr, category) =>
  lhr.categories[category].auditRefs
    .map(({ id, weight }) => ({ ...lhr.audits[id], weight }))
    .filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && scoreDisplayMode !== 'informative')
    .map(({ id, title, score, weight, displayValue }) => `${id} ${Math.round(score * 100)} (weight ${weight})${displayValue ? `: ${displayValue}` : ''} ${weight ? '' : title}`);
