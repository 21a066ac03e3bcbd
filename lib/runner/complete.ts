import { assertOpen, isHeld, receipt, refusalOf } from '../db/fence';
import { requireStep } from '../db/phase';
import type { Db } from '../db/pool';
import { write } from '../db/state';
import { isOpen, lockClausesOf, readPassRow, type Pass } from '../engine';
import { notFound, Problem } from '../problems';
import { pinGrid } from '../amendment/write-lock';
import { endPasses } from './end';

const notRunning = (pass: Pass): Problem =>
  new Problem('pass-not-running', `The pass is ${pass.state}${pass.reason ? `: ${pass.reason}` : ''}.`, { state: pass.state, reason: pass.reason });

/**
 * N-2: completes a pass. Its starter or the lead, under its grant (the starter fenced on the grant
 * and its expiry), once no clause is pending or running; attestations may be outstanding.
 * @throws Problem `recovering`, `not-found`, a receipt of R-2, `pass-not-running`, `clauses-open` (clauses), `archived`, `container-closed`, and those of `write`
 */
export async function completePass(db: Db, slug: string, callerId: string, passId: string, input: { grant: number }): Promise<Pass> {
  requireStep('engine');
  return write(
    db,
    slug,
    callerId,
    'shared',
    async ({ client, state }) => {
      const { container, caller, now } = state;
      const pass = await readPassRow(client, container.id, passId);
      if (!pass) throw notFound('pass');
      const refusal = refusalOf(state, input.grant, { anyPrincipal: pass.starter.id === caller.id });
      if (refusal) throw receipt(state, input.grant, refusal);
      assertOpen(state);
      if (pass.state !== 'running') throw notRunning(pass);
      const open = pass.clauses.filter((c) => isOpen(c.status)).map((c) => c.id);
      if (open.length > 0) throw new Problem('clauses-open', `Still open: ${open.join(', ')}.`, { clauses: open });
      return (await endPasses(client, container.id, [passId], 'completed', now))[0]!;
    },
    {
      before: async (client, containerId) => {
        await pinGrid(client, containerId);
        await lockClausesOf(client, containerId, [passId]);
      },
    },
  );
}

/**
 * N-2: aborts a running pass. The lead or an operator.
 * @throws Problem `recovering`, `not-found`, `forbidden`, `pass-not-running`, `archived`, `container-closed`, and those of `write`
 */
export async function abortPass(db: Db, slug: string, callerId: string, passId: string, input: { reason: 'manual-stop' | 'operator-interrupt' }): Promise<Pass> {
  requireStep('engine');
  return write(
    db,
    slug,
    callerId,
    'shared',
    async ({ client, state }) => {
      const { container, caller, page, now } = state;
      const pass = await readPassRow(client, container.id, passId);
      if (!pass) throw notFound('pass');
      const leads = page.holderId === caller.id && isHeld(page, now);
      if (!leads && caller.role !== 'operator') throw new Problem('forbidden', 'Only the lead or an operator aborts a pass.', { neededRole: 'operator' });
      assertOpen(state);
      if (pass.state !== 'running') throw notRunning(pass);
      return (await endPasses(client, container.id, [passId], input.reason, now))[0]!;
    },
    { before: (client, containerId) => lockClausesOf(client, containerId, [passId]) },
  );
}
