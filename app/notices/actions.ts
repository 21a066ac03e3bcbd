'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { markNoticesRead } from '@/lib/notices/read';
import { runtime } from '@/lib/runtime';
import { act } from '../support/act';

const instant = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

/** Marks what the page showed as read; what came since stays unread. */
export async function markRead(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ through: instant }), ({ through }, caller) => markNoticesRead(runtime().db, caller.id, through), {
    message: 'Your notices are marked as read.',
  });
}
