import { assertOpen, isHeld } from '../db/fence';
import { row, statement, type Db } from '../db/pool';
import { writeNotice } from '../notices/write';
import { Problem } from '../problems';
import { emit, ref } from '../webhooks/emit';
import type { Petition } from './read';
import { firstLine } from '../text';
import { editCollaboration, recordRevision } from './revise';

const INSERT = statement(`
  INSERT INTO petition (container_id, principal_id, reason, revision, at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (container_id, principal_id) WHERE state = 'waiting' DO NOTHING RETURNING id`);
const WAITING = statement(`SELECT id FROM petition WHERE container_id = $1 AND principal_id = $2 AND state = 'waiting'`);

/**
 * asks for the lock. An edit of the collaboration page that needs no base: it is
 * applied on top, and its revision number is the petition's place in the queue.
 * @throws Problem `archived`, `container-closed`, `already-holder`, `already-waiting` (petition), and those of `write`
 */
export async function petition(db: Db, slug: string, callerId: string, input: { reason: string }): Promise<Petition> {
  return editCollaboration(db, slug, callerId, async (gated, revision) => {
    const { client, state } = gated;
    const { now, page, caller, container } = state;
    assertOpen(state);
    if (page.holderId === caller.id && isHeld(page, now)) throw new Problem('already-holder', 'You hold the lock: there is nothing to ask for.');
    const made = await row<{ id: string }>(client, INSERT, [container.id, caller.id, input.reason, revision, now]);
    if (!made) {
      const waiting = await row<{ id: string }>(client, WAITING, [container.id, caller.id]);
      throw new Problem('already-waiting', 'You are waiting already. Withdraw that petition to change it.', { petition: waiting!.id });
    }
    await recordRevision(gated, revision, { kind: 'petition', summary: `${caller.name} petitioned: ${firstLine(input.reason)}` });
    // who is on the page is told that somebody waits, and why.
    if (page.holderId !== null && page.holderId !== caller.id) {
      await writeNotice(client, {
        principalId: page.holderId,
        containerId: container.id,
        kind: 'petition-made',
        details: { petition: made.id, by: caller.name, reason: input.reason, grant: page.grant },
        at: now,
      });
    }
    const principal = ref(caller);
    await emit(gated, 'petition.made', { petition: made.id, principal, reason: input.reason, revision });
    return { id: made.id, principal, reason: input.reason, revision, state: 'waiting', at: now };
  });
}
