import { assertOpen, fence } from '../db/fence';
import { row, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import { invalidInput, notFound, Problem } from '../problems';
import { identifierOf, numberOf } from '../register/identifier';
import { draftOf, readDraftRow, type Draft } from './read';

// The check is in the write: a new draft only where none is open, a later revision only on its base.
const INSERT = statement(`
  WITH draft AS (
    INSERT INTO draft (container_id, "grant", author_id, number, title, body, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (container_id, "grant", author_id, number) DO UPDATE
      SET revision = draft.revision + 1, state = 'open', title = excluded.title, body = excluded.body, at = excluded.at, landing = NULL
      WHERE draft.state <> 'open'
    RETURNING *
  )
  INSERT INTO draft_revision (container_id, "grant", author_id, number, revision, at, summary, title, body)
  SELECT container_id, "grant", author_id, number, revision, at, $8, title, body FROM draft RETURNING revision`);
const UPDATE = statement(`
  WITH draft AS (
    UPDATE draft SET revision = revision + 1, title = $5, body = $6, at = $7
    WHERE container_id = $1 AND "grant" = $2 AND author_id = $3 AND number = $4 AND state = 'open' AND revision = $9
    RETURNING *
  )
  INSERT INTO draft_revision (container_id, "grant", author_id, number, revision, at, summary, title, body)
  SELECT container_id, "grant", author_id, number, revision, at, $8, title, body FROM draft RETURNING revision`);

export type DraftInput = { grant: number; title: string; body: string };

/**
 * saves the lead's draft of an entry under its grant, against the draft's revision.
 * @param base the revision that the caller saw; 0 for a new draft
 * @throws Problem `invalid-input` (a malformed identifier), a receipt of R-2, `edit-conflict` (current; null where there is none), `wrong-state` (state), `archived`, `container-closed`, and those of `write`
 */
export function saveDraft(db: Db, slug: string, callerId: string, identifier: string, base: number, input: DraftInput, summary = 'Saved'): Promise<Draft> {
  return write(db, slug, callerId, 'shared', (gated) => {
    const number = numberOf(gated.state.container.prefix, identifier);
    if (number === undefined) throw invalidInput({ path: 'identifier', message: `must be ${gated.state.container.prefix}- and a number without leading zeros` });
    return saveWithin(gated, number, base, input, summary);
  });
}

/**
 * LP-8: copies one's draft of an ended grant to the grant that one holds now, where no draft of that entry is open.
 * @throws Problem `not-found`, and those of `saveDraft`
 */
export function copyDraft(db: Db, slug: string, callerId: string, identifier: string, input: { from: number; grant: number }): Promise<Draft> {
  return write(db, slug, callerId, 'shared', async (gated) => {
    const { client, state } = gated;
    const number = numberOf(state.container.prefix, identifier);
    const source = number === undefined ? undefined : await readDraftRow(client, state.container.id, callerId, input.from, number);
    if (!source || number === undefined) throw notFound('draft');
    return saveWithin(gated, number, 0, { grant: input.grant, title: source.title, body: source.body }, `Copied from grant ${input.from}`);
  });
}

async function saveWithin({ client, state }: Gated, number: number, base: number, input: DraftInput, summary: string): Promise<Draft> {
  const { container, caller, now } = state;
  fence(state, input.grant);
  const values = [container.id, input.grant, caller.id, number, input.title, input.body, now, summary];
  const isBase = Number.isSafeInteger(base) && base >= 0 && base < 2 ** 31;
  const saved = !isBase ? undefined : base === 0 ? await row<{ revision: number }>(client, INSERT, values) : await row<{ revision: number }>(client, UPDATE, [...values, base]);
  const current = await readDraftRow(client, container.id, caller.id, input.grant, number);
  if (!saved) {
    if (current && current.state !== 'open' && base === current.revision) {
      throw new Problem('wrong-state', `The draft of ${identifierOf(container.prefix, number)} is ${current.state}.`, { state: current.state });
    }
    throw new Problem('edit-conflict', 'The draft has changed since you read it. Nothing was changed.', { current: current ? draftOf(container.prefix, current) : null });
  }
  assertOpen(state);
  return draftOf(container.prefix, current!);
}
