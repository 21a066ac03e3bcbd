/**
 * G-4: each instance mirrors the current grid to files for tools outside the app:
 * `.ghyll/grid.v<N>.yaml`, then `.ghyll/grid.current` (`v<N>`), each by temp file, fsync,
 * rename and fsync of the folder, the pointer last, so that a reader at any instant sees
 * either version whole. Postgres is the truth.
 */
import { lstat, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queryable } from '../db/pool';
import { digestOf } from '../digest';
import type { Grid } from '../grid/document';
import { gridYaml, readYaml } from '../grid/parse';
import { currentGrid, gridDigests, gridVersion } from '../grid/read';
import { failpoint } from '../failpoint';

const POINTER = 'grid.current';
const versionFile = (version: number): string => `grid.v${version}.yaml`;
const VERSION_FILE = /^grid\.v(.*)\.yaml$/;
const NUMBER = /^[1-9]\d{0,8}$/;

const KEY = Symbol.for('holdfast.mirror');
type Shared = typeof globalThis & { [KEY]?: string };

/** Says where this instance mirrors to: its data folder. Without one nothing is mirrored. */
export function setMirrorRoot(folder: string | undefined): void {
  (globalThis as Shared)[KEY] = folder;
}

/** A container's mirror folder, or undefined where nothing is mirrored. */
export const mirrorFolder = (containerId: string): string | undefined => {
  const root = (globalThis as Shared)[KEY];
  return root && join(root, 'grids', containerId, '.ghyll');
};

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeWhole(folder: string, name: string, content: string): Promise<void> {
  const temp = join(folder, `.${name}.${process.pid}.tmp`);
  const handle = await open(temp, 'w', 0o644);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temp, join(folder, name));
  await syncFolder(folder);
}

async function writeMirror(folder: string, version: number, grid: Grid): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeWhole(folder, versionFile(version), gridYaml(grid));
  failpoint('mirror-between-renames');
  await writeWhole(folder, POINTER, `v${version}`);
}

export type MirrorState =
  | { state: 'none' | 'current' }
  | { state: 'behind'; reason: string }
  | { state: 'diverged'; reason: string };

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;
const diverged = (reason: string): MirrorState => ({ state: 'diverged', reason });

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * BR-1: how a container's mirror stands against the record. A missing mirror, an older known
 * version and leftover temp files are *behind*; a pointer to an unknown version or to none, a
 * file of a version that was never committed, one whose digest does not match, and what cannot
 * be read have *diverged*. What it says is sure under the write-lock, which keeps others from writing meanwhile.
 * @param options.whole judges the digests of all versions' files, not only of the one pointed to
 */
export async function checkMirror(q: Queryable, containerId: string, folder: string, options: { whole?: boolean } = {}): Promise<MirrorState> {
  const current = await currentGrid(q, containerId);
  if (!current) return { state: 'none' };
  const known = new Map((await gridDigests(q, containerId)).map((v) => [v.version, v.digest]));
  try {
    return await judge(folder, known, current.version, options.whole ?? false);
  } catch (error) {
    if (!codeOf(error)?.startsWith('E')) throw error;
    return diverged(`it cannot be read: ${codeOf(error)}`);
  }
}

async function judge(folder: string, known: ReadonlyMap<number, string>, current: number, whole: boolean): Promise<MirrorState> {
  const names = await unlessMissing(readdir(folder));
  if (!names) return { state: 'behind', reason: 'there is no mirror yet' };
  const versions: number[] = [];
  for (const name of names) {
    const [, number] = VERSION_FILE.exec(name) ?? [];
    if (number === undefined) continue;
    if (!NUMBER.test(number) || !known.has(Number(number))) return diverged(`${name} is a version that was never committed`);
    versions.push(Number(number));
  }
  const pointer = await unlessMissing(readFile(join(folder, POINTER), 'utf8'));
  const pointed = pointer === undefined ? undefined : Number(/^v([1-9]\d{0,8})$/.exec(pointer.trim())?.[1] ?? NaN);
  // The pointer comes last: the first file of all may stand without it after a crash.
  if (pointed === undefined && versions.length > 1) return diverged('there is no pointer');
  if (pointed !== undefined && !known.has(pointed)) return diverged(`the pointer names ${JSON.stringify(pointer!.slice(0, 40))}, which is no version`);
  if (pointed !== undefined && !versions.includes(pointed)) return diverged(`the pointer names v${pointed}, whose file is missing`);
  for (const version of whole || pointed === undefined ? versions : [pointed]) {
    if (digestOfFile(await readFile(join(folder, versionFile(version)), 'utf8')) !== known.get(version)) return diverged(`${versionFile(version)} does not match its digest`);
  }
  if (pointed === undefined) return { state: 'behind', reason: 'its first version was not pointed to yet' };
  if (pointed < current) return { state: 'behind', reason: `it is at v${pointed}, the grid at v${current}` };
  const temps = names.filter((n) => n.endsWith('.tmp')).length;
  return temps > 0 ? { state: 'behind', reason: `${temps} temp ${temps === 1 ? 'file was' : 'files were'} left` } : { state: 'current' };
}

function digestOfFile(text: string): string | undefined {
  try {
    return digestOf(readYaml(text));
  } catch {
    return undefined;
  }
}

/** Completes a mirror that is merely behind. */
export async function completeMirror(q: Queryable, containerId: string, folder: string): Promise<void> {
  const current = await currentGrid(q, containerId);
  if (!current) return;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
  await writeMirror(folder, current.version, current.grid);
}

/**
 * BR-6: makes the mirror anew from the record, every version of it: first what is missing or
 * wrong, then the pointer, then what does not belong there goes, so that a reader finds the
 * current version whole all along where it was whole before.
 */
export async function rebuildMirror(q: Queryable, containerId: string, folder: string): Promise<void> {
  const current = await currentGrid(q, containerId);
  if (!current) return;
  if ((await unlessMissing(lstat(folder)))?.isDirectory() === false) await rm(folder);
  await mkdir(folder, { recursive: true });
  const wanted = new Set([POINTER]);
  for (const { version } of await gridDigests(q, containerId)) {
    const name = versionFile(version);
    wanted.add(name);
    await putRight(folder, name, gridYaml(version === current.version ? current.grid : (await gridVersion(q, containerId, version))!.grid));
  }
  await putRight(folder, POINTER, `v${current.version}`);
  for (const name of await readdir(folder)) {
    if (/^grid\.|\.tmp$/.test(name) && !wanted.has(name)) await rm(join(folder, name), { force: true, recursive: true });
  }
}

async function putRight(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name);
  const found = await unlessMissing(lstat(path));
  if (found?.isFile() && (await readFile(path, 'utf8')) === content) return;
  if (found && !found.isFile()) await rm(path, { recursive: true });
  await writeWhole(folder, name, content);
}
