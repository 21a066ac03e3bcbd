'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { assignBlock, markBlock } from '@/lib/collaboration/block';
import { lease } from '@/lib/collaboration/lease';
import { editCollaborationNotes } from '@/lib/collaboration/notes';
import { petition } from '@/lib/collaboration/petition';
import { readCollaborationRevision, type CollaborationView } from '@/lib/collaboration/read';
import { withdraw } from '@/lib/collaboration/withdraw';
import { identifierOf } from '@/lib/register/identifier';
import { runtime } from '@/lib/runtime';
import { blockInput, blockMark, leaseFields, leaseInput, notesInput, petitionInput } from '@/lib/schemas/inputs';
import { parseInput } from '@/lib/schemas/parse';
import { uuid } from '@/lib/schemas/text';
import { act } from '../../../support/act';
import { baseOf, holdingIn, inContainer, onBase } from '../../../support/forms';

/** */
export async function askForLock(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, petitionInput.extend(inContainer), ({ slug, ...input }, caller) => petition(runtime().db, slug, caller.id, input), {
    message: 'You are in the queue.',
  });
}

/** */
export async function withdrawPetition(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ ...inContainer, petition: uuid }), (input, caller) => withdraw(runtime().db, input.slug, caller.id, input.petition), {
    message: 'The petition is withdrawn.',
  });
}

/** L-2. */
export async function leaseIdentifiers(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    leaseFields.extend({ ...inContainer, prefix: z.string() }),
    async ({ slug, prefix, ...fields }, caller) => ({ prefix, lease: await lease(runtime().db, slug, caller.id, parseInput(leaseInput, fields)) }),
    {
      message: ({ prefix, lease: made }) => `${identifierOf(prefix, made.from)} to ${identifierOf(prefix, made.through)} are leased to ${made.to.name}.`,
      holding: holdingIn(data),
    },
  );
}

/** B-1. */
export async function assign(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, blockInput.extend(inContainer), ({ slug, ...input }, caller) => assignBlock(runtime().db, slug, caller.id, input), {
    message: (block) => `“${block.title}” is assigned to ${block.assignee.name}.`,
    holding: holdingIn(data),
  });
}

/** B-1. */
export async function mark(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, blockMark.extend({ ...inContainer, block: uuid }), ({ slug, block, ...input }, caller) => markBlock(runtime().db, slug, caller.id, block, input), {
    message: (block) => `“${block.title}” is marked ${block.state}.`,
    holding: holdingIn(data),
  });
}

/** W-1, W-3. */
export async function saveCollaborationNotes(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    notesInput.extend({ ...inContainer, ...onBase }),
    ({ slug, base, ...input }, caller) => editCollaborationNotes(runtime().db, slug, caller.id, base, input),
    {
      message: 'The notes are saved.',
      conflict: async (current: CollaborationView) => {
        const base = baseOf(data);
        const began = base === undefined ? undefined : await readCollaborationRevision(runtime().db, String(data.get('slug')), 'within', base);
        return { revision: current.revision, theirs: { notes: current.notes }, ...(began ? { base: { notes: began.notes } } : {}) };
      },
    },
  );
}
