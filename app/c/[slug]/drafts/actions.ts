'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { readDraftRevision, type Draft } from '@/lib/drafts/read';
import { pushDrafts } from '@/lib/drafts/push';
import { removeDraft } from '@/lib/drafts/remove';
import { copyDraft, saveDraft } from '@/lib/drafts/save';
import { runtime } from '@/lib/runtime';
import { draftInput, idempotencyKey, pushInput } from '@/lib/schemas/inputs';
import { parseInput } from '@/lib/schemas/parse';
import { grant, integer } from '@/lib/schemas/text';
import { viewer } from '../../../support/viewer';
import { act } from '../../../support/act';
import { baseOf, holdingIn, inContainer, onBase } from '../../../support/forms';

/** R-7, W-3: saves a draft; base 0 for a new one. */
export async function save(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    draftInput.extend({ ...inContainer, ...onBase, identifier: z.string() }),
    ({ slug, base, identifier, ...input }, caller) => saveDraft(runtime().db, slug, caller.id, identifier.trim(), base, input),
    {
      message: (draft) => `The draft of ${draft.identifier} is saved.`,
      to: (draft) => `/c/${String(data.get('slug'))}/drafts?edit=${draft.identifier}&grant=${draft.grant}`,
      holding: holdingIn(data),
      conflict: async (current: Draft | null) => {
        if (!current) return undefined;
        const who = await viewer();
        const base = baseOf(data);
        const began = who && base !== undefined ? await readDraftRevision(runtime().db, String(data.get('slug')), who, current.grant, current.identifier, base) : undefined;
        return {
          revision: current.revision,
          theirs: { title: current.title, body: current.body },
          ...(began ? { base: { title: began.title, body: began.body } } : {}),
        };
      },
    },
  );
}

const ofDraft = { ...inContainer, identifier: z.string(), grant };

/** Deletes a draft of whichever grant (LP-8). */
export async function remove(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    z.strictObject({ ...ofDraft, ...onBase }),
    ({ slug, identifier, ...options }, caller) => removeDraft(runtime().db, slug, caller.id, identifier, options),
    {
      message: `The draft of ${String(data.get('identifier'))} is deleted.`,
      to: `/c/${String(data.get('slug'))}/drafts`,
      conflict: (current: Draft) => ({ revision: current.revision, theirs: {} }),
    },
  );
}

/** LP-8: copies a draft of an ended grant to the one held now. */
export async function copy(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    z.strictObject({ ...ofDraft, from: integer(1) }),
    ({ slug, identifier, ...input }, caller) => copyDraft(runtime().db, slug, caller.id, identifier, input),
    { message: (draft) => `The draft of ${draft.identifier} is copied to grant ${draft.grant}.`, holding: holdingIn(data) },
  );
}

const CHOSEN = /^(.+)@([1-9]\d{0,9})$/s;

/** R-7: pushes the drafts that are ticked, each at the revision that was shown, as one landing. */
export async function push(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    z.strictObject({ ...inContainer, grant, message: z.string(), draft: z.array(z.string()).optional(), keepLeases: z.array(z.string()).optional(), idempotencyKey }),
    async ({ slug, idempotencyKey: key, draft = [], ...input }, caller) => {
      const drafts = draft.map((chosen) => {
        const [, identifier, revision] = CHOSEN.exec(chosen) ?? [];
        return { identifier: identifier ?? chosen, revision: Number(revision ?? 0) };
      });
      return pushDrafts(runtime().db, slug, caller.id, key, parseInput(pushInput, { ...input, drafts }));
    },
    {
      message: (landing) => `Landing ${landing.sequence} is in the register, with ${landing.entries.length === 1 ? '1 entry' : `${landing.entries.length} entries`}.`,
      to: (landing) => `/c/${String(data.get('slug'))}/register/${landing.sequence}`,
      holding: holdingIn(data),
    },
  );
}
