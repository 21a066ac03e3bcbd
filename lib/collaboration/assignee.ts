import { row, statement, type Queryable } from '../db/pool';
import { hasRole, type PrincipalRef, type Role } from '../roles';
import { invalidInput } from '../problems';

const FIND = statement(`SELECT id, name, kind, role, active FROM principal WHERE id = $1`);

/**
 * The principal that work or a lease goes to: active, and at least a coworker.
 * @param path the input member that names it
 * @throws Problem `invalid-input`
 */
export async function assertAbleToWork(q: Queryable, principalId: string, path: string): Promise<PrincipalRef> {
  const found = await row<PrincipalRef & { role: Role; active: boolean }>(q, FIND, [principalId]);
  if (!found) throw invalidInput({ path, message: 'is no principal' });
  if (!found.active) throw invalidInput({ path, message: `${found.name} is deactivated` });
  if (!hasRole(found.role, 'coworker')) throw invalidInput({ path, message: `${found.name} is a reader: work needs a coworker` });
  return { id: found.id, name: found.name, kind: found.kind };
}
