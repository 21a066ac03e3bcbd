import { writeAudit } from '../audit/write';
import { inTransaction } from '../db/gate';
import { row, statement, type Db, type Queryable } from '../db/pool';
import { readPrincipal } from '../principals/read';
import { actorId, assertOperator, type Actor, type Principal } from '../principals/record';
import type { IssueToken } from '../schemas/principals';
import { COLUMNS, digestOf, newToken, type Token } from './record';

const DEFAULT_DAYS = 90;

const INSERT = statement(`
  INSERT INTO api_token (principal_id, label, hash, created_by, created_at, expires_at)
  SELECT $1, $2, $3, $4, t.now, t.now + make_interval(hours => 24 * $5::int) FROM (SELECT clock_timestamp() AS now) t
  RETURNING ${COLUMNS}`);

/** A token at the one moment that it can be read. */
export type IssuedToken = Token & { token: string };

/** Issues a token inside the caller's transaction, which has judged the actor. */
export async function writeToken(q: Queryable, actor: Actor, owner: Pick<Principal, 'id' | 'name'>, input: IssueToken): Promise<IssuedToken> {
  const token = newToken();
  const label = input.label ?? 'API token';
  const issued = await row<Token>(q, INSERT, [owner.id, label, digestOf(token), actorId(actor), input.expiresInDays ?? DEFAULT_DAYS]);
  if (!issued) throw new Error('the insert gave no row');
  await writeAudit(q, {
    actorId: actorId(actor),
    action: 'token-issued',
    target: issued.id,
    details: { principal: owner.id, name: owner.name, label, expiresAt: issued.expiresAt },
  });
  return { ...issued, token };
}

/**
 * Issues an API token for a principal; operators only. The token is in this answer and nowhere
 * else: only its SHA-256 is kept. It lasts 90 days unless told otherwise, 366 at most.
 * @throws Problem `unauthenticated`, `forbidden`, `not-found`
 */
export function issueToken(db: Db, actor: Actor, principalId: string, input: IssueToken): Promise<IssuedToken> {
  return inTransaction(db, async (client) => {
    await assertOperator(client, actor);
    return writeToken(client, actor, await readPrincipal(client, principalId), input);
  });
}
