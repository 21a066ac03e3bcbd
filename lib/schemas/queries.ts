/** The query strings of the lists (section 10). Unknown parameters are ignored. */
import { z } from '@hono/zod-openapi';
import { BADGES, type Badge } from '../lock-page/badge';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const limit = z
  .string()
  .optional()
  .refine((s) => s === undefined || (/^[1-9]\d{0,2}$/.test(s) && Number(s) <= MAX_LIMIT), { error: `must be a whole number from 1 to ${MAX_LIMIT}` })
  .transform((s) => (s === undefined ? DEFAULT_LIMIT : Number(s)));
const cursor = z.string().optional();

export const pageQuery = z.object({ limit, cursor });
/** Histories page by `before`, a revision number; `next` of an answer is the next one. */
export const historyQuery = z.object({ limit, before: cursor, cursor }).transform(({ limit, before, cursor }) => ({ limit, cursor: before ?? cursor }));
export const containersQuery = z.object({
  limit,
  cursor,
  q: z.string().optional(),
  badge: z
    .string()
    .optional()
    .refine((b): b is Badge | undefined => b === undefined || (BADGES as readonly string[]).includes(b), { error: `must be one of ${BADGES.join(', ')}` }),
});
export const noticesQuery = z.object({
  limit,
  cursor,
  unread: z
    .string()
    .optional()
    .refine((s) => s === undefined || s === 'true' || s === 'false', { error: 'must be true or false' })
    .transform((s) => s === 'true'),
});
export const searchQuery = z.object({ limit, cursor, q: z.string().optional() });
