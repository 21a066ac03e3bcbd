/** Passwords as the sign-in library keeps them: one credential account beside each user of its own. */
import { hashPassword } from 'better-auth/crypto';
import { rows, statement, type Queryable } from '../db/pool';

export { hashPassword };

/** The address under which the library knows a principal. Nobody sees it and no mail goes there. */
export const addressOf = (principalId: string): string => `${principalId}@principal.invalid`;

const USER = statement(`
  INSERT INTO auth_user (id, name, email, "emailVerified", "updatedAt")
  VALUES ($1, $1, $2, true, clock_timestamp() AT TIME ZONE 'UTC') ON CONFLICT (id) DO NOTHING`);
const ACCOUNT = statement(`
  INSERT INTO auth_account (id, "accountId", "providerId", "userId", password, "updatedAt")
  VALUES ($1, $1, 'credential', $1, $2, clock_timestamp() AT TIME ZONE 'UTC')
  ON CONFLICT (id) DO UPDATE SET password = excluded.password, "updatedAt" = excluded."updatedAt"`);

/** Keeps a hashed password, in the transaction of whoever sets it. */
export async function writePassword(q: Queryable, principalId: string, hash: string): Promise<void> {
  await rows(q, USER, [principalId, addressOf(principalId)]);
  await rows(q, ACCOUNT, [principalId, hash]);
}
