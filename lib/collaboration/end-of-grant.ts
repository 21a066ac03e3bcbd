import { row, statement } from '../db/pool';
import type { Gated } from '../db/state';
import { reviseCollaboration } from './revise';

const END = statement(`
  WITH leases AS (
    UPDATE lease SET state = 'reclaimed', reclaimed_at = $2 WHERE container_id = $1 AND state = 'active' RETURNING id
  ), blocks AS (
    UPDATE block SET state = 'closed', changed_at = $2 WHERE container_id = $1 AND state = 'open' RETURNING id
  )
  SELECT (SELECT count(*) FROM leases) AS leases, (SELECT count(*) FROM blocks) AS blocks`);

/** LP-6, LP-8: what ends with a grant. Its leases are reclaimed and its open blocks closed. */
export async function endWorkOfGrant(gated: Gated, why: string): Promise<{ leases: number; blocks: number }> {
  const { client, state } = gated;
  const ended = (await row<{ leases: number; blocks: number }>(client, END, [state.container.id, state.now]))!;
  if (ended.leases > 0 || ended.blocks > 0) {
    await reviseCollaboration(gated, {
      kind: 'reclaim',
      summary: `${why}: ${count(ended.leases, 'lease')} reclaimed, ${count(ended.blocks, 'block')} closed`,
    });
  }
  return ended;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
