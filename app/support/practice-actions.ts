'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { handOver, startPractice } from '@/lib/practice/guide';
import { runtime } from '@/lib/runtime';
import { act } from './act';

/** Begins the guided first visit, or goes on with it. */
export async function beginPractice(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({}), (_input, caller) => startPractice(runtime().db, caller), {
    message: 'Your practice has begun. Nothing that you do there harms anything.',
    to: ({ slug }) => `/c/${slug}/lock`,
  });
}

/** The guide hands over to the newcomer who waits. */
export async function askGuide(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({}), (_input, caller) => handOver(runtime().db, caller), { message: 'The guide has pushed and released: it is your turn.' });
}
