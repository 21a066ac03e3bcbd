import { setAsideOfGrant } from '../amendment';
import { row, statement } from '../db/pool';
import type { Gated } from '../db/state';
import { endPassesOfGrant } from '../runner';
import { reviseCollaboration } from './revise';

const END = statement(`
  WITH leases AS (
    UPDATE lease SET state = 'reclaimed', reclaimed_at = $2 WHERE container_id = $1 AND state = 'active' RETURNING id
  ), blocks AS (
    UPDATE block SET state = 'closed', changed_at = $2 WHERE container_id = $1 AND state = 'open' RETURNING id
  )
  SELECT (SELECT count(*) FROM leases) AS leases, (SELECT count(*) FROM blocks) AS blocks`);

/**
 * LP-6, LP-8: what ends with a grant, in the order of T-4: its amendments that were not decided
 * are set aside, its running passes aborted, its leases reclaimed and its open blocks closed.
 * Works during recovery too (BR-2). Under the exclusive gate.
 */
export async function endWorkOfGrant(gated: Gated, why: string, passes: 'manual-stop' | 'grant-superseded'): Promise<void> {
  const { client, state } = gated;
  const { container, page, now } = state;
  await setAsideOfGrant(client, container.id, page.grant, now, why);
  await endPassesOfGrant(client, container.id, passes, now);
  const ended = (await row<{ leases: number; blocks: number }>(client, END, [container.id, now]))!;
  if (ended.leases > 0 || ended.blocks > 0) {
    await reviseCollaboration(gated, {
      kind: 'reclaim',
      summary: `${why}: ${count(ended.leases, 'lease')} reclaimed, ${count(ended.blocks, 'block')} closed`,
    });
  }
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
