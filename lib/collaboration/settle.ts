import { rows, statement } from '../db/pool';
import type { Gated } from '../db/state';
import type { QueuedPetition } from '../lock-page/queue';
import type { Turns } from '../lock-page/turns';
import { writeNotice } from '../notices/write';
import { emit } from '../webhooks/emit';
import { recordRevision, takeRevision } from './revise';

const GRANTED = statement(`UPDATE petition SET state = 'granted', "grant" = $2, ended_at = $3 WHERE id = $1`);
const MISSED = statement(`UPDATE petition SET missed = missed + 1 WHERE id = ANY ($1::uuid[])`);
const LAPSED = statement(`UPDATE petition SET state = 'lapsed', missed = missed + 1, ended_at = $2 WHERE id = $1`);

/** A waiter lapses by the second handover in which its whole window went by. */
const HANDOVERS_TO_LAPSE = 2;

/**
 * What an acquisition does to the queue, in its transaction: the acquirer's petition becomes
 * `granted` with the grant; a waiter whose whole window went by missed this handover,
 * and by the second such it is `lapsed` and told.
 */
export async function settlePetitions(gated: Gated, turns: Turns<QueuedPetition>, grant: number): Promise<void> {
  const { client, state } = gated;
  const { caller, container, now } = state;
  const missed: string[] = [];
  const ended = (how: 'granted' | 'lapsed', { id, principal, reason }: QueuedPetition) =>
    emit(gated, 'petition.ended', { petition: id, principal, reason, state: how }, { grant, holder: caller });
  for (const { waiter, end } of turns.slots) {
    if (waiter.principalId === caller.id) {
      const revision = await takeRevision(client, container.id);
      await rows(client, GRANTED, [waiter.id, grant, now]);
      await recordRevision(gated, revision, { kind: 'granted', summary: `The petition of ${caller.name} was granted: grant ${grant}` });
      await ended('granted', waiter);
    } else if (end <= now && waiter.missed + 1 >= HANDOVERS_TO_LAPSE) {
      const revision = await takeRevision(client, container.id);
      await rows(client, LAPSED, [waiter.id, now]);
      await recordRevision(gated, revision, {
        kind: 'lapsed',
        authorId: null,
        summary: `The petition of ${waiter.principal.name} lapsed: its whole window went by in ${HANDOVERS_TO_LAPSE} handovers`,
      });
      await writeNotice(client, {
        principalId: waiter.principalId,
        containerId: container.id,
        kind: 'petition-lapsed',
        details: { petition: waiter.id, reason: waiter.reason, acquiredBy: caller.name },
        at: now,
      });
      await ended('lapsed', waiter);
    } else if (end <= now) {
      missed.push(waiter.id);
    }
  }
  if (missed.length > 0) await rows(client, MISSED, [missed]);
}
