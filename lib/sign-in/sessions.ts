import { rows, statement, type Queryable } from '../db/pool';

const END = statement('DELETE FROM auth_session WHERE "userId" = $1');
const PURGE = statement(`DELETE FROM auth_session WHERE "expiresAt" < clock_timestamp() AT TIME ZONE 'UTC' - interval '1 hour'`);

/** Ends every session of a principal. */
export async function endSessions(q: Queryable, principalId: string): Promise<void> {
  await rows(q, END, [principalId]);
}

/** Removes sessions that expired more than an hour ago. */
export async function purgeSessions(q: Queryable): Promise<void> {
  await rows(q, PURGE);
}
