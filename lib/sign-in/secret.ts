import { randomBytes } from 'node:crypto';
import { row, rows, statement, type Queryable } from '../db/pool';

const KEEP = statement("INSERT INTO setting (key, value) VALUES ('session-secret', $1) ON CONFLICT (key) DO NOTHING");
const READ = statement("SELECT value FROM setting WHERE key = 'session-secret'");

/**
 * The secret that signs session cookies: `HOLDFAST_SECRET`, else one that is made once and
 * kept in the database, so that all instances and restarts share it.
 * @throws Error when `HOLDFAST_SECRET` is shorter than 32 characters
 */
export async function sessionSecret(q: Queryable): Promise<string> {
  const given = process.env.HOLDFAST_SECRET;
  if (given) {
    if (given.length < 32) throw new Error('HOLDFAST_SECRET must have at least 32 characters.');
    return given;
  }
  const kept = await row<{ value: string }>(q, READ);
  if (kept) return kept.value;
  await rows(q, KEEP, [randomBytes(32).toString('base64url')]);
  return (await row<{ value: string }>(q, READ))!.value;
}
