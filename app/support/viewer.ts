import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { hasRole, type Role } from '@/lib/roles';
import type { Caller } from '@/lib/principals/record';
import { runtime } from '@/lib/runtime';
import { sessionOf } from '@/lib/sign-in/session';

/** Who looks at this page, or undefined; read once a request. Role and state are as they are now (P-1). */
export const viewer = cache(async (): Promise<Caller | undefined> => sessionOf(runtime(), new Headers(await headers())));

/** Who looks; somebody who is not signed in is sent to sign in, and comes back to `returnTo`. */
export async function requireViewer(returnTo: string): Promise<Caller> {
  return (await viewer()) ?? redirect(`/sign-in?to=${encodeURIComponent(returnTo)}`);
}

/** As `requireViewer`; undefined when the role is not enough, so that the page can say so. */
export async function requireRole(needed: Role, returnTo: string): Promise<Caller | undefined> {
  const caller = await requireViewer(returnTo);
  return hasRole(caller.role, needed) ? caller : undefined;
}
