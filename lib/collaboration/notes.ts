import { assertOpen } from '../db/fence';
import { row, rows, statement, type Db } from '../db/pool';
import { Problem } from '../problems';
import { readCollaborationWithin, type CollaborationView } from './read';
import { editCollaboration, recordRevision } from './revise';

const SPOILED = statement(`
  SELECT EXISTS (SELECT 1 FROM collaboration_revision WHERE container_id = $1 AND revision > $2 AND kind = 'notes') AS spoiled`);
const WRITE = statement(`UPDATE collaboration_page SET notes = $2 WHERE container_id = $1`);

/**
 * W-1: edits the collaboration page's notes. The base holds unless another notes edit came
 * after it: petitions, leases and blocks do not spoil it.
 * @param base the collaboration page's revision that the caller saw
 * @throws Problem `edit-conflict` (current), `archived`, `container-closed`, and those of `write`
 */
export async function editCollaborationNotes(db: Db, slug: string, callerId: string, base: number, input: { notes: string; summary?: string }): Promise<CollaborationView> {
  return editCollaboration(db, slug, callerId, async (gated, revision) => {
    const { client, state } = gated;
    const { now, container } = state;
    const exists = Number.isSafeInteger(base) && base >= 1 && base < revision;
    if (!exists || (await row<{ spoiled: boolean }>(client, SPOILED, [container.id, base]))!.spoiled) {
      const current = { ...(await readCollaborationWithin(client, container.id, now)), revision: revision - 1 };
      throw new Problem('edit-conflict', 'Somebody else edited these notes since you read them. Nothing was changed.', { current });
    }
    assertOpen(state);
    await rows(client, WRITE, [container.id, input.notes]);
    await recordRevision(gated, revision, { kind: 'notes', summary: input.summary || 'Edited the notes', notes: input.notes });
    return readCollaborationWithin(client, container.id, now);
  });
}
