import { writeAudit } from '../audit/write';
import { endWorkOfGrant } from '../collaboration/end-of-grant';
import { assertOpen, fence } from '../db/fence';
import { rows, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { Problem } from '../problems';
import { emit } from '../webhooks/emit';
import { readLockWithin, type LockView } from './read';
import { assertBase, revise } from './revise';

const END = statement(`UPDATE lock_grant SET ended_at = $3, ended_by = 'release' WHERE container_id = $1 AND number = $2`);

/**
 * LP-6: releases the lock. Only who holds, with its grant, and only after an accepted landing
 * under it. The caution goes off, leases are reclaimed, open blocks closed, and the queue's
 * turns begin.
 * @param base the lock page's revision that the caller saw
 * @throws Problem a receipt of R-2, `edit-conflict`, `archived`, `container-closed`, `push-required`, and those of `write`
 */
export function release(db: Db, slug: string, callerId: string, base: number, input: { grant: number }): Promise<LockView> {
  return write(db, slug, callerId, 'exclusive', async (gated) => {
    const { client, state } = gated;
    const { now, page, container, caller } = state;
    fence(state, input.grant);
    await assertBase(gated, base, 'release');
    assertOpen(state);
    if (state.pushes === 0) {
      throw new Problem('push-required', 'Nothing has been pushed under this grant. Push first; a push with no entries says that there is nothing to land.');
    }
    await rows(client, END, [container.id, page.grant, now]);
    await revise(
      gated,
      'release',
      { holderId: null, reason: '', availableSince: now, cautionSince: null, cautionGrant: null, windowSeconds: container.windowSeconds },
      { summary: `${caller.name} released grant ${page.grant}` },
    );
    await endWorkOfGrant(gated, `Grant ${page.grant} was released`, 'manual-stop');
    await writeAudit(client, { containerId: container.id, at: now, actorId: caller.id, action: 'release', target: 'lock', grant: page.grant });
    await emit(gated, 'lock.released', { pushes: state.pushes });
    return readLockWithin(client, container.id, now);
  });
}
