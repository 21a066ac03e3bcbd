import 'server-only';
import { cookies } from 'next/headers';
import { NextResponse } from 'next/server';
import { FLASH_COOKIE, FLASH_SECONDS, flashOf, flashValue, type Flash } from '@/components/flash';
import { isHttps } from '@/lib/http-headers';

/** Puts `Set-Cookie` values, as `lib/sign-in` gives them, on the answer of an action. */
export async function applySetCookie(values: string[]): Promise<void> {
  if (values.length === 0) return;
  const jar = await cookies();
  const carrier = new NextResponse(null);
  for (const value of values) carrier.headers.append('Set-Cookie', value);
  // Only the response reads them, so it is built on the finished headers.
  for (const cookie of new NextResponse(null, { headers: carrier.headers }).cookies.getAll()) jar.set(cookie);
}

/** What all cookies of our own have in common. */
export const cookieBase = () => ({ path: '/', sameSite: 'lax', secure: isHttps(process.env.HOLDFAST_URL) }) as const;

/** Leaves a message for the next page (it is no secret, and scripts remove it once it was told). */
export async function leaveFlash(text: string, { refused = false } = {}): Promise<void> {
  (await cookies()).set(FLASH_COOKIE, flashValue({ text, refused }), { ...cookieBase(), maxAge: FLASH_SECONDS });
}

/** The message that the last post left. */
export async function readFlash(): Promise<Flash | undefined> {
  const value = (await cookies()).get(FLASH_COOKIE)?.value;
  return value === undefined ? undefined : flashOf(value);
}
