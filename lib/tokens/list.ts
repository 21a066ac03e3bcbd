import { row, rows, statement, type Queryable } from '../db/pool';
import { forbidden } from '../db/state';
import { hasRole } from '../roles';
import { pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import { readPrincipal } from '../principals/read';
import type { Caller } from '../principals/record';
import { uuid } from '../schemas/text';
import type { Instant } from '../time';
import { COLUMNS, type Token } from './record';

const AT = statement('SELECT created_at AS "createdAt" FROM api_token WHERE id = $1 AND principal_id = $2');

const PAGE = statement(`
  SELECT ${COLUMNS} FROM api_token
  WHERE principal_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
  ORDER BY created_at DESC, id DESC LIMIT $4`);

/**
 * A principal's tokens for operators, newest first, revoked and expired ones included.
 * @throws Problem `forbidden`, `not-found`, `invalid-input` (an unknown cursor)
 */
export async function listTokens(q: Queryable, caller: Caller, principalId: string, { limit, cursor }: PageRequest): Promise<Page<Token>> {
  if (!hasRole(caller.role, 'operator')) throw forbidden('operator');
  await readPrincipal(q, principalId);
  const at = cursor !== undefined && uuid.safeParse(cursor).success ? await row<{ createdAt: Instant }>(q, AT, [cursor, principalId]) : undefined;
  if (cursor !== undefined && !at) throw unknownCursor();
  const found = await rows<Token>(q, PAGE, [principalId, at?.createdAt ?? null, at ? cursor : null, limit + 1]);
  return pageOf(found, limit, (last) => last.id);
}
