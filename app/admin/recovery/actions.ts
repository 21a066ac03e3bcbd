'use server';

import type { ActionResult } from '@/components/action-result';
import { rebuildGridMirror } from '@/lib/amendment';
import { acknowledgeCheckpoints } from '@/lib/recovery/acknowledge';
import { runtime } from '@/lib/runtime';
import { acknowledgeInput } from '@/lib/schemas/work';
import { z } from 'zod';
import { act } from '../../support/act';
import { inContainer } from '../../support/forms';

/** BR-6. */
export async function acknowledge(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, acknowledgeInput.extend(inContainer), ({ slug, ...input }, caller) => acknowledgeCheckpoints(runtime().db, slug, caller.id, input), {
    message: 'The chain is taken as it stands; the container is open again.',
  });
}

/** BR-6. */
export async function rebuild(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject(inContainer), ({ slug }, caller) => rebuildGridMirror(runtime().db, slug, caller.id), {
    message: 'The mirror is written anew; the container is open again.',
  });
}
