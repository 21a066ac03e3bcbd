import { randomUUID } from 'node:crypto';
import { APIError } from 'better-auth/api';
import { row, statement } from '../db/pool';
import { Problem } from '../problems';
import { nameKey, type Caller } from '../principals/record';
import { forgiveSignIn, limitSignIn } from '../rate-limit/limit';
import type { Runtime } from '../runtime';
import type { SignIn } from '../schemas/principals';
import { authOf } from './auth';
import { addressOf } from './password';
import { endSessions } from './sessions';

type Found = Caller & { active: boolean; password: string | null };

const BY_NAME = statement(`
  SELECT p.id, p.name, p.kind, p.role, p.active, a.password
  FROM principal p LEFT JOIN auth_account a ON a.id = p.id::text
  WHERE p.name_key = $1`);

const refused = (): Problem => new Problem('unauthenticated', 'The name or the password is wrong.');

/**
 * Signs in by name and password and opens a session. An unknown name, a wrong password, a
 * deactivated principal and one without a password get the same answer at the same cost.
 * @param request its headers, and the client's address for the rate limit
 * @returns the `Set-Cookie` values that the answer must carry, and who signed in
 * @throws Problem `unauthenticated`, `rate-limited`
 */
export async function signIn(
  runtime: Pick<Runtime, 'db' | 'prisma'>,
  { name, password }: SignIn,
  request: { headers: Headers; ip?: string },
): Promise<{ setCookie: string[]; principal: Caller }> {
  const budget = { name: nameKey(name), ip: request.ip };
  await limitSignIn(runtime, budget);
  const auth = await authOf(runtime);
  const found = await row<Found>(runtime.db, BY_NAME, [nameKey(name)]);
  // For an address that it does not know, the library hashes all the same.
  const email = addressOf(found?.active ? found.id : randomUUID());
  let headers: Headers;
  try {
    ({ headers } = await auth.api.signInEmail({ body: { email, password }, headers: request.headers, returnHeaders: true }));
  } catch (error) {
    if (error instanceof APIError && error.statusCode < 500) throw refused();
    throw error;
  }
  // Deactivation and a new password end the sessions that exist by then, after they commit;
  // the session opened here is either among those, or sees the change in this reading.
  const now = await row<Found>(runtime.db, BY_NAME, [nameKey(name)]);
  if (!found || !now?.active || now.id !== found.id || now.password !== found.password) {
    if (found) await endSessions(runtime.db, found.id);
    throw refused();
  }
  await forgiveSignIn(runtime, budget);
  const { id, kind, role } = now;
  return { setCookie: headers.getSetCookie(), principal: { id, name: now.name, kind, role } };
}
