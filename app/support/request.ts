import 'server-only';
import { headers } from 'next/headers';
import { isHttps } from '@/lib/http-headers';
import { refererPath } from './return-path';

/** True when our own script sent this post; false for a plain one, which wants a page for an answer. */
export const isScripted = async (): Promise<boolean> => (await headers()).has('next-action');

/** The page that a form stood on. */
export async function currentPath(): Promise<string> {
  const given = await headers();
  const publicHost = isHttps(process.env.HOLDFAST_URL) ? new URL(process.env.HOLDFAST_URL!).host : null;
  const referer = given.get('referer');
  return refererPath(referer, given.get('host'), refererPath(referer, publicHost));
}

/** The client's address, as the nearest proxy or our own server saw it: the last that was added. */
export const clientAddress = async (): Promise<string | undefined> => (await headers()).get('x-forwarded-for')?.split(',').at(-1)?.trim();

/** The site's address as people outside reach it: the one configured, else where this request came in. */
export async function publicAddress(): Promise<string> {
  const configured = process.env.HOLDFAST_URL;
  if (configured && URL.canParse(configured)) return new URL(configured).origin;
  const given = await headers();
  return `${given.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ? 'https' : 'http'}://${given.get('host') ?? 'localhost'}`;
}
