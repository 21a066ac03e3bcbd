import { assertOpen, isHeld, receipt, refusalOf } from '../db/fence';
import { requireStep } from '../db/phase';
import { row, rows, statement, type Db } from '../db/pool';
import { forbidden, write, type Gated } from '../db/state';
import { invalidInput, notFound, Problem } from '../problems';
import type { Instant } from '../time';
import { lockClause } from './clause-lock';
import { isLegal, isVerdict, type ClauseStatus, type ClauseType } from './moves';
import type { PassEnd, PassState } from './read';

export type TransitionInput = { to: ClauseStatus; reason?: string; details?: unknown };
/** An accepted move as answers show it (section 10). */
export type Transition = { clause: string; from: ClauseStatus; to: ClauseStatus; at: Instant };

type Found = {
  status: ClauseStatus;
  type: ClauseType;
  moves: number;
  state: PassState;
  end: PassEnd | null;
  grant: number;
  starterId: string;
  leadId: string;
  isLatest: boolean;
};

// Read after the clause's lock was taken: nothing of it can change any more in this transaction.
const READ = statement(`
  SELECT c.status, c.type, c.moves, p.state, p.reason AS end, p."grant", p.starter_id AS "starterId", g.holder_id AS "leadId",
    EXISTS (SELECT 1 FROM arrow a WHERE a.container_id = p.container_id AND a.id = p.arrow_id AND a.pass_id = p.id AND NOT a.invalidated) AS "isLatest"
  FROM clause c JOIN pass p ON p.id = c.pass_id JOIN lock_grant g ON g.container_id = p.container_id AND g.number = p."grant"
  WHERE c.pass_id = $1 AND c.id = $2`);
const PASS = statement(`SELECT 1 AS found FROM pass WHERE container_id = $1 AND id = $2`);
const MOVE = statement(`
  WITH moved AS (
    UPDATE clause SET status = $3::clause_status, reason = $4, moves = moves + 1 WHERE pass_id = $1 AND id = $2 RETURNING moves
  )
  INSERT INTO transition (pass_id, clause_id, move, "from", "to", author_id, at, reason, details)
  SELECT $1, $2, moved.moves, $5::clause_status, $3::clause_status, $6, $7, $4, $8 FROM moved RETURNING move`);
const ATTEST = statement(`
  INSERT INTO attestation (pass_id, clause_id, move, verdict, by_id, at, reason, details) VALUES ($1, $2, $3, $4::clause_status, $5, $6, $7, $8)`);

/**
 * E-1 to E-3: moves a clause, under its lock. Legality is judged before authority. A verdict
 * on an attested clause is an operator's who is not its producer, needs no grant, and is
 * appended to the attestation log in the same transaction.
 * @throws Problem `recovering`, `not-found`, `unknown-clause`, `illegal-transition` (from, to), `producer-cannot-attest`, `forbidden`,
 *   `invalid-input`, `pass-not-running` (state, reason), a receipt of R-2, `archived`, `container-closed`, and those of `write`
 */
export async function propose(db: Db, slug: string, callerId: string, passId: string, clauseId: string, input: TransitionInput): Promise<Transition> {
  requireStep('engine');
  return write(db, slug, callerId, 'shared', (gated) => move(gated, passId, clauseId, input), {
    before: async (client, containerId) => void (await lockClause(client, containerId, passId, clauseId)),
  });
}

async function move(gated: Gated, passId: string, clauseId: string, input: TransitionInput): Promise<Transition> {
  const { client, state } = gated;
  const { container, caller, now } = state;
  if (!(await row(client, PASS, [container.id, passId]))) throw notFound('pass');
  const clause = await row<Found>(client, READ, [passId, clauseId]);
  if (!clause) throw new Problem('unknown-clause', `The pass has no clause ${clauseId}.`);
  if (!isLegal(clause.status, input.to)) {
    throw new Problem('illegal-transition', `A clause cannot go from ${clause.status} to ${input.to}.`, { from: clause.status, to: input.to });
  }
  const verdict = isVerdict(clause.type, input.to);
  assertAuthority(gated, clause, verdict);
  if (input.to === 'unevaluated' && !input.reason?.trim()) throw invalidInput({ path: 'reason', message: 'is required: say why it is not evaluated' });
  assertMovable(gated, clause, verdict);

  const details = input.details === undefined ? null : JSON.stringify(input.details);
  const reason = input.reason ?? null;
  const { move: number } = (await row<{ move: number }>(client, MOVE, [passId, clauseId, input.to, reason, clause.status, caller.id, now, details]))!;
  if (verdict) await rows(client, ATTEST, [passId, clauseId, number, input.to, caller.id, now, reason, details]);
  return { clause: clauseId, from: clause.status, to: input.to, at: now };
}

/** E-2: who may move. A pass's producers are its starter and the lead: the one of its grant, also once silent or gone, and the present one. */
function assertAuthority({ state }: Gated, clause: Found, verdict: boolean): void {
  const { caller, page, now } = state;
  const produces = caller.id === clause.starterId || caller.id === clause.leadId || (page.holderId === caller.id && isHeld(page, now));
  if (verdict && produces) throw new Problem('producer-cannot-attest', 'Who produces a pass does not attest it: ask another operator for the verdict.');
  if (verdict && caller.role !== 'operator') throw forbidden('operator');
  if (!verdict && !produces) throw new Problem('forbidden', 'Only the lead and whoever started the pass move its clauses.', { neededRole: 'coworker' });
}

/** E-3: a move only while its pass runs under the current grant; an operator's verdict also later. */
function assertMovable({ state }: Gated, clause: Found, verdict: boolean): void {
  const late = verdict && clause.state === 'completed' && clause.isLatest;
  if (clause.state !== 'running' && !late) {
    throw new Problem('pass-not-running', `The pass is ${clause.state}${clause.end ? `: ${clause.end}` : ''}.`, { state: clause.state, reason: clause.end });
  }
  const refusal = verdict ? undefined : refusalOf(state, clause.grant, { anyPrincipal: true });
  if (refusal) throw receipt(state, clause.grant, refusal);
  assertOpen(state);
}
