/** What is known of a principal, and who may change it (sections 1 and 7). */
import { row, statement, type Queryable } from '../db/pool';
import { forbidden } from '../db/state';
import { hasRole, type PrincipalKind, type PrincipalRef, type Role } from '../roles';
import { notFound, Problem } from '../problems';
import { uuid } from '../schemas/text';
import type { Instant } from '../time';

/** A principal as operators see it. */
export type Principal = { id: string; name: string; kind: PrincipalKind; role: Role; active: boolean; createdAt: Instant };

/** Who calls: what `/me` shows, and what reads are judged on. */
export type Caller = PrincipalRef & { role: Role };

export const COLUMNS = 'id, name, kind, role, active, created_at AS "createdAt"';

/** A name as it is compared (P-1): `Ann` and `ANN` are one name. */
export const nameKey = (name: string): string => name.trim().normalize('NFKC').toLowerCase();

/** An id from a path. @throws Problem `not-found` for what cannot be one */
export function assertId(id: string, what: string): void {
  if (!uuid.safeParse(id).success) throw notFound(what);
}

export const nameTaken = (name: string): Problem => new Problem('name-taken', `There is a principal named ${name} already.`);

/**
 * The one actor that is no principal: whoever has the machine (a script, the first start).
 * It may do what an operator may; audit lines name nobody.
 */
export const HOST: unique symbol = Symbol('host');
/** A principal's id, or the host. */
export type Actor = string | typeof HOST;

/** The actor as an audit line and a row keep it. */
export const actorId = (actor: Actor): string | null => (actor === HOST ? null : actor);

const ROLE = statement('SELECT role, active FROM principal WHERE id = $1');

/**
 * Passes an active operator and the host (P-1: called in the transaction of the write).
 * @throws Problem `unauthenticated` (unknown or deactivated), `forbidden`
 */
export async function assertOperator(q: Queryable, actor: Actor): Promise<void> {
  if (actor === HOST) return;
  const found = await row<{ role: Role; active: boolean }>(q, ROLE, [actor]);
  if (!found?.active) throw new Problem('unauthenticated', 'Your account is not active.');
  if (!hasRole(found.role, 'operator')) throw forbidden('operator');
}
