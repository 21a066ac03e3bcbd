/** B-1: pieces of work that the lead assigns. */
import { assertOpen, fence, isHeld } from '../db/fence';
import { row, rows, statement, type Db } from '../db/pool';
import { writeNotice } from '../notices/write';
import { invalidInput, notFound, Problem } from '../problems';
import { assertAbleToWork } from './assignee';
import { readBlock, type Block } from './read';
import { editCollaboration, recordRevision } from './revise';

const LEASE = statement(`SELECT to_id AS "toId" FROM lease WHERE id = $1 AND container_id = $2 AND "grant" = $3 AND state = 'active'`);
const INSERT = statement(`
  INSERT INTO block (container_id, "grant", title, description, assignee_id, lease_id, at, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) RETURNING id`);
const MOVE = statement(`UPDATE block SET state = $2::block_state, changed_at = $3 WHERE id = $1`);

export type BlockInput = { grant: number; title: string; description?: string; assignee: string; leaseId?: string };

/**
 * The lead assigns a block of work, if it likes with an active lease of its grant.
 * @throws Problem a receipt of R-2, `archived`, `container-closed`, `invalid-input`, and those of `write`
 */
export async function assignBlock(db: Db, slug: string, callerId: string, input: BlockInput): Promise<Block> {
  return editCollaboration(db, slug, callerId, async (gated, revision) => {
    const { client, state } = gated;
    const { now, container, caller, page } = state;
    fence(state, input.grant);
    assertOpen(state);
    const assignee = await assertAbleToWork(client, input.assignee, 'assignee');
    if (input.leaseId !== undefined) {
      const leased = await row<{ toId: string }>(client, LEASE, [input.leaseId, container.id, page.grant]);
      if (!leased) throw invalidInput({ path: 'leaseId', message: 'is no active lease of this grant' });
      if (leased.toId !== assignee.id) throw invalidInput({ path: 'leaseId', message: `is not leased to ${assignee.name}` });
    }
    const made = await row<{ id: string }>(client, INSERT, [container.id, page.grant, input.title, input.description ?? '', assignee.id, input.leaseId ?? null, now]);
    await recordRevision(gated, revision, { kind: 'block', summary: `${caller.name} assigned “${input.title}” to ${assignee.name}` });
    if (assignee.id !== caller.id) {
      await writeNotice(client, { principalId: assignee.id, containerId: container.id, kind: 'block-assigned', details: { title: input.title, by: caller.name }, at: now });
    }
    return (await readBlock(client, container.id, made!.id))!;
  });
}

/**
 * The assignee or the lead marks an open block `done` or `returned`.
 * @throws Problem `not-found`, `forbidden`, `archived`, `container-closed`, `wrong-state` (state), and those of `write`
 */
export async function markBlock(db: Db, slug: string, callerId: string, blockId: string, input: { state: 'done' | 'returned' }): Promise<Block> {
  return editCollaboration(db, slug, callerId, async (gated, revision) => {
    const { client, state } = gated;
    const { now, container, caller, page } = state;
    const found = await readBlock(client, container.id, blockId);
    if (!found) throw notFound('block');
    const leads = page.holderId === caller.id && isHeld(page, now);
    if (found.assignee.id !== caller.id && !leads) throw new Problem('forbidden', 'Only its assignee or the lead marks a block.', { neededRole: 'coworker' });
    assertOpen(state);
    if (found.state !== 'open') throw new Problem('wrong-state', `The block is ${found.state}.`, { state: found.state });
    await rows(client, MOVE, [blockId, input.state, now]);
    await recordRevision(gated, revision, { kind: 'block', summary: `${caller.name} marked “${found.title}” ${input.state}` });
    return (await readBlock(client, container.id, blockId))!;
  });
}
