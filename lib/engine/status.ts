/** E-4 and E-5: arrow and project status are derived, purely, from each arrow's latest completed pass. */
import { awaitsAttestation, type ClauseStatus } from './moves';

export type ArrowStatus = 'invalidated' | 'blocked' | 'unevaluated' | 'provisional' | 'complete';

/**
 * An arrow's status.
 * @param clauses the clause states of its latest completed pass; undefined when none ever completed
 */
export function arrowStatus(invalidated: boolean, clauses: readonly ClauseStatus[] | undefined): ArrowStatus {
  if (invalidated) return 'invalidated';
  if (clauses?.includes('fail')) return 'blocked';
  if (!clauses || clauses.some((c) => c === 'unevaluated' || c === 'pending' || c === 'running')) return 'unevaluated';
  if (clauses.some(awaitsAttestation)) return 'provisional';
  return 'complete';
}

/** "Complete against grid vN: k of m arrows", and C, the unevaluated ones, which is never hidden (E-5). */
export type ProjectStatus = { version: number; complete: number; total: number; unevaluated: number };

export const projectStatus = (version: number, statuses: readonly ArrowStatus[]): ProjectStatus => ({
  version,
  complete: statuses.filter((s) => s === 'complete').length,
  total: statuses.length,
  unevaluated: statuses.filter((s) => s === 'unevaluated').length,
});
