import { closingAlert, raiseAlert } from '../alerts';
import { assertOpen, fence } from '../db/fence';
import { requireStep } from '../db/phase';
import { row, rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import type { Dependency, Grid } from '../grid/document';
import { invalidInput, notFound, Problem } from '../problems';
import { hasRole } from '../roles';
import { wakeDecider } from './decider';
import { readAmendmentRow, type Amendment, type AmendmentState } from './read';

/** beyond this many waiting an alert is raised; a further one than `MAX_QUEUE` is refused. */
const LONG_QUEUE = 10;
const MAX_QUEUE = 100;

export type AmendmentInput = { grant?: number; baseVersion: number; changes: Dependency[]; grid: Grid; rationale: string };

// The grid's row is waited for here, so that places rise in the order of the commits, and before the clock is read, so that
// times follow places and a grant that ran out meanwhile is refused (T-1).
const TAKE_PLACE = statement(`UPDATE grid SET amendments = amendments + 1 WHERE container_id = $1 RETURNING amendments AS place, version`);
const WAITING = statement(`SELECT count(*) AS waiting FROM amendment WHERE container_id = $1 AND state = 'queued'`);
const INSERT = statement(`
  INSERT INTO amendment (container_id, place, author_id, "grant", base_version, changes, grid, rationale, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`);
const FIND = statement(`SELECT author_id AS "authorId", state FROM amendment WHERE container_id = $1 AND id = $2`);
const AGAIN = statement(`
  UPDATE amendment SET place = $3, "grant" = $4, base_version = $5, changes = $6, grid = $7, rationale = $8, state = 'queued', at = $9, decided_at = NULL, outcome = NULL
  WHERE id = $1 AND container_id = $2`);

/**
 * A-1: asks for an amendment: the lead, with its grant, or an operator. It queues in the order
 * of the requests' commits; with none ahead it is decided within a second.
 * @param input.grid validated by `parseGrid`
 * @throws Problem `recovering`, a receipt of R-2, `archived`, `container-closed`, `grid-missing`, `invalid-input`, `amendment-queue-full`, and those of `write`
 */
export function requestAmendment(db: Db, slug: string, callerId: string, input: AmendmentInput): Promise<Amendment> {
  return enqueue(db, slug, callerId, input, async ({ client, state }, place) => {
    const made = await row<{ id: string }>(client, INSERT, [state.container.id, place, callerId, ...valuesOf(input), state.now]);
    return made!.id;
  });
}

/**
 * its author submits an amendment that was set aside again, against the current version.
 * It takes a new place in the queue.
 * @throws Problem `not-found`, `forbidden`, `wrong-state` (state), and those of `requestAmendment`
 */
export function resubmitAmendment(db: Db, slug: string, callerId: string, id: string, input: AmendmentInput): Promise<Amendment> {
  const assertTheirs = async ({ client, state }: Gated): Promise<void> => {
    const found = await row<{ authorId: string; state: AmendmentState }>(client, FIND, [state.container.id, id]);
    if (!found) throw notFound('amendment');
    if (found.authorId !== callerId) throw new Problem('forbidden', 'Only its author submits an amendment again.', { neededRole: 'coworker' });
    if (found.state !== 'needs-rejustification') throw new Problem('wrong-state', `The amendment is ${found.state}.`, { state: found.state });
  };
  return enqueue(
    db,
    slug,
    callerId,
    input,
    async ({ client, state }, place) => {
      await rows(client, AGAIN, [id, state.container.id, place, ...valuesOf(input), state.now]);
      return id;
    },
    assertTheirs,
  );
}

const valuesOf = ({ grant, baseVersion, changes, grid, rationale }: AmendmentInput) => [grant ?? null, baseVersion, JSON.stringify(changes), JSON.stringify(grid), rationale];

/** Stores an amendment at the end of the queue, and has it decided. */
async function enqueue(
  db: Db,
  slug: string,
  callerId: string,
  input: AmendmentInput,
  store: (gated: Gated, place: number) => Promise<string>,
  check?: (gated: Gated) => Promise<void>,
): Promise<Amendment> {
  requireStep('amendment');
  let taken: Taken | undefined;
  const work = async (gated: Gated): Promise<Amendment> => {
    authorize(gated, input.grant);
    await check?.(gated);
    const place = await assertQueue(gated, taken, input.baseVersion);
    const { client, state } = gated;
    return (await readAmendmentRow(client, state.container.id, await store(gated, place)))!;
  };
  const amendment = await write(db, slug, callerId, 'shared', work, {
    before: async (client, containerId) => {
      taken = await row<Taken>(client, TAKE_PLACE, [containerId]);
    },
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

type Taken = { place: number; version: number };

/** BR-6, G-1, A-1, A-4: whether one more may queue. Gives its place. */
async function assertQueue({ client, state }: Gated, taken: Taken | undefined, baseVersion: number): Promise<number> {
  const { id } = state.container;
  const alert = await closingAlert(client, id);
  if (alert) throw new Problem('container-closed', 'An operator must look at this container first.', { reason: alert.kind });
  if (!taken) throw new Problem('grid-missing', 'This container has no grid yet: an operator makes it.');
  if (baseVersion > taken.version) throw invalidInput({ path: 'baseVersion', message: `must not be above the current version ${taken.version}` });
  const { waiting } = (await row<{ waiting: number }>(client, WAITING, [id]))!;
  if (waiting >= MAX_QUEUE) throw new Problem('amendment-queue-full', `${waiting} amendments are waiting already.`);
  if (waiting >= LONG_QUEUE) await raiseAlert(client, id, 'amendment-queue-long', { waiting: waiting + 1 });
  return taken.place;
}
