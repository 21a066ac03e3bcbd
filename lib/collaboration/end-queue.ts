import { writeAudit } from '../audit/write';
import { rows, statement } from '../db/pool';
import type { Gated } from '../db/state';
import { writeNotice } from '../notices/write';
import type { PrincipalRef } from '../roles';
import { emit, ref } from '../webhooks/emit';
import { reviseCollaboration } from './revise';

const WITHDRAW = statement(`
  UPDATE petition SET state = 'withdrawn', ended_at = $2 WHERE container_id = $1 AND state = 'waiting'
  RETURNING id, reason, revision, principal_ref(principal_id) AS principal`);

/**
 * what archiving does to the queue: nobody will ever be given the lock there, so each
 * waiting petition is withdrawn, audited, and its author told. Under the exclusive gate.
 */
export async function endQueue(gated: Gated): Promise<void> {
  const { client, state } = gated;
  const { container, caller, now } = state;
  const ended = await rows<{ id: string; reason: string; revision: number; principal: PrincipalRef }>(client, WITHDRAW, [container.id, now]);
  for (const { id, reason, principal } of ended.sort((a, b) => a.revision - b.revision)) {
    await reviseCollaboration(gated, { kind: 'withdraw', summary: `The petition of ${principal.name} was withdrawn: the container is archived` });
    await writeAudit(client, {
      containerId: container.id,
      at: now,
      actorId: caller.id,
      action: 'petition-withdrawn',
      target: id,
      details: { of: { id: principal.id, name: principal.name }, reason, archived: true },
    });
    await writeNotice(client, {
      principalId: principal.id,
      containerId: container.id,
      kind: 'petition-withdrawn',
      details: { petition: id, by: caller.name, archived: true },
      at: now,
    });
    await emit(gated, 'petition.ended', { petition: id, principal, reason, state: 'withdrawn', by: ref(caller) });
  }
}
