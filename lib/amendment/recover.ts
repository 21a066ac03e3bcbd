import type { Db } from '../db/pool';
import { log } from '../log';
import { requeue } from './decider';
import { followMirror, gridVersions, slugOf } from './follow';
import { checkMirror, mirrorFolder } from './mirror';
import { heldWriteLocks } from './write-lock';

/** One thing that recovery found, with its proof and what was done (BR-5). */
export type Finding = { what: string; id: string; proof: string; done: string };

/**
 * BR-1: write-locks whose holder is dead are let go, and their amendments queued again.
 * @param deaths instances that have ended, each with the proof
 * @param tell is given what was done, as it is committed
 */
export async function releaseDeadWriteLocks(db: Db, deaths: ReadonlyMap<string, string>, tell: (finding: Finding) => void): Promise<void> {
  for (const lock of await heldWriteLocks(db)) {
    const proof = deaths.get(lock.instanceId);
    if (proof === undefined) continue;
    const released = await requeue(db, await slugOf(db, lock.containerId), lock, lock.instanceId);
    if (!released) continue;
    tell({ what: 'grid write-lock', id: lock.amendmentId ?? lock.containerId, proof, done: released === 'queued' ? 'released, its amendment is queued again' : 'released' });
  }
}

/**
 * BR-1: every container's mirror against the record: a mirror that is behind is completed, a
 * divergence raises an alert. A mirror that cannot be written keeps nothing else from recovering.
 * @param options.whole looks for divergence only, but into the files of all versions
 */
export async function recoverMirrors(db: Db, tell: (finding: Finding) => void, options: { whole?: boolean; stopping?: AbortSignal } = {}): Promise<void> {
  for (const { id } of await gridVersions(db)) {
    if (options.stopping?.aborted) return;
    try {
      // Versions do not change: all of them are read without the lock, and only a doubt is looked into under it.
      const folder = options.whole ? mirrorFolder(id) : undefined;
      if (folder && (await checkMirror(db, id, folder, options)).state !== 'diverged') continue;
      const found = await followMirror(db, id, options);
      if (found?.state === 'behind') tell({ what: 'mirror', id, proof: found.reason, done: 'completed' });
      if (found?.state === 'diverged') tell({ what: 'mirror', id, proof: found.reason, done: 'alert raised, closed to new passes and amendments' });
    } catch (error) {
      if (!(error as NodeJS.ErrnoException).syscall) throw error;
      const { message } = error as Error;
      log.warn({ event: 'mirror-failed', container: id, message });
      tell({ what: 'mirror', id, proof: `it could not be written: ${(error as NodeJS.ErrnoException).code}`, done: 'tried again while running' });
    }
  }
}
