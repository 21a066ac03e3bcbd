/** Inputs about webhooks. Where a URL may lead is judged by lib/webhooks. */
import { z } from '@hono/zod-openapi';
import { text } from './text';

const MAX_URL = 2000;
const url = text(1, MAX_URL).trim();

export const newWebhookBody = z.strictObject({ url, allowPrivate: z.boolean().optional() });

export const changeWebhookBody = z
  .strictObject({ url: url.optional(), active: z.boolean().optional(), allowPrivate: z.boolean().optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must change something' });
