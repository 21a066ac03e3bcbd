'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { changePrincipal } from '@/lib/principals/change';
import { createPrincipal } from '@/lib/principals/create';
import { runtime } from '@/lib/runtime';
import { changePrincipalBody, createPrincipalBody, issueTokenBody, newPassword, principalName, role } from '@/lib/schemas/principals';
import { parseInput } from '@/lib/schemas/parse';
import { uuid } from '@/lib/schemas/text';
import { issueToken } from '@/lib/tokens/issue';
import { revokeToken } from '@/lib/tokens/revoke';
import { act } from '../../support/act';

/** P-1. */
export async function create(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, createPrincipalBody, (input, caller) => createPrincipal(runtime().db, caller.id, input), {
    message: (made) => `${made.name} is made.`,
    to: (made) => `/admin/principals/${made.id}`,
  });
}

const changeForm = z.strictObject({ id: uuid, name: principalName.optional(), role: role.optional(), active: z.enum(['yes', 'no']).optional(), password: newPassword.optional() });

/** P-1: access ends at once. */
export async function change(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    changeForm,
    ({ id, active, ...input }, caller) =>
      changePrincipal(runtime().db, caller.id, id, parseInput(changePrincipalBody, { ...input, ...(active ? { active: active === 'yes' } : {}) })),
    { message: (changed) => `${changed.name} is changed.` },
  );
}

/** The token is in this answer and nowhere else. */
export async function issue(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, issueTokenBody.extend({ id: uuid }), ({ id, ...input }, caller) => issueToken(runtime().db, caller.id, id, input), {
    message: 'The token is issued.',
    once: (issued) => issued.token,
  });
}

/** Ends a token at once. */
export async function revoke(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ token: uuid }), ({ token }, caller) => revokeToken(runtime().db, caller.id, token), { message: 'The token is revoked.' });
}
