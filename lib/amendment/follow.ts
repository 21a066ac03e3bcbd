/** Who writes this instance's mirrors, and when: each time under the container's write-lock, so that one writes at a time. */
import { hostname } from 'node:os';
import type pg from 'pg';
import { isAlertOpen, raiseAlert } from '../alerts';
import { inGate } from '../db/gate';
import { row, rows, statement, type Db, type Queryable } from '../db/pool';
import { log } from '../log';
import { checkMirror, completeMirror, mirrorFolder, rebuildMirror, type MirrorState } from './mirror';
import { lockGrid } from './write-lock';

const SLUG = statement(`SELECT slug FROM container WHERE id = $1`);
/** A container's slug. */
export const slugOf = async (q: Queryable, id: string): Promise<string> => (await row<{ slug: string }>(q, SLUG, [id]))!.slug;

const underWriteLock = async <T>(db: Db, containerId: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  inGate(db, await slugOf(db, containerId), 'shared', async (client) => {
    await lockGrid(client, containerId);
    return work(client);
  });

const KEY = Symbol.for('holdfast.diverged');
type Shared = typeof globalThis & { [KEY]?: Set<string> };
/** The containers whose mirror here was found to have diverged, until it is made anew. */
const divergedHere = (): Set<string> => ((globalThis as Shared)[KEY] ??= new Set());

/** This instance's mirror of a container is in order again. */
export const forgetDivergence = (containerId: string): boolean => divergedHere().delete(containerId);

/**
 * BR-1: checks this instance's mirror of a container, completes one that is merely behind, and
 * raises an alert on one that has diverged, which is left as it is. One that was known to have
 * diverged, and whose container an operator has opened since, is made anew (BR-6). Gives what
 * it found; undefined where nothing is mirrored.
 * @throws Error of the file system when the mirror cannot be written
 */
export async function followMirror(db: Db, containerId: string, options: { whole?: boolean } = {}): Promise<MirrorState | undefined> {
  const folder = mirrorFolder(containerId);
  if (!folder) return undefined;
  return underWriteLock(db, containerId, async (client) => {
    const found = await checkMirror(client, containerId, folder, options);
    if (found.state === 'behind') await completeMirror(client, containerId, folder);
    if (found.state !== 'diverged') return found;
    if (divergedHere().has(containerId) && !(await isAlertOpen(client, containerId, 'grid-diverged'))) {
      await rebuildMirror(client, containerId, folder);
      forgetDivergence(containerId);
      return { state: 'behind', reason: `${found.reason}; an operator has had it rebuilt` };
    }
    await raiseAlert(client, containerId, 'grid-diverged', { reason: found.reason, host: hostname() });
    divergedHere().add(containerId);
    return found;
  });
}

const failed = (containerId: string, error: unknown): false => {
  log.warn({ event: 'mirror-failed', container: containerId, message: (error as Error).message });
  return false;
};

/** Brings this instance's mirror of a container up to date, as `followMirror`. False when it could not be written now; the periodic check tries again. */
export const kickMirror = (db: Db, containerId: string): Promise<boolean> =>
  followMirror(db, containerId).then(
    () => true,
    (error: unknown) => failed(containerId, error),
  );

/** BR-6: an operator's rebuild, at whichever instance it was asked for, holds for every instance whose mirror had diverged. */
export async function followRebuilds(db: Db): Promise<void> {
  for (const id of [...divergedHere()]) {
    if (await isAlertOpen(db, id, 'grid-diverged')) continue;
    const found = await followMirror(db, id, { whole: true }).catch((error: unknown) => failed(id, error));
    if (found && found.state !== 'diverged') forgetDivergence(id);
  }
}

const VERSIONS = statement(`SELECT container_id AS id, version FROM grid ORDER BY container_id`);

/** The current version of every grid, for following what other instances committed. */
export const gridVersions = (q: Queryable): Promise<{ id: string; version: number }[]> => rows(q, VERSIONS);
