import { writeAudit } from '../audit/write';
import { isUniqueViolation } from '../db/errors';
import { inTransaction } from '../db/gate';
import { row, statement, type Db } from '../db/pool';
import type { CreatePrincipal } from '../schemas/principals';
import { hashPassword, writePassword } from '../sign-in/password';
import { actorId, assertOperator, COLUMNS, nameKey, nameTaken, type Actor, type Principal } from './record';

const INSERT = statement(`INSERT INTO principal (name, name_key, kind, role) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`);

/**
 * Creates a principal; operators only (P-1: names are unique). Without a password it can only
 * use tokens. A person unless the input says otherwise.
 * @throws Problem `unauthenticated`, `forbidden`, `name-taken`
 */
export async function createPrincipal(db: Db, actor: Actor, input: CreatePrincipal): Promise<Principal> {
  await assertOperator(db, actor); // before the costly hash; judged again in the transaction
  const hash = input.password === undefined ? undefined : await hashPassword(input.password);
  try {
    return await inTransaction(db, async (client) => {
      await assertOperator(client, actor);
      const created = await row<Principal>(client, INSERT, [input.name, nameKey(input.name), input.kind ?? 'person', input.role]);
      if (!created) throw new Error('the insert gave no row');
      const { id, name, kind, role } = created;
      await writeAudit(client, { actorId: actorId(actor), action: 'principal-created', target: id, details: { name, kind, role } });
      if (hash !== undefined) {
        await writePassword(client, id, hash);
        await writeAudit(client, { actorId: actorId(actor), action: 'password-changed', target: id, details: { name } });
      }
      return created;
    });
  } catch (error) {
    throw isUniqueViolation(error, 'principal_name_key_key') ? nameTaken(input.name) : error;
  }
}
