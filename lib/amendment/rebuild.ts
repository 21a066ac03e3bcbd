import { closeAlert } from '../alerts';
import { writeAudit } from '../audit/write';
import { requireStep } from '../db/phase';
import type { Db } from '../db/pool';
import { write } from '../db/state';
import { currentGrid } from '../grid/read';
import { Problem } from '../problems';
import { forgetDivergence } from './follow';
import { mirrorFolder, rebuildMirror } from './mirror';
import { lockGrid } from './write-lock';

/**
 * BR-6: an operator has the mirror written anew from the record, which opens the container again.
 * Other instances whose mirrors had diverged do likewise at their next check (`followRebuilds`).
 * @throws Problem `recovering`, `forbidden`, `grid-missing`, and those of `write`
 */
export async function rebuildGridMirror(db: Db, slug: string, callerId: string): Promise<{ version: number; digest: string }> {
  requireStep('amendment');
  const { containerId, version, digest } = await write(
    db,
    slug,
    callerId,
    'shared',
    async ({ client, state }) => {
      const { container, now } = state;
      const current = await currentGrid(client, container.id);
      if (!current) throw new Problem('grid-missing', 'This container has no grid yet: an operator makes it.');
      const folder = mirrorFolder(container.id);
      if (folder) await rebuildMirror(client, container.id, folder);
      const opened = await closeAlert(client, container.id, 'grid-diverged');
      const { version, digest } = current;
      await writeAudit(client, { containerId: container.id, at: now, actorId: callerId, action: 'mirror-rebuilt', target: 'grid', details: { version, digest, opened } });
      return { containerId: container.id, version, digest };
    },
    { role: 'operator', before: lockGrid },
  );
  forgetDivergence(containerId);
  return { version, digest };
}
