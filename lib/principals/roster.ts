/**
 * The roster of principals is a record that is edited by one at a time: every change of a role or a
 * state first counts itself in the roster's row, so that a second change waits for the first
 * and then decides, in statements of its own, on what the first left. Two demotions of the
 * last two operators thus cannot both count the other (P-1).
 */
import { rows, statement, type Queryable } from '../db/pool';
import { Problem } from '../problems';

const EDIT = statement(`
  INSERT INTO setting (key, value) VALUES ('roster-revision', '1')
  ON CONFLICT (key) DO UPDATE SET value = (setting.value::bigint + 1)::text`);
const OTHERS = statement("SELECT 1 FROM principal WHERE active AND role = 'operator' AND id <> $1 LIMIT 1");

/** Makes this transaction the roster's next edit. To be called before anything is read. */
export async function editRoster(q: Queryable): Promise<void> {
  await rows(q, EDIT);
}

/** Passes only while another active operator remains. @throws Problem `last-operator` */
export async function assertNotLastOperator(q: Queryable, id: string): Promise<void> {
  if ((await rows(q, OTHERS, [id])).length === 0) throw new Problem('last-operator', 'This is the last active operator: make another one first.');
}
