import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { ROOT } from './paths.mjs';
import { seconds } from './progress.mjs';

/** @typedef {{ passed: number, failed: number }} Counts */

/**
 * Runs a Node program of the project in the foreground.
 * @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<boolean>} whether it succeeded
 */
function node(args, env = {}) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
    child.once('error', () => done(false));
    child.once('exit', (code) => done(code === 0));
  });
}

/** @param {string[]} parts */
const tool = (...parts) => join(ROOT, 'node_modules', ...parts);

/** What Vitest's JSON report counts; a file that could not even be loaded is one failure. @param {any} report @returns {Counts} */
export function vitestCounts(report) {
  const broken = report.testResults.filter(
    (/** @type {any} */ file) =>
      file.status === 'failed' && file.assertionResults.every((/** @type {any} */ test) => test.status !== 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}

/** What Playwright's JSON report counts; errors outside any test are one failure each. @param {any} report @returns {Counts} */
export function playwrightCounts(report) {
  return { passed: report.stats.expected + report.stats.flaky, failed: report.stats.unexpected + (report.errors?.length ?? 0) };
}

const lint = () => node([tool('eslint', 'bin', 'eslint.js'), '.', '--max-warnings=0']);
const types = async () => (await node([tool('next', 'dist', 'bin', 'next'), 'typegen'])) && node([tool('typescript', 'bin', 'tsc'), '--noEmit']);

/**
 * Reads a report; where a step left none, it counts as one failure.
 * @param {string} file @param {(report: any) => Counts} count @param {boolean} ok
 * @returns {Counts}
 */
function counted(file, count, ok) {
  const counts = existsSync(file) ? count(JSON.parse(readFileSync(file, 'utf8'))) : { passed: 0, failed: 0 };
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** @param {Promise<unknown>} work @returns {Promise<boolean>} */
async function done(work) {
  await work;
  return true;
}

/**
 * All checks, step by step: stops at the first that fails, ends with a table and the counts.
 * @returns {Promise<boolean>} whether all passed
 */
export async function test() {
  process.env.NEXT_TELEMETRY_DISABLED = '1';
  const reports = mkdtempSync(join(tmpdir(), 'holdfast-reports-'));
  const units = join(reports, 'vitest.json');
  const pages = join(reports, 'playwright.json');
  /** @type {[string, () => Promise<boolean>, ((ok: boolean) => Counts)?][]} */
  const steps = [
    ['packages', () => done(ensureInstalled())],
    ['browser', () => done(import('./browser.mjs').then((module) => module.ensureBrowser()))],
    ['client', () => done(import('./generate.mjs').then((module) => module.ensureGenerated()))],
    ['lint, types', async () => (await Promise.all([lint(), types()])).every(Boolean)],
    [
      'vitest',
      () => node([tool('vitest', 'vitest.mjs'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${units}`]),
      (ok) => counted(units, vitestCounts, ok),
    ],
    ['build', () => done(import('./build.mjs').then((module) => module.ensureBuilt()))],
    [
      'playwright',
      () => node([tool('@playwright', 'test', 'cli.js'), 'test', '--reporter=list,json'], { PLAYWRIGHT_JSON_OUTPUT_FILE: pages }),
      (ok) => counted(pages, playwrightCounts, ok),
    ],
  ];

  /** @type {Counts} */
  const total = { passed: 0, failed: 0 };
  /** @type {string[]} */
  const table = [];
  let ok = true;
  for (const [name, work, count] of steps) {
    if (!ok) {
      table.push(`${name.padEnd(12)} not run`);
      continue;
    }
    console.log(`\n── ${name}`);
    const since = Date.now();
    ok = await work().catch((error) => {
      console.error(error.name === 'SetupError' ? error.message : error);
      return false;
    });
    const counts = count?.(ok) ?? { passed: 0, failed: ok ? 0 : 1 };
    total.passed += counts.passed;
    total.failed += counts.failed;
    table.push(
      `${name.padEnd(12)} ${ok ? 'ok    ' : 'FAILED'} ${seconds(Date.now() - since).padStart(8)}${count ? `   ${counts.passed} passed, ${counts.failed} failed` : ''}`,
    );
  }
  rmSync(reports, { recursive: true, force: true });
  console.log(`\n${table.join('\n')}\n`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return ok;
}
