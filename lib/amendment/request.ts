import { closingAlert, raiseAlert } from '../alerts';
import { assertOpen, fence } from '../db/fence';
import { requireStep } from '../db/phase';
import { row, rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import type { Dependency, Grid } from '../grid/document';
import { invalidInput, notFound, Problem } from '../problems';
import { hasRole } from '../roles';
import { wakeDecider } from './decider';
import { readAmendmentRow, type Amendment } from './read';

/** beyond this many waiting an alert is raised; a further one than `MAX_QUEUE` is refused. */
const LONG_QUEUE = 10;
const MAX_QUEUE = 100;

export type AmendmentInput = { grant?: number; baseVersion: number; changes: Dependency[]; grid: Grid; rationale: string };

// The grid's row is waited for here, so that places rise in the order of the commits.
const TAKE_PLACE = statement(`UPDATE grid SET amendments = amendments + 1 WHERE container_id = $1 RETURNING amendments AS place, version`);
const WAITING = statement(`SELECT count(*) AS waiting FROM amendment WHERE container_id = $1 AND state = 'queued'`);
const INSERT = statement(`
  INSERT INTO amendment (container_id, place, author_id, "grant", base_version, changes, grid, rationale, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`);
const FIND = statement(`SELECT author_id AS "authorId", state, "grant" FROM amendment WHERE container_id = $1 AND id = $2`);
const AGAIN = statement(`
  UPDATE amendment SET place = $3, "grant" = $4, base_version = $5, changes = $6, grid = $7, rationale = $8, state = 'queued', at = $9, decided_at = NULL, outcome = NULL
  WHERE id = $1 AND container_id = $2 AND state = 'needs-rejustification' RETURNING id`);

/**
 * A-1: asks for an amendment: the lead, with its grant, or an operator. It queues in the order
 * of the requests' commits; with none ahead it is decided within a second.
 * @param input.grid validated by `parseGrid`
 * @throws Problem `recovering`, a receipt of R-2, `archived`, `container-closed`, `grid-missing`, `invalid-input`, `amendment-queue-full`, and those of `write`
 */
export async function requestAmendment(db: Db, slug: string, callerId: string, input: AmendmentInput): Promise<Amendment> {
  requireStep('amendment');
  const amendment = await write(db, slug, callerId, 'shared', async (gated) => {
    authorize(gated, input.grant);
    const place = await takePlace(gated, input.baseVersion);
    const { client, state } = gated;
    const made = await row<{ id: string }>(client, INSERT, [
      state.container.id,
      place,
      callerId,
      input.grant ?? null,
      input.baseVersion,
      JSON.stringify(input.changes),
      JSON.stringify(input.grid),
      input.rationale,
      state.now,
    ]);
    return (await readAmendmentRow(client, state.container.id, made!.id))!;
  });
  wakeDecider();
  return amendment;
}

/**
 * its author submits an amendment that was set aside again, against the current version.
 * It takes a new place in the queue.
 * @throws Problem `not-found`, `forbidden`, `wrong-state` (state), and those of `requestAmendment`
 */
export async function resubmitAmendment(db: Db, slug: string, callerId: string, id: string, input: AmendmentInput): Promise<Amendment> {
  requireStep('amendment');
  const amendment = await write(db, slug, callerId, 'shared', async (gated) => {
    const { client, state } = gated;
    const { container, now } = state;
    if (input.grant !== undefined || !hasRole(state.caller.role, 'operator')) authorize(gated, input.grant);
    const found = await row<{ authorId: string; state: string }>(client, FIND, [container.id, id]);
    if (!found) throw notFound('amendment');
    if (found.authorId !== callerId) throw new Problem('forbidden', 'Only its author submits an amendment again.', { neededRole: 'coworker' });
    const place = await takePlace(gated, input.baseVersion);
    const values = [id, container.id, place, input.grant ?? null, input.baseVersion, JSON.stringify(input.changes), JSON.stringify(input.grid), input.rationale, now];
    if ((await rows(client, AGAIN, values)).length === 0) {
      const { state: is } = (await row<{ state: string }>(client, FIND, [container.id, id]))!;
      throw new Problem('wrong-state', `The amendment is ${is}.`, { state: is });
    }
    return (await readAmendmentRow(client, container.id, id))!;
  });
  wakeDecider();
  return amendment;
}

/** The lead with its grant, or an operator without one. */
function authorize({ state }: Gated, grant: number | undefined): void {
  if (grant !== undefined) fence(state, grant);
  else if (!hasRole(state.caller.role, 'operator')) throw invalidInput({ path: 'grant', message: 'is required' });
  assertOpen(state);
}

async function takePlace({ client, state }: Gated, baseVersion: number): Promise<number> {
  const { id } = state.container;
  const alert = await closingAlert(client, id);
  if (alert) throw new Problem('container-closed', 'An operator must look at this container first.', { reason: alert.kind });
  const taken = await row<{ place: number; version: number }>(client, TAKE_PLACE, [id]);
  if (!taken) throw new Problem('grid-missing', 'This container has no grid yet: an operator makes it.');
  if (baseVersion > taken.version) throw invalidInput({ path: 'baseVersion', message: `must not be above the current version ${taken.version}` });
  const { waiting } = (await row<{ waiting: number }>(client, WAITING, [id]))!;
  if (waiting >= MAX_QUEUE) throw new Problem('amendment-queue-full', `${waiting} amendments are waiting already.`);
  if (waiting >= LONG_QUEUE) await raiseAlert(client, id, 'amendment-queue-long', { waiting: waiting + 1 });
  return taken.place;
}
