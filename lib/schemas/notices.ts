/** Inputs about notices. */
import { z } from '@hono/zod-openapi';

/** An instant as answers give it (T-2). */
export const instant = z
  .string()
  .refine((s) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(s) && !Number.isNaN(Date.parse(s)), { error: 'must be an instant, as 2026-11-30T10:59:28.123456Z' });

export const readNoticesBody = z.strictObject({ through: instant });
