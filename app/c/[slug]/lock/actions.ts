'use server';

import { refresh } from 'next/cache';
import type { ActionResult, Conflict } from '@/components/action-result';
import { acquire } from '@/lib/lock-page/acquire';
import { clear } from '@/lib/lock-page/clear';
import { heartbeat } from '@/lib/lock-page/heartbeat';
import { editLockNotes } from '@/lib/lock-page/notes';
import type { LockView } from '@/lib/lock-page/read';
import { release } from '@/lib/lock-page/release';
import { reopen } from '@/lib/lock-page/reopen';
import { readLockRevision } from '@/lib/lock-page/revisions';
import { isProblem } from '@/lib/problems';
import { runtime } from '@/lib/runtime';
import { acquireInput, clearInput, grantInput, notesInput, reopenInput } from '@/lib/schemas/inputs';
import { act } from '../../../support/act';
import { baseOf, holdingIn, inContainer, onBase } from '../../../support/forms';

// The page has moved on: it is shown as it now is, and the form goes on from there.
const moved = (current: LockView): Conflict => {
  refresh();
  return { revision: current.revision, theirs: {} };
};

/** LP-3. */
export async function acquireLock(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    acquireInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => acquire(runtime().db, slug, caller.id, base, input),
    { message: (lock) => `You hold the lock, with grant ${lock.grant}.`, conflict: moved },
  );
}

/** LP-5. */
export async function beat(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    grantInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => heartbeat(runtime().db, slug, caller.id, base, input),
    {
      message: (lock) => (lock.atCap ? 'Heartbeat noted. The grant is at its 24 h cap and cannot be extended further.' : 'Heartbeat noted: the grant is extended.'),
      conflict: moved,
      holding: holdingIn(data),
    },
  );
}

/** LP-6. */
export async function releaseLock(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    grantInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => release(runtime().db, slug, caller.id, base, input),
    { message: (lock) => `You released grant ${lock.grant}.`, conflict: moved, holding: holdingIn(data) },
  );
}

/** LP-7. */
export async function clearLock(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    clearInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => clear(runtime().db, slug, caller.id, base, input),
    { message: (lock) => `Grant ${lock.grant} is cleared. The audit line stands on the lock page.`, conflict: moved },
  );
}

/** LP-4. */
export async function reopenLock(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    reopenInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => reopen(runtime().db, slug, caller.id, base, input),
    { message: (lock) => `The next grant will be ${lock.nextGrant}.`, conflict: moved },
  );
}

/** LP-9, W-3. */
export async function saveLockNotes(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    notesInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => editLockNotes(runtime().db, slug, caller.id, base, input),
    {
      message: 'The notes are saved.',
      holding: holdingIn(data),
      conflict: async (current: LockView) => ({
        revision: current.revision,
        theirs: { notes: current.notes },
        base: await notesAt(String(data.get('slug')), baseOf(data)),
      }),
    },
  );
}

async function notesAt(slug: string, revision: number | undefined): Promise<Record<string, string> | undefined> {
  if (revision === undefined) return undefined;
  try {
    const { fields } = await readLockRevision(runtime().db, slug, 'within', revision);
    return { notes: fields.notes };
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}
