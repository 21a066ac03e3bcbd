import { inGate } from '../db/gate';
import { row, rows, statement, type Db, type Queryable } from '../db/pool';
import { requeue } from './decider';
import { checkMirror, completeMirror, griddedContainers, mirrorFolder } from './mirror';
import { raiseAlert } from '../alerts';
import { heldWriteLocks, lockGrid } from './write-lock';

/** One thing that recovery found, with its proof and what was done (BR-5). */
export type Finding = { what: string; id: string; proof: string; done: string };

const SLUG = statement(`SELECT slug FROM container WHERE id = $1`);
const slugOf = async (q: Queryable, id: string): Promise<string> => (await row<{ slug: string }>(q, SLUG, [id]))!.slug;

/**
 * BR-1: write-locks whose holder is dead are let go, and their amendments queued again.
 * @param deaths instances that have ended, each with the proof
 */
export async function releaseDeadWriteLocks(db: Db, deaths: ReadonlyMap<string, string>): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const lock of await heldWriteLocks(db)) {
    const proof = deaths.get(lock.instanceId);
    if (proof === undefined) continue;
    const queued = await requeue(db, await slugOf(db, lock.containerId), lock, lock.instanceId);
    found.push({ what: 'grid write-lock', id: lock.amendmentId ?? lock.containerId, proof, done: queued ? 'released, its amendment is queued again' : 'released' });
  }
  return found;
}

/** BR-1: every container's mirror against the record: a mirror that is behind is completed, a divergence raises an alert. */
export async function recoverMirrors(db: Db): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const id of await griddedContainers(db)) {
    const folder = mirrorFolder(id);
    if (!folder) return found;
    const finding = await inGate(db, await slugOf(db, id), 'shared', async (client) => {
      await lockGrid(client, id);
      const state = await checkMirror(client, id, folder);
      if (state.state === 'behind') {
        await completeMirror(client, id, folder);
        return { what: 'mirror', id, proof: state.reason, done: 'completed' };
      }
      if (state.state === 'diverged') {
        await raiseAlert(client, id, 'grid-diverged', { reason: state.reason });
        return { what: 'mirror', id, proof: state.reason, done: 'alert raised, closed to new passes and amendments' };
      }
      return undefined;
    });
    if (finding) found.push(finding);
  }
  return found;
}

const VERSIONS = statement(`SELECT container_id AS id, version FROM grid`);

/** The current version of every grid, for following what other instances committed. */
export const gridVersions = (q: Queryable): Promise<{ id: string; version: number }[]> => rows(q, VERSIONS);
