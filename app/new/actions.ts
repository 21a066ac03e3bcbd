'use server';

import type { ActionResult } from '@/components/action-result';
import { createContainer } from '@/lib/containers/create';
import { runtime } from '@/lib/runtime';
import { newContainer } from '@/lib/schemas/inputs';
import { act } from '../support/act';

/** LP-1. */
export async function create(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, newContainer, (input, caller) => createContainer(runtime().db, caller.id, input), {
    message: (container) => `“${container.title}” is made.`,
    to: (container) => `/c/${container.slug}`,
  });
}
