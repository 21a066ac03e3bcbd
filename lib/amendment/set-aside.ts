import type pg from 'pg';
import { rows, statement } from '../db/pool';
import type { Instant } from '../time';

const SET_ASIDE = statement(`
  UPDATE amendment SET state = 'needs-rejustification', decided_at = $3, outcome = $4
  WHERE container_id = $1 AND "grant" = $2 AND state IN ('queued', 'committing') RETURNING id`);

/** LP-6, LP-8: what a grant asked for and was not decided when it ended. Under the exclusive gate, so none is being committed. */
export const setAsideOfGrant = async (client: pg.PoolClient, containerId: string, grant: number, at: Instant, why: string): Promise<string[]> =>
  (await rows<{ id: string }>(client, SET_ASIDE, [containerId, grant, at, why])).map((a) => a.id);
