'use server';

import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { ActionResult } from '@/components/action-result';
import { runtime } from '@/lib/runtime';
import { signInBody } from '@/lib/schemas/principals';
import { signOut as endSession } from '@/lib/sign-in/session';
import { signIn as openSession } from '@/lib/sign-in/sign-in';
import { parseForm, refusal } from '../support/act';
import { typedValues } from '../support/form-data';
import { clientAddress } from '../support/request';
import { safeReturnPath } from '../support/return-path';
import { applySetCookie, leaveFlash } from '../support/set-cookies';

/** Signs in and goes back to where one was. */
export async function signIn(_: ActionResult, data: FormData): Promise<ActionResult> {
  try {
    const input = parseForm(data, signInBody);
    const { setCookie, principal } = await openSession(runtime(), input, { headers: new Headers(await headers()), ip: await clientAddress() });
    await applySetCookie(setCookie);
    await leaveFlash(`Signed in as ${principal.name}.`);
  } catch (error) {
    const refused = await refusal(error, typedValues(data));
    return refused.code === 'unauthenticated' ? { ...refused, title: 'Not signed in' } : refused;
  }
  redirect(safeReturnPath(data.get('to')));
}

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  await applySetCookie(await endSession(runtime(), new Headers(await headers())));
  await leaveFlash('Signed out.');
  redirect('/');
}
