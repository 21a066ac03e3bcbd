'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { initGrid, rebuildGridMirror } from '@/lib/amendment';
import { parseGrid } from '@/lib/grid/parse';
import { runtime } from '@/lib/runtime';
import { act } from '../../../support/act';
import { inContainer } from '../../../support/forms';

/** G-1. */
export async function init(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ ...inContainer, grid: z.string() }), ({ slug, grid }, caller) => initGrid(runtime().db, slug, caller.id, parseGrid(grid)), {
    message: 'Version 1 of the grid is written.',
  });
}

/** BR-6. */
export async function rebuild(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject(inContainer), ({ slug }, caller) => rebuildGridMirror(runtime().db, slug, caller.id), {
    message: ({ version }) => `The mirror is written anew, at version ${version}.`,
  });
}
