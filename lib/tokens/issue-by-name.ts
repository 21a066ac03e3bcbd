import { writeAudit } from '../audit/write';
import { inTransaction } from '../db/gate';
import { row, statement, type Db } from '../db/pool';
import type { PrincipalKind, Role } from '../roles';
import { afterChange, applyChange } from '../principals/change';
import { findPrincipal } from '../principals/read';
import { actorId, COLUMNS, HOST, nameKey, type Principal } from '../principals/record';
import { editRoster } from '../principals/roster';
import { writeToken, type IssuedToken } from './issue';

const ENSURE = statement(`
  INSERT INTO principal (name, name_key, kind, role) VALUES ($1, $2, $3, $4)
  ON CONFLICT (name_key) DO NOTHING RETURNING ${COLUMNS}`);

/**
 * For whoever has the machine: creates the principal of that name if it is missing, gives it
 * the role, reactivates it, and issues a token; the first operator comes to be so. An existing
 * principal keeps its kind.
 * @throws Problem `last-operator` when it would demote the last one
 */
export async function issueTokenByName(db: Db, input: { name: string; role: Role; kind: PrincipalKind }): Promise<IssuedToken> {
  const { name, role, kind } = input;
  const { issued, change } = await inTransaction(db, async (client) => {
    await editRoster(client);
    const created = await row<Principal>(client, ENSURE, [name, nameKey(name), kind, role]);
    if (created) {
      await writeAudit(client, { actorId: actorId(HOST), action: 'principal-created', target: created.id, details: { name, kind, role } });
    }
    const principal = created ?? (await findPrincipal(client, name));
    if (!principal) throw new Error('a principal is neither new nor known');
    const change = await applyChange(client, HOST, principal.id, { role, active: true });
    return { change, issued: await writeToken(client, HOST, change.after, { label: 'npm run token' }) };
  });
  await afterChange(db, change);
  return issued;
}
