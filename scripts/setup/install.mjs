import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashFiles, isStamped, stamp } from './hash.mjs';
import { ROOT } from './paths.mjs';
import { npm } from './run.mjs';

const STAMP = join(ROOT, 'node_modules', '.holdfast-lock');

/** @typedef {Record<string, { version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean, link?: boolean }>} Packages */

/**
 * Whether npm's own note of what it installed agrees with the lock file. Optional packages may be missing: they are
 * for other machines.
 * @param {string} lockFile
 * @param {string} noteFile
 */
export function agrees(lockFile, noteFile) {
  try {
    /** @type {{ packages: Packages }} */
    const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
    /** @type {{ packages: Packages }} */
    const note = JSON.parse(readFileSync(noteFile, 'utf8'));
    return Object.entries(lock.packages).every(([path, entry]) => {
      if (path === '') return true;
      const installed = note.packages[path];
      return installed ? installed.version === entry.version : Boolean(entry.optional || entry.devOptional);
    });
  } catch {
    return false;
  }
}

/** Installs the packages of package-lock.json unless exactly they are there. */
export async function ensureInstalled() {
  const wanted = hashFiles(ROOT, ['package-lock.json']);
  if (isStamped(STAMP, wanted)) return;
  if (!agrees(join(ROOT, 'package-lock.json'), join(ROOT, 'node_modules', '.package-lock.json'))) {
    await npm(['ci', '--include=dev', '--no-audit', '--no-fund'], {
      label: 'Installing packages (once)',
      log: 'install.log',
      advice: "Check the network connection (or npm's registry setting), then run the same command again.",
    });
  }
  stamp(STAMP, wanted);
}
