import { writeAudit } from '../audit/write';
import { assertOpen } from '../db/fence';
import { row, statement, type Db } from '../db/pool';
import { writeNotice } from '../notices/write';
import type { PrincipalRef } from '../roles';
import { notFound, Problem } from '../problems';
import { emit, ref } from '../webhooks/emit';
import type { PetitionState } from './read';
import { editCollaboration, recordRevision } from './revise';

const FIND = statement(`
  SELECT t.principal_id AS "principalId", t.state, t.reason, p.name, principal_ref(p.id) AS principal FROM petition t JOIN principal p ON p.id = t.principal_id
  WHERE t.id = $1 AND t.container_id = $2`);
const WITHDRAW = statement(`UPDATE petition SET state = 'withdrawn', ended_at = $2 WHERE id = $1`);

/**
 * takes a waiting petition back. Its author may, and so may an operator; that is
 * audited and the author is told. Needs no base.
 * @throws Problem `archived`, `container-closed`, `not-found`, `forbidden`, `wrong-state` (state), and those of `write`
 */
export async function withdraw(db: Db, slug: string, callerId: string, petitionId: string): Promise<void> {
  await editCollaboration(db, slug, callerId, async (gated, revision) => {
    const { client, state } = gated;
    const { now, caller, container } = state;
    // The page's row is held since the revision was taken, so the petition cannot change any more.
    const found = await row<{ principalId: string; state: PetitionState; reason: string; name: string; principal: PrincipalRef }>(client, FIND, [petitionId, container.id]);
    if (!found) throw notFound('petition');
    const own = found.principalId === caller.id;
    if (!own && caller.role !== 'operator') throw new Problem('forbidden', 'Only its author or an operator withdraws a petition.', { neededRole: 'operator' });
    assertOpen(state);
    if (found.state !== 'waiting') throw new Problem('wrong-state', `The petition is ${found.state}.`, { state: found.state });
    await row(client, WITHDRAW, [petitionId, now]);
    await recordRevision(gated, revision, { kind: 'withdraw', summary: own ? `${caller.name} withdrew the petition` : `${caller.name} withdrew the petition of ${found.name}` });
    if (!own) {
      await writeAudit(client, {
        containerId: container.id,
        at: now,
        actorId: caller.id,
        action: 'petition-withdrawn',
        target: petitionId,
        details: { of: { id: found.principalId, name: found.name }, reason: found.reason },
      });
      await writeNotice(client, {
        principalId: found.principalId,
        containerId: container.id,
        kind: 'petition-withdrawn',
        details: { petition: petitionId, by: caller.name },
        at: now,
      });
    }
    await emit(gated, 'petition.ended', { petition: petitionId, principal: found.principal, reason: found.reason, state: 'withdrawn', by: ref(caller) });
  });
}
