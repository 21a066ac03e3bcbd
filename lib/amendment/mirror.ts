/**
 * G-4: each instance mirrors the current grid to files for tools outside the app:
 * `.ghyll/grid.v<N>.yaml`, then `.ghyll/grid.current` (`v<N>`), each by temp file, fsync,
 * rename and fsync of the folder, the pointer last, so that a reader at any instant sees
 * either version whole. Postgres is the truth.
 */
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rows, statement, type Db, type Queryable } from '../db/pool';
import { digestOf } from '../digest';
import type { Grid } from '../grid/document';
import { gridYaml, readYaml } from '../grid/parse';
import { currentGrid, gridDigests, gridVersion } from '../grid/read';
import { log } from '../log';
import { raiseAlert } from '../alerts';
import { failpoint } from '../failpoint';

const POINTER = 'grid.current';
const versionFile = (version: number): string => `grid.v${version}.yaml`;

const KEY = Symbol.for('holdfast.mirror');
type Shared = typeof globalThis & { [KEY]?: string };

/** Says where this instance mirrors to: its data folder. Without one nothing is mirrored (hosts without the custom server). */
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

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * BR-1: how a container's mirror stands against the record. A missing mirror, an older known
 * version and leftover temp files are *behind*; a pointer to an unknown version or to none, and
 * a file whose digest does not match, have *diverged*.
 */
export async function checkMirror(q: Queryable, containerId: string, folder: string): Promise<MirrorState> {
  const current = await currentGrid(q, containerId);
  if (!current) return { state: 'none' };
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return { state: 'behind', reason: 'there is no mirror yet' };
    throw error;
  }
  const temps = names.filter((n) => n.endsWith('.tmp'));
  const pointer = await textOf(join(folder, POINTER));
  const known = new Map((await gridDigests(q, containerId)).map((v) => [v.version, v.digest]));
  for (const name of names) {
    const version = Number(/^grid\.v([1-9]\d{0,8})\.yaml$/.exec(name)?.[1] ?? NaN);
    if (Number.isNaN(version)) continue;
    const digest = known.get(version);
    if (!digest) return { state: 'diverged', reason: `${name} is a version that was never committed` };
    if (digestOfFile(await textOf(join(folder, name))) !== digest) return { state: 'diverged', reason: `${name} does not match its digest` };
  }
  if (pointer === undefined) {
    return names.length === temps.length || (names.length - temps.length === 1 && names.includes(versionFile(1)))
      ? { state: 'behind', reason: 'the first version was not pointed to yet' }
      : { state: 'diverged', reason: 'there is no pointer' };
  }
  const pointed = Number(/^v([1-9]\d{0,8})$/.exec(pointer.trim())?.[1] ?? NaN);
  if (!known.has(pointed)) return { state: 'diverged', reason: `the pointer names ${JSON.stringify(pointer.slice(0, 40))}, which is no version` };
  if (!names.includes(versionFile(pointed))) return { state: 'diverged', reason: `the pointer names v${pointed}, whose file is missing` };
  if (pointed < current.version) return { state: 'behind', reason: `it is at v${pointed}, the grid at v${current.version}` };
  return temps.length > 0 ? { state: 'behind', reason: `${temps.length} temp files were left` } : { state: 'current' };
}

function digestOfFile(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return digestOf(readYaml(text));
  } catch {
    return undefined;
  }
}

async function removeTemps(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.endsWith('.tmp')) await rm(join(folder, name), { force: true });
}

/** Completes a mirror that is merely behind. */
export async function completeMirror(q: Queryable, containerId: string, folder: string): Promise<void> {
  const current = await currentGrid(q, containerId);
  if (!current) return;
  await mkdir(folder, { recursive: true });
  await removeTemps(folder);
  await writeMirror(folder, current.version, current.grid);
}

/** BR-6: writes the mirror anew from the record, every version of it. */
export async function rebuildMirror(q: Queryable, containerId: string, folder: string): Promise<void> {
  const current = await currentGrid(q, containerId);
  if (!current) return;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (/^grid\.|\.tmp$/.test(name)) await rm(join(folder, name), { force: true, recursive: true });
  for (const { version } of await gridDigests(q, containerId)) {
    if (version === current.version) continue;
    await writeWhole(folder, versionFile(version), gridYaml((await gridVersion(q, containerId, version))!.grid));
  }
  await writeMirror(folder, current.version, current.grid);
}

// One writer a container in this process: what comes meanwhile is covered by one more round.
const busy = new Map<string, { again: boolean; done: Promise<void> }>();

/** Brings this instance's mirror of a container up to date, where it mirrors; a divergence raises an alert and is left as it is. */
export async function kickMirror(db: Db, containerId: string): Promise<void> {
  const folder = mirrorFolder(containerId);
  if (!folder) return;
  const running = busy.get(containerId);
  if (running) {
    running.again = true;
    return running.done;
  }
  const round = { again: false, done: Promise.resolve() };
  busy.set(containerId, round);
  round.done = (async () => {
    try {
      do {
        round.again = false;
        await followMirror(db, containerId, folder);
      } while (round.again);
    } catch (error) {
      log.warn({ event: 'mirror-failed', container: containerId, message: (error as Error).message });
    } finally {
      busy.delete(containerId);
    }
  })();
  return round.done;
}

/** What `kickMirror` does once. Gives what it found. */
export async function followMirror(db: Db, containerId: string, folder: string): Promise<MirrorState> {
  const found = await checkMirror(db, containerId, folder);
  if (found.state === 'behind') await completeMirror(db, containerId, folder);
  if (found.state === 'diverged') await raiseAlert(db, containerId, 'grid-diverged', { reason: found.reason });
  return found;
}

const ALL = statement(`SELECT container_id AS id FROM grid ORDER BY container_id`);
/** The containers that have a grid. */
export const griddedContainers = async (q: Queryable): Promise<string[]> => (await rows<{ id: string }>(q, ALL)).map((c) => c.id);
