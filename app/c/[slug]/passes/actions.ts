'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { propose } from '@/lib/engine';
import { abortPass, completePass, startPass } from '@/lib/runner';
import { runtime } from '@/lib/runtime';
import { grantInput } from '@/lib/schemas/inputs';
import { uuid } from '@/lib/schemas/text';
import { abortInput, passInput, transitionInput } from '@/lib/schemas/work';
import { act } from '../../../support/act';
import { holdingIn, inContainer } from '../../../support/forms';

const ofPass = { ...inContainer, pass: uuid };

/** N-1. */
export async function start(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, passInput.extend(inContainer), ({ slug, ...input }, caller) => startPass(runtime().db, slug, caller.id, input), {
    message: (pass) => `A pass of ${pass.arrow} runs.`,
    holding: holdingIn(data),
  });
}

/** N-2. */
export async function complete(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, grantInput.extend(ofPass), ({ slug, pass, ...input }, caller) => completePass(runtime().db, slug, caller.id, pass, input), {
    message: (pass) => `The pass of ${pass.arrow} is completed.`,
    holding: holdingIn(data),
  });
}

/** N-2. */
export async function abort(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, abortInput.extend(ofPass), ({ slug, pass, ...input }, caller) => abortPass(runtime().db, slug, caller.id, pass, input), {
    message: (pass) => `The pass of ${pass.arrow} is aborted.`,
    holding: holdingIn(data),
  });
}

const moveForm = z.strictObject({ ...ofPass, clause: z.string(), to: transitionInput.shape.to, reason: transitionInput.shape.reason });

/** E-1, E-2: a producer's move, or an operator's verdict. */
export async function move(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, moveForm, ({ slug, pass, clause, ...input }, caller) => propose(runtime().db, slug, caller.id, pass, clause, input), {
    message: (moved) => `${moved.clause} is ${moved.to}.`,
    holding: holdingIn(data),
  });
}
