import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * The files at and below some paths, sorted. Paths that do not exist are passed over.
 * @param {string} root
 * @param {string[]} paths relative to `root`
 * @param {(path: string) => boolean} wanted judges a path relative to `root`, with forward slashes
 * @returns {string[]} relative to `root`, with forward slashes
 */
export function filesUnder(root, paths, wanted = () => true) {
  /** @type {string[]} */
  const found = [];
  /** @param {string} path */
  const visit = (path) => {
    const name = relative(root, path).split(sep).join('/');
    if (!existsSync(path) || !wanted(name)) return;
    if (statSync(path).isDirectory()) for (const entry of readdirSync(path)) visit(join(path, entry));
    else found.push(name);
  };
  for (const path of paths) visit(join(root, path));
  return found.sort();
}

/**
 * A SHA-256 over names and contents. Line ends count.
 * @param {string} root
 * @param {string[]} files relative to `root`
 * @param {string} salt anything else the result depends on
 */
export function hashFiles(root, files, salt = '') {
  const hash = createHash('sha256').update(salt);
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** True when the stamp file holds exactly this text. @param {string} file @param {string} text */
export function isStamped(file, text) {
  try {
    return readFileSync(file, 'utf8').trim() === text;
  } catch {
    return false;
  }
}

/** @param {string} file @param {string} text */
export function stamp(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
}
