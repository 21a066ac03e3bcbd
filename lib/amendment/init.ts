import { writeAudit } from '../audit/write';
import { assertOpen } from '../db/fence';
import { requireStep, thisInstance } from '../db/phase';
import type { Db } from '../db/pool';
import { write } from '../db/state';
import { appendCheckpoints } from '../engine';
import type { Grid } from '../grid/document';
import { Problem } from '../problems';
import { kickMirror } from './follow';
import { claimWriteLock, lockGrid, releaseWriteLock } from './write-lock';
import { writeVersion } from './versions';

/**
 * G-1: writes v1. An operator; the write-lock is taken at its end for that write.
 * @param grid validated by `parseGrid`
 * @throws Problem `recovering`, `forbidden`, `grid-exists`, `archived`, `container-closed`, and those of `write`
 */
export async function initGrid(db: Db, slug: string, callerId: string, grid: Grid): Promise<{ version: number; digest: string }> {
  requireStep('amendment');
  const made = await write(
    db,
    slug,
    callerId,
    'shared',
    async ({ client, state }) => {
      const { container, now } = state;
      assertOpen(state);
      const lock = { containerId: container.id, amendmentId: null, instanceId: thisInstance() };
      await claimWriteLock(client, container.id, null, lock.instanceId, now);
      const digest = await writeVersion(client, { containerId: container.id, version: 1, grid, authorId: callerId, at: now, amendmentId: null });
      if (!digest) throw new Problem('grid-exists', 'This container has a grid already: amend it.');
      await appendCheckpoints(client, container.id, now, [{ kind: 'grid', content: { version: 1, digest } }]);
      await writeAudit(client, { containerId: container.id, at: now, actorId: callerId, action: 'grid-init', target: 'grid', details: { version: 1, digest, arrows: grid.arrows.length } });
      await releaseWriteLock(client, lock);
      return { containerId: container.id, version: 1, digest };
    },
    { role: 'operator', before: lockGrid },
  );
  await kickMirror(db, made.containerId);
  return { version: made.version, digest: made.digest };
}
