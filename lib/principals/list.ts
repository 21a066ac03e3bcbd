import { row, rows, statement, type Queryable } from '../db/pool';
import { forbidden } from '../db/state';
import { hasRole } from '../roles';
import { pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import { uuid } from '../schemas/text';
import { COLUMNS, nameKey, type Caller, type Principal } from './record';

const AT = statement('SELECT name_key AS "nameKey" FROM principal WHERE id = $1');

const PAGE = statement(`
  SELECT ${COLUMNS} FROM principal
  WHERE ($1::text IS NULL OR name_key > $1)
    AND ($2::text IS NULL OR strpos(name_key, $2) > 0)
    AND ($3::boolean IS NULL OR active = $3)
  ORDER BY name_key LIMIT $4`);

export type PrincipalFilter = {
  /** Part of the name, in any case. */
  q?: string;
  /** Only the active, or only the deactivated. */
  active?: boolean;
};

/**
 * Principals by name, for operators.
 * @throws Problem `forbidden`, `invalid-input` (an unknown cursor)
 */
export async function listPrincipals(q: Queryable, caller: Caller, filter: PrincipalFilter, { limit, cursor }: PageRequest): Promise<Page<Principal>> {
  if (!hasRole(caller.role, 'operator')) throw forbidden('operator');
  const at = cursor !== undefined && uuid.safeParse(cursor).success ? await row<{ nameKey: string }>(q, AT, [cursor]) : undefined;
  if (cursor !== undefined && !at) throw unknownCursor();
  const search = filter.q?.trim() ? nameKey(filter.q) : null;
  const found = await rows<Principal>(q, PAGE, [at?.nameKey ?? null, search, filter.active ?? null, limit + 1]);
  return pageOf(found, limit, (last) => last.id);
}
