import type pg from 'pg';
import { rows, statement } from '../db/pool';
import type { Instant } from '../time';
import { appendCheckpoints } from './checkpoint';
import { lockClausesOf } from './clause-lock';
import { PASS_COLUMNS, type Pass, type PassEnd } from './read';

const COMPLETE = statement(`UPDATE pass SET state = 'completed', ended_at = $2 WHERE id = ANY ($1::uuid[]) AND state = 'running' RETURNING id`);
const ABORT = statement(`UPDATE pass SET state = 'aborted', reason = $3::pass_end, ended_at = $2 WHERE id = ANY ($1::uuid[]) AND state = 'running' RETURNING id`);
const ENDED = statement(`SELECT ${PASS_COLUMNS} WHERE p.id = ANY ($1::uuid[]) ORDER BY p.id`);
const ARROWS = statement(`
  INSERT INTO arrow (container_id, id, pass_id)
  SELECT p.container_id, p.arrow_id, p.id FROM pass p WHERE p.id = ANY ($1::uuid[])
  ON CONFLICT (container_id, id) DO UPDATE SET pass_id = excluded.pass_id, invalidated = false, conservative = false`);

/**
 * Ends running passes of one container: takes their clauses' locks, by pass (T-4), and appends
 * each one's whole state to the checkpoint log in the same transaction (E-6). Passes that
 * have ended meanwhile are left out. The runner calls it, and lets the role locks go with it (N-2).
 * Who may wait for a mover takes the locks ahead (`lockClausesOf`), so that `at` comes after every move (T-1).
 * @param how `completed`, or why they are aborted
 * @returns those that ended here
 */
export async function endRunning(client: pg.PoolClient, containerId: string, passIds: string[], how: 'completed' | PassEnd, at: Instant): Promise<Pass[]> {
  if (passIds.length === 0) return [];
  await lockClausesOf(client, containerId, passIds);
  const ended = how === 'completed' ? await rows<{ id: string }>(client, COMPLETE, [passIds, at]) : await rows<{ id: string }>(client, ABORT, [passIds, at, how]);
  if (ended.length === 0) return [];
  const ids = ended.map((p) => p.id);
  if (how === 'completed') await rows(client, ARROWS, [ids]);
  const passes = await rows<Pass>(client, ENDED, [ids]);
  await appendCheckpoints(client, containerId, at, passes.map((pass) => ({ kind: 'pass', content: pass })));
  return passes;
}
