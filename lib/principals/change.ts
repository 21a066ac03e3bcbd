import { writeAudit } from '../audit/write';
import { withdrawPetitionsOfUnable } from '../collaboration/sweep';
import { isUniqueViolation } from '../db/errors';
import { inTransaction } from '../db/gate';
import { rows, statement, type Db, type Queryable } from '../db/pool';
import { hasRole } from '../roles';
import { log } from '../log';
import type { ChangePrincipal } from '../schemas/principals';
import { hashPassword, writePassword } from '../sign-in/password';
import { endSessions } from '../sign-in/sessions';
import { readPrincipal } from './read';
import { actorId, assertOperator, nameKey, nameTaken, type Actor, type Principal } from './record';
import { assertNotLastOperator, editRoster } from './roster';

const UPDATE = statement('UPDATE principal SET name = $2, name_key = $3, role = $4, active = $5 WHERE id = $1');

type Fields = Pick<Principal, 'name' | 'role' | 'active'>;

/** The members in which two states differ, as one of them has them. */
const difference = (one: Fields, other: Fields): Partial<Fields> =>
  Object.fromEntries((['name', 'role', 'active'] as const).filter((key) => one[key] !== other[key]).map((key) => [key, one[key]]));

/** Whether a principal's petitions can still be granted. */
const isAble = ({ active, role }: Fields): boolean => active && hasRole(role, 'coworker');

/**
 * Applies a change inside the caller's transaction, which has edited the roster (editRoster)
 * and judged the actor.
 */
export async function applyChange(q: Queryable, actor: Actor, id: string, change: Partial<Fields>): Promise<{ before: Principal; after: Principal }> {
  const before = await readPrincipal(q, id);
  const after = { ...before, ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) };
  const to = difference(after, before);
  if (Object.keys(to).length === 0) return { before, after };
  const ceases = before.active && before.role === 'operator' && !(after.active && after.role === 'operator');
  if (ceases) await assertNotLastOperator(q, id);
  await rows(q, UPDATE, [id, after.name, nameKey(after.name), after.role, after.active]);
  if (before.active !== after.active) await endSessions(q, id);
  await writeAudit(q, {
    actorId: actorId(actor),
    action: 'principal-changed',
    target: id,
    details: { name: after.name, from: difference(before, after), to },
  });
  return { before, after };
}

/**
 * Changes name, role, state or password; operators only. Access ends at once (P-1): a
 * deactivated principal's sessions are deleted and its tokens refused; a new password ends the
 * sessions too. Waiting petitions of a principal that can no longer hold are withdrawn after
 * the commit; its grant runs to expiry. A reactivated principal's unexpired tokens work again.
 * @throws Problem `unauthenticated`, `forbidden`, `not-found`, `name-taken`, `last-operator`
 */
export async function changePrincipal(db: Db, actor: Actor, id: string, change: ChangePrincipal): Promise<Principal> {
  const { password, ...fields } = change;
  if (password !== undefined) await assertOperator(db, actor); // before the costly hash; judged again in the transaction
  const hash = password === undefined ? undefined : await hashPassword(password);
  let changed: { before: Principal; after: Principal };
  try {
    changed = await inTransaction(db, async (client) => {
      await editRoster(client);
      await assertOperator(client, actor);
      const result = await applyChange(client, actor, id, fields);
      if (hash !== undefined) {
        await writePassword(client, id, hash);
        await endSessions(client, id);
        await writeAudit(client, { actorId: actorId(actor), action: 'password-changed', target: id, details: { name: result.after.name } });
      }
      return result;
    });
  } catch (error) {
    throw isUniqueViolation(error, 'principal_name_key_key') ? nameTaken(change.name ?? '') : error;
  }
  await afterChange(db, changed, hash !== undefined);
  return changed.after;
}

/** What follows a committed change. It may be cut short: the sweep runs by itself too, and inactive principals have no access. */
export async function afterChange(db: Db, { before, after }: { before: Principal; after: Principal }, passwordChanged = false): Promise<void> {
  try {
    // A sign-in that was under way may have opened its session since; see signIn.
    if (before.active !== after.active || passwordChanged) await endSessions(db, after.id);
    if (isAble(before) && !isAble(after)) await withdrawPetitionsOfUnable(db);
  } catch (error) {
    log.warn({ event: 'principal-change-follow-up-failed', principal: after.id, message: (error as Error).message });
  }
}
