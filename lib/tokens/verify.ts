import { row, rows, statement, type Db } from '../db/pool';
import { log } from '../log';
import type { Caller } from '../principals/record';
import { digestOf, isTokenForm } from './record';

const VERIFY = statement(`
  SELECT p.id, p.name, p.kind, p.role, t.id AS "tokenId",
    (t.last_used_at IS NULL OR t.last_used_at < clock_timestamp() - interval '1 minute') AS stale
  FROM api_token t JOIN principal p ON p.id = t.principal_id
  WHERE t.hash = $1 AND t.revoked_at IS NULL AND t.expires_at > clock_timestamp() AND p.active`);
const TOUCH = statement(`
  UPDATE api_token SET last_used_at = clock_timestamp()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')`);

const touching = new Set<string>();

/** Notes the use beside the request, which does not wait for it and does not fail with it. */
function touch(db: Db, tokenId: string): void {
  if (touching.has(tokenId)) return;
  touching.add(tokenId);
  rows(db, TOUCH, [tokenId])
    .catch((error: Error) => log.debug({ event: 'token-use-not-noted', message: error.message }))
    .finally(() => touching.delete(tokenId));
}

/**
 * Whose token this is, or undefined when it is none, revoked, expired (by the database's
 * clock) or its principal is deactivated (P-1). Nothing is cached: revocation is immediate.
 */
export async function verifyToken(db: Db, token: string): Promise<Caller | undefined> {
  if (!isTokenForm(token)) return undefined;
  const found = await row<Caller & { tokenId: string; stale: boolean }>(db, VERIFY, [digestOf(token)]);
  if (!found) return undefined;
  const { tokenId, stale, ...caller } = found;
  if (stale) touch(db, tokenId);
  return caller;
}
