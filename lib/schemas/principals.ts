/** Inputs about principals, their tokens and signing in (sections 1 and 10). */
import { z } from '@hono/zod-openapi';
import { integer, text } from './text';

export const role = z.enum(['reader', 'coworker', 'operator']);
export const kind = z.enum(['person', 'agent']);

/** Control characters, line breaks, and marks that make one name look like another. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u202a-\u202e\u2060-\u2069\ufeff]/u;

/** A principal's name: 1 to 60 characters, trimmed, without control characters (P-1). */
export const principalName = text(1, 60)
  .trim()
  .refine((s) => !UNFIT.test(s), { error: 'must not contain control characters' });

/** A password that is being set. */
export const newPassword = text(8, 200, { blank: true });

export const createPrincipalBody = z.strictObject({ name: principalName, kind: kind.optional(), role, password: newPassword.optional() });

export const changePrincipalBody = z
  .strictObject({ name: principalName.optional(), role: role.optional(), active: z.boolean().optional(), password: newPassword.optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must change something' });

/** A token lives for 1 to 366 days, 90 by default. */
export const issueTokenBody = z.strictObject({ label: text(1, 80).optional(), expiresInDays: integer(1, 366).optional() });

/** Any password may be tried; only its length is bounded, for the cost of hashing it. */
export const signInBody = z.strictObject({ name: text(1, 60), password: text(1, 200, { blank: true }) });

export type CreatePrincipal = z.infer<typeof createPrincipalBody>;
export type ChangePrincipal = z.infer<typeof changePrincipalBody>;
export type IssueToken = z.infer<typeof issueTokenBody>;
export type SignIn = z.infer<typeof signInBody>;
