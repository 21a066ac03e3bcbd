import { writeAudit } from '../audit/write';
import { assertOpen, isHeld } from '../db/fence';
import type { Db } from '../db/pool';
import { write } from '../db/state';
import { lockHeld } from './lock-held';
import { readLockWithin, type LockView } from './read';
import { assertBase, revise } from './revise';

/**
 * LP-9: edits the lock page's notes (Markdown, W-1). While somebody holds, only the holder;
 * otherwise any coworker.
 * @param base the lock page's revision that the caller saw
 * @throws Problem `edit-conflict`, `archived`, `container-closed`, `lock-held`, and those of `write`
 */
export function editLockNotes(db: Db, slug: string, callerId: string, base: number, input: { notes: string; summary?: string }): Promise<LockView> {
  return write(db, slug, callerId, 'exclusive', async (gated) => {
    const { client, state } = gated;
    const { now, page, holder, caller, container } = state;
    await assertBase(gated, base, 'notes');
    assertOpen(state);
    if (isHeld(page, now) && page.holderId !== caller.id) {
      throw lockHeld(state, `While ${holder!.name} holds the lock, only ${holder!.name} edits its notes.`);
    }
    await revise(gated, 'notes', { notes: input.notes }, { summary: input.summary || 'Edited the notes' });
    await writeAudit(client, { containerId: container.id, at: now, actorId: caller.id, action: 'notes', target: 'lock', grant: page.grant });
    return readLockWithin(client, container.id, now);
  });
}
