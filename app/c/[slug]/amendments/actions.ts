'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { requestAmendment, resubmitAmendment } from '@/lib/amendment';
import { parseGrid } from '@/lib/grid/parse';
import { runtime } from '@/lib/runtime';
import { parseInput } from '@/lib/schemas/parse';
import { grant, integer, text, uuid } from '@/lib/schemas/text';
import { amendmentInput } from '@/lib/schemas/work';
import { act } from '../../../support/act';
import { holdingIn, inContainer } from '../../../support/forms';

const form = z.strictObject({
  ...inContainer,
  grant: grant.optional(),
  baseVersion: integer(1),
  changes: z.string(),
  grid: z.string(),
  rationale: text(1, 2000),
  amendment: uuid.optional(),
});

/** One changed artifact a line, with its section after a `#`. */
const changesOf = (lines: string) =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [artifact, section] = line.split('#', 2).map((part) => part.trim());
      return { artifact, ...(section ? { section } : {}) };
    });

/** asks for an amendment, or submits one again. */
export async function ask(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    form,
    ({ slug, amendment, changes, ...input }, caller) => {
      const wanted = { ...parseInput(amendmentInput, { ...input, changes: changesOf(changes) }), grid: parseGrid(input.grid) };
      return amendment ? resubmitAmendment(runtime().db, slug, caller.id, amendment, wanted) : requestAmendment(runtime().db, slug, caller.id, wanted);
    },
    { message: (asked) => `The amendment is queued, at place ${asked.place}.`, to: `/c/${String(data.get('slug'))}/amendments`, holding: holdingIn(data) },
  );
}
