import { assertOpen } from '../db/fence';
import { row, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { notFound, Problem } from '../problems';
import { numberOf } from '../register/identifier';
import { draftOf, readDraftRow } from './read';

const LATEST = statement(`
  SELECT "grant" FROM draft WHERE container_id = $1 AND author_id = $2 AND number = $3 AND ($4::bigint IS NULL OR "grant" = $4)
  ORDER BY (state = 'open') DESC, "grant" DESC LIMIT 1`);
const DELETE = statement(`
  UPDATE draft SET state = 'deleted', at = $5
  WHERE container_id = $1 AND author_id = $2 AND number = $3 AND "grant" = $4 AND state = 'open' AND ($6::int IS NULL OR revision = $6)
  RETURNING revision`);

/**
 * Deletes one's own open draft: the one under `grant`, else the latest. Its history stays. It
 * carries no grant to be fenced by: drafts of ended grants are their author's too (LP-8).
 * @param base the revision that the caller saw, where it names one
 * @throws Problem `not-found`, `archived`, `container-closed`, `wrong-state` (state), `edit-conflict` (current), and those of `write`
 */
export function removeDraft(db: Db, slug: string, callerId: string, identifier: string, options: { grant?: number; base?: number } = {}): Promise<void> {
  return write(db, slug, callerId, 'shared', async ({ client, state }) => {
    const { container, now } = state;
    const number = numberOf(container.prefix, identifier);
    const latest = number === undefined ? undefined : await row<{ grant: number }>(client, LATEST, [container.id, callerId, number, options.grant ?? null]);
    if (!latest || number === undefined) throw notFound('draft');
    assertOpen(state);
    const base = options.base !== undefined && options.base >= 2 ** 31 ? 0 : options.base;
    if (await row(client, DELETE, [container.id, callerId, number, latest.grant, now, base ?? null])) return;
    const current = (await readDraftRow(client, container.id, callerId, latest.grant, number))!;
    if (current.state !== 'open') throw new Problem('wrong-state', `The draft is ${current.state}.`, { state: current.state });
    throw new Problem('edit-conflict', 'The draft has changed since you read it. Nothing was changed.', { current: draftOf(container.prefix, current) });
  });
}
