import { randomUUID } from 'node:crypto';
import { pinGrid } from '../amendment/write-lock';
import { closingAlert } from '../alerts';
import { assertOpen, isHeld, receipt, refusalOf } from '../db/fence';
import { requireStep, thisInstance } from '../db/phase';
import { row, rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import { readArrowStates, readPassRow, type Pass } from '../engine';
import type { GridArrow } from '../grid/document';
import { currentGrid, type GridVersion } from '../grid/read';
import { invalidInput, Problem } from '../problems';
import type { Instant } from '../time';
import { isAssignee } from './end';
import { takeRoleLock } from './role-lock';

const INSERT = statement(`
  INSERT INTO pass (id, container_id, arrow_id, role, context, grid_version, "grant", starter_id, started_at, instance_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const CLAUSES = statement(`
  INSERT INTO clause (pass_id, id, position, concept, type)
  SELECT $1, c.id, c.position, c.concept, c.type::clause_type FROM unnest($2::text[], $3::int[], $4::text[], $5::text[]) AS c (id, position, concept, type)`);
// The row is this transaction's own: nothing is waited for here, so its clock is the one after every wait.
const BEGIN_AT = statement(`UPDATE pass SET started_at = clock_timestamp() WHERE id = $1 RETURNING started_at AS now`);

/**
 * N-1: starts a pass of an arrow. The lead, or an assignee of an open block, under the current
 * grant; every required arrow complete; the (role, context) free. The grid version is pinned
 * through the amendment component. Nothing is left behind by a refusal.
 * @throws Problem `recovering`, a receipt of R-2, `archived`, `container-closed`, `grid-missing`, `invalid-input` (an arrow that the grid has not),
 *   `transition-refused` and `transition-refused-invalidated` (arrow, arrowStatus, blockingClauses), `single-active-role-violation` (pass), and those of `write`
 */
export async function startPass(db: Db, slug: string, callerId: string, input: { grant: number; arrow: string }): Promise<Pass> {
  requireStep('runner');
  return write(db, slug, callerId, 'shared', (gated) => start(gated, input), { before: pinGrid });
}

async function start(gated: Gated, input: { grant: number; arrow: string }): Promise<Pass> {
  const { client, state } = gated;
  const { container, caller, page, now } = state;
  const leads = page.holderId === caller.id && isHeld(page, now);
  const works = leads || (await isAssignee(client, container.id, page.grant, caller.id));
  const assertGrant = (at: Instant) => {
    const refusal = refusalOf({ ...state, now: at }, input.grant, { anyPrincipal: works });
    if (refusal) throw receipt(state, input.grant, refusal);
  };
  assertGrant(now);
  assertOpen(state);
  await assertNotClosed(gated);
  const grid = await currentGrid(client, container.id);
  if (!grid) throw new Problem('grid-missing', 'This container has no grid yet: an operator makes it.');
  const arrow = grid.grid.arrows.find((a) => a.id === input.arrow);
  if (!arrow) throw invalidInput({ path: 'arrow', message: `is not in grid v${grid.version}` });
  await assertRequired(gated, arrow);

  const id = randomUUID();
  await insertPass(gated, id, arrow, grid);
  const holder = await takeRoleLock(client, container.id, arrow.from, arrow.context, id);
  if (holder) {
    throw new Problem('single-active-role-violation', `${arrow.from} is at work in ${arrow.context} already.`, { pass: await readPassRow(client, container.id, holder) });
  }
  // The lock may have been waited for: the pass begins after that, and under a grant that is good then (T-1).
  assertGrant((await row<{ now: Instant }>(client, BEGIN_AT, [id]))!.now);
  return (await readPassRow(client, container.id, id))!;
}

/** BR-6: a broken chain or a diverged grid closes a container to new passes. */
async function assertNotClosed({ client, state }: Gated): Promise<void> {
  const alert = await closingAlert(client, state.container.id);
  if (alert) throw new Problem('container-closed', 'An operator must look at this container first.', { reason: alert.kind });
}

async function assertRequired({ client, state }: Gated, arrow: GridArrow): Promise<void> {
  if (arrow.requires.length === 0) return;
  const states = await readArrowStates(client, state.container.id, arrow.requires);
  for (const required of arrow.requires) {
    const found = states.get(required);
    const status = found?.status ?? 'unevaluated';
    if (status === 'complete') continue;
    const blocking = (found?.clauses ?? []).filter((c) => c.status !== 'pass').map((c) => ({ id: c.id, status: c.status }));
    throw new Problem(status === 'invalidated' ? 'transition-refused-invalidated' : 'transition-refused', `It requires ${required}, which is ${status}.`, {
      arrow: required,
      arrowStatus: status,
      blockingClauses: blocking,
    });
  }
}

async function insertPass({ client, state }: Gated, id: string, arrow: GridArrow, grid: GridVersion): Promise<void> {
  const { container, caller, page, now } = state;
  await rows(client, INSERT, [id, container.id, arrow.id, arrow.from, arrow.context, grid.version, page.grant, caller.id, now, thisInstance()]);
  const { clauses } = arrow;
  await rows(client, CLAUSES, [id, clauses.map((c) => c.id), clauses.map((_, i) => i), clauses.map((c) => c.concept), clauses.map((c) => c.type)]);
}

