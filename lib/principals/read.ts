import { row, statement, type Queryable } from '../db/pool';
import { notFound } from '../problems';
import { assertId, COLUMNS, nameKey, type Principal } from './record';

const BY_ID = statement(`SELECT ${COLUMNS} FROM principal WHERE id = $1`);
const BY_NAME = statement(`SELECT ${COLUMNS} FROM principal WHERE name_key = $1`);

/** One principal. @throws Problem `not-found` */
export async function readPrincipal(q: Queryable, id: string): Promise<Principal> {
  assertId(id, 'principal');
  const found = await row<Principal>(q, BY_ID, [id]);
  if (!found) throw notFound('principal');
  return found;
}

/** The principal of a name, compared as P-1 says, or undefined. */
export const findPrincipal = (q: Queryable, name: string): Promise<Principal | undefined> => row<Principal>(q, BY_NAME, [nameKey(name)]);
