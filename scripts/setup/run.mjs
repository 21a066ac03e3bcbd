import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logFolder, ROOT } from './paths.mjs';
import { step } from './progress.mjs';

/** An error whose message is for people, complete and without a stack. */
export class SetupError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'SetupError';
  }
}

const TAIL_LINES = 30;

/** @typedef {{ label: string, log: string, advice: string, env?: NodeJS.ProcessEnv, shell?: boolean }} RunOptions */

/**
 * Runs a program in the project's folder, its output in a log file.
 * @param {string} program
 * @param {string[]} args
 * @param {RunOptions} options `log` is a file name in the log folder; `advice` says what to do when it fails
 * @returns {Promise<void>}
 * @throws {SetupError} with the end of the log
 */
export async function run(program, args, { label, log, advice, env, shell = false }) {
  mkdirSync(logFolder(), { recursive: true });
  const file = join(logFolder(), log);
  const out = openSync(file, 'w');
  try {
    await step(
      label,
      () =>
        new Promise((done, failed) => {
          const child = spawn(program, args, { cwd: ROOT, env: env ?? process.env, shell, stdio: ['ignore', out, out], windowsHide: true });
          child.once('error', (error) => failed(error.message));
          child.once('exit', (code, signal) => (code === 0 ? done(undefined) : failed(signal ?? `code ${code}`)));
        }),
    );
  } catch (reason) {
    const tail = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
    throw new SetupError(`${label} failed (${reason}). The end of its log:\n\n${tail}\n\nThe whole log: ${file}\n${advice}`);
  } finally {
    closeSync(out);
  }
}

/**
 * Runs npm, the one that started us where there is one.
 * @param {string[]} args
 * @param {RunOptions} options
 */
export function npm(args, options) {
  const self = process.env.npm_execpath;
  if (self?.endsWith('js')) return run(process.execPath, [self, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}
