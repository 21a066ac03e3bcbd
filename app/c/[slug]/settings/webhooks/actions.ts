'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { runtime } from '@/lib/runtime';
import { parseInput } from '@/lib/schemas/parse';
import { uuid } from '@/lib/schemas/text';
import { changeWebhookBody, newWebhookBody } from '@/lib/schemas/webhooks';
import { changeWebhook, removeWebhook, rotateSecret } from '@/lib/webhooks/change';
import { createWebhook } from '@/lib/webhooks/create';
import { pingWebhook, retryDelivery } from '@/lib/webhooks/retry';
import { act } from '../../../../support/act';

const one = z.strictObject({ id: uuid });

/** Its secret is in this answer and in no other. */
export async function add(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, newWebhookBody.extend({ slug: z.string() }), ({ slug, ...input }, caller) => createWebhook(runtime().db, slug, caller.id, input), {
    message: 'The webhook is added. This is its secret: its receiver checks signatures with it.',
    once: (made) => made.secret,
  });
}

/** Where it sends, and whether private addresses are allowed it. */
export async function change(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, newWebhookBody.extend({ id: uuid }), ({ id, ...input }, caller) => changeWebhook(runtime().db, caller.id, id, parseInput(changeWebhookBody, input)), {
    message: 'The webhook is changed.',
  });
}

/** Off or on. */
export async function turn(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, one.extend({ active: z.enum(['yes', 'no']) }), ({ id, active }, caller) => changeWebhook(runtime().db, caller.id, id, { active: active === 'yes' }), {
    message: (changed) => (changed.active ? 'The webhook is switched on.' : 'The webhook is switched off.'),
  });
}

/** The old secret signs nothing from now on. */
export async function rotate(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, one, ({ id }, caller) => rotateSecret(runtime().db, caller.id, id), {
    message: 'This is its new secret. The old one signs nothing from now on.',
    once: (webhook) => webhook.secret,
  });
}

/** Removes it with its log. */
export async function remove(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, one.extend({ slug: z.string() }), async ({ id, slug }, caller) => (await removeWebhook(runtime().db, caller.id, id), slug), {
    message: 'The webhook is removed.',
    to: (slug) => `/c/${encodeURIComponent(slug)}/settings/webhooks`,
  });
}

/** A ping, to see that it arrives. */
export async function test(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, one, ({ id }, caller) => pingWebhook(runtime().db, caller.id, id), { message: 'A ping is on its way. The log shows how it went.' });
}

/** The same delivery again, now. */
export async function retry(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ delivery: uuid }), ({ delivery }, caller) => retryDelivery(runtime().db, caller.id, delivery), { message: 'It is sent again.' });
}
