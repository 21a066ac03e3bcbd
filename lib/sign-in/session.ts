import { row, statement, type Queryable } from '../db/pool';
import type { Caller } from '../principals/record';
import type { Runtime } from '../runtime';
import { authOf, type Auth } from './auth';

const CALLER = statement('SELECT id, name, kind, role FROM principal WHERE id = $1 AND active');

type Shared = Pick<Runtime, 'db' | 'prisma'>;

/** Role and state as they are now (P-1), whatever the session was opened with. */
const callerOf = (q: Queryable, id: string): Promise<Caller | undefined> => row<Caller>(q, CALLER, [id]);

async function cookieName(auth: Auth): Promise<string> {
  return (await auth.$context).authCookies.sessionToken.name;
}

async function carriesSession(auth: Auth, headers: Headers): Promise<boolean> {
  return headers.get('cookie')?.includes(`${await cookieName(auth)}=`) ?? false;
}

/** Who is signed in by the cookie of a request, or undefined. Reads only. */
export async function sessionOf(runtime: Shared, headers: Headers): Promise<Caller | undefined> {
  const auth = await authOf(runtime);
  if (!(await carriesSession(auth, headers))) return undefined;
  const session = await auth.api.getSession({ headers, query: { disableRefresh: true } });
  return session ? callerOf(runtime.db, session.user.id) : undefined;
}

/**
 * As `sessionOf`, and prolongs a session that was last prolonged over a day ago.
 * @returns the caller, and the `Set-Cookie` values that the answer must carry (mostly none)
 */
export async function renewSession(runtime: Shared, headers: Headers): Promise<{ caller: Caller | undefined; setCookie: string[] }> {
  const auth = await authOf(runtime);
  if (!(await carriesSession(auth, headers))) return { caller: undefined, setCookie: [] };
  const { response, headers: answer } = await auth.api.getSession({ headers, returnHeaders: true });
  return { caller: response ? await callerOf(runtime.db, response.user.id) : undefined, setCookie: answer.getSetCookie() };
}

/**
 * Ends the session of a request, if it has one.
 * @returns the `Set-Cookie` values that remove the cookie
 */
export async function signOut(runtime: Shared, headers: Headers): Promise<string[]> {
  const auth = await authOf(runtime);
  const { headers: answer } = await auth.api.signOut({ headers, returnHeaders: true });
  return answer.getSetCookie();
}
