import type { Caller } from '../principals/record';
import { Problem } from '../problems';
import type { Runtime } from '../runtime';
import { sessionOf } from '../sign-in/session';
import { verifyToken } from '../tokens/verify';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request comes from one of our own pages: a browser says so in Origin or Sec-Fetch-Site. */
export function isSameOrigin(headers: Headers): boolean {
  const host = headers.get('host');
  const origin = headers.get('origin');
  if (origin !== null) {
    const ours = process.env.HOLDFAST_URL && URL.canParse(process.env.HOLDFAST_URL) ? new URL(process.env.HOLDFAST_URL).host : undefined;
    const from = URL.canParse(origin) ? new URL(origin).host : undefined;
    return from !== undefined && (from === host || from === ours);
  }
  return headers.get('sec-fetch-site') === 'same-origin';
}

/** Whether a browser says that a request comes from another site's page. An address that was typed in comes from none. */
const isForeign = (headers: Headers): boolean =>
  !isSameOrigin(headers) && (headers.has('origin') || !['none', null].includes(headers.get('sec-fetch-site')));

/**
 * Who calls the API: by bearer token, else by the browser session of our own pages.
 * @throws Problem `unauthenticated` (a bad token), `forbidden` (a session from elsewhere)
 */
export async function callerOf(runtime: Runtime, request: Request): Promise<Caller | undefined> {
  const authorization = request.headers.get('authorization');
  if (authorization !== null) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    const caller = token === undefined ? undefined : await verifyToken(runtime.db, token);
    if (!caller) throw new Problem('unauthenticated', 'The token is unknown, expired or revoked.');
    return caller;
  }
  if (request.headers.get('cookie') === null) return undefined;
  const caller = await sessionOf(runtime, request.headers);
  if (!caller) return undefined;
  if (SAFE.has(request.method)) return isForeign(request.headers) ? undefined : caller;
  if (!isSameOrigin(request.headers)) throw new Problem('forbidden', 'A browser session writes only from this site’s own pages.', { neededRole: caller.role });
  return caller;
}
