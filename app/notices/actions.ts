'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { markNoticeRead, markNoticesRead } from '@/lib/notices/read';
import { runtime } from '@/lib/runtime';
import { readNoticesBody } from '@/lib/schemas/notices';
import { uuid } from '@/lib/schemas/text';
import { act } from '../support/act';

/** Marks what the page showed as read; what came since stays unread. */
export async function markRead(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, readNoticesBody, ({ through }, caller) => markNoticesRead(runtime().db, caller.id, through), {
    message: 'Your notices are marked as read.',
  });
}

/** Marks one as read. */
export async function markOneRead(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ id: uuid }), ({ id }, caller) => markNoticeRead(runtime().db, caller.id, id), { message: 'It is marked as read.' });
}
