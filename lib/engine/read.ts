import { row, rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';
import type { ClauseStatus, ClauseType } from './moves';
import { arrowStatus, type ArrowStatus } from './status';

export type PassState = 'running' | 'completed' | 'aborted';
export type PassEnd = 'invalidated' | 'operator-interrupt' | 'crash' | 'manual-stop' | 'grant-superseded';
export type PassClause = { id: string; concept: string; type: ClauseType; status: ClauseStatus; reason: string | null };
/** A pass as answers show it (section 10). */
export type Pass = {
  id: string;
  arrow: string;
  role: string;
  context: string;
  gridVersion: number;
  grant: number;
  state: PassState;
  reason: PassEnd | null;
  startedAt: Instant;
  endedAt: Instant | null;
  starter: PrincipalRef;
  clauses: PassClause[];
};

export const PASS_COLUMNS = `
    p.id, p.arrow_id AS arrow, p.role, p.context, p.grid_version AS "gridVersion", p."grant", p.state, p.reason,
    p.started_at AS "startedAt", p.ended_at AS "endedAt", principal_ref(p.starter_id) AS starter,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', c.id, 'concept', c.concept, 'type', c.type, 'status', c.status, 'reason', c.reason) ORDER BY c.position)
      FROM clause c WHERE c.pass_id = p.id), '[]') AS clauses
  FROM pass p`;

const ONE = statement(`SELECT ${PASS_COLUMNS} WHERE p.container_id = $1 AND p.id = $2`);

/** One pass, or undefined. */
export const readPassRow = (q: Queryable, containerId: string, passId: string): Promise<Pass | undefined> => row<Pass>(q, ONE, [containerId, passId]);

/** What an arrow's status is derived from (E-4). */
export type ArrowState = { id: string; status: ArrowStatus; conservative: boolean; passId: string | null; clauses: { id: string; status: ClauseStatus }[] };

const ARROWS = statement(`
  SELECT a.id, a.invalidated, a.conservative, a.pass_id AS "passId",
    (SELECT jsonb_agg(jsonb_build_object('id', c.id, 'status', c.status) ORDER BY c.position) FROM clause c WHERE c.pass_id = a.pass_id) AS clauses
  FROM arrow a WHERE a.container_id = $1 AND ($2::text[] IS NULL OR a.id = ANY ($2))`);

/** The states of a container's arrows, or of those named; an arrow that was never touched is not among them. */
export async function readArrowStates(q: Queryable, containerId: string, ids: string[] | null = null): Promise<Map<string, ArrowState>> {
  type Row = { id: string; invalidated: boolean; conservative: boolean; passId: string | null; clauses: ArrowState['clauses'] | null };
  const found = await rows<Row>(q, ARROWS, [containerId, ids]);
  return new Map(
    found.map(({ id, invalidated, conservative, passId, clauses }) => [
      id,
      { id, status: arrowStatus(invalidated, passId === null ? undefined : (clauses ?? []).map((c) => c.status)), conservative, passId, clauses: clauses ?? [] },
    ]),
  );
}
