import { writeAudit } from '../audit/write';
import { inTransaction } from '../db/gate';
import { row, statement, type Db } from '../db/pool';
import { notFound } from '../problems';
import { actorId, assertId, assertOperator, type Actor } from '../principals/record';

const REVOKE = statement(`
  UPDATE api_token t SET revoked_at = clock_timestamp() FROM principal p
  WHERE t.id = $1 AND t.revoked_at IS NULL AND p.id = t.principal_id
  RETURNING t.label, p.id AS principal, p.name`);
const EXISTS = statement('SELECT id FROM api_token WHERE id = $1');

/**
 * Revokes a token; operators only. It is refused from the commit on. Revoking it again changes
 * nothing and is no error.
 * @throws Problem `unauthenticated`, `forbidden`, `not-found`
 */
export async function revokeToken(db: Db, actor: Actor, id: string): Promise<void> {
  await inTransaction(db, async (client) => {
    await assertOperator(client, actor);
    assertId(id, 'token');
    const revoked = await row<{ label: string; principal: string; name: string }>(client, REVOKE, [id]);
    if (revoked) await writeAudit(client, { actorId: actorId(actor), action: 'token-revoked', target: id, details: revoked });
    else if (!(await row(client, EXISTS, [id]))) throw notFound('token');
  });
}
