import type pg from 'pg';
import { row, rows, statement } from '../db/pool';
import { endRunning, type Pass, type PassEnd } from '../engine';
import type { Instant } from '../time';
import { dropRoleLocks } from './role-lock';

/**
 * Ends passes of one container, and lets their role locks go with them (N-2).
 * @returns those that ended here; others had ended before
 */
export async function endPasses(client: pg.PoolClient, containerId: string, passIds: string[], how: 'completed' | PassEnd, at: Instant): Promise<Pass[]> {
  const ended = await endRunning(client, containerId, passIds, how, at);
  if (ended.length > 0) await dropRoleLocks(client, ended.map((p) => p.id));
  return ended;
}

const OF_GRANT = statement(`SELECT id FROM pass WHERE container_id = $1 AND state = 'running' ORDER BY id`);

/** LP-6, LP-8: aborts all that runs in a container, when its grant ends. Under the exclusive gate. */
export async function endPassesOfGrant(client: pg.PoolClient, containerId: string, how: 'manual-stop' | 'grant-superseded', at: Instant): Promise<Pass[]> {
  const running = await rows<{ id: string }>(client, OF_GRANT, [containerId]);
  return endPasses(client, containerId, running.map((p) => p.id), how, at);
}

const ASSIGNED = statement(`
  SELECT EXISTS (SELECT 1 FROM block WHERE container_id = $1 AND "grant" = $2 AND assignee_id = $3 AND state = 'open') AS assigned`);

/** Whether a principal is the assignee of an open block of a grant (N-1). */
export const isAssignee = async (client: pg.PoolClient, containerId: string, grant: number, principalId: string): Promise<boolean> =>
  (await row<{ assigned: boolean }>(client, ASSIGNED, [containerId, grant, principalId]))!.assigned;
