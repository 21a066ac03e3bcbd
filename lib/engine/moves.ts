/** The clause states and the only legal moves, within one pass (section 8). Pure. */

export const CLAUSE_STATES = ['pending', 'running', 'pass', 'fail', 'awaiting-attestation', 'insufficient-basis', 'unevaluated'] as const;
export type ClauseStatus = (typeof CLAUSE_STATES)[number];
export type ClauseType = 'machine' | 'attested';

const MOVES: Record<ClauseStatus, readonly ClauseStatus[]> = {
  pending: ['running', 'pass', 'fail', 'awaiting-attestation', 'unevaluated'],
  running: ['pass', 'fail', 'unevaluated'],
  'awaiting-attestation': ['pass', 'fail', 'insufficient-basis', 'unevaluated'],
  'insufficient-basis': ['awaiting-attestation', 'pass', 'fail'],
  pass: [],
  fail: [],
  unevaluated: [],
};

/** Whether a clause may move so (E-1). */
export const isLegal = (from: ClauseStatus, to: ClauseStatus): boolean => MOVES[from].includes(to);
/** Where a clause may go from here. */
export const movesFrom = (from: ClauseStatus): readonly ClauseStatus[] => MOVES[from];

/** On an attested clause these are verdicts (E-2). */
const VERDICTS: readonly ClauseStatus[] = ['pass', 'fail', 'insufficient-basis'];
export const isVerdict = (type: ClauseType, to: ClauseStatus): boolean => type === 'attested' && VERDICTS.includes(to);

/** Clauses that keep a pass from completing (N-2). */
export const isOpen = (status: ClauseStatus): boolean => status === 'pending' || status === 'running';
/** Clauses that wait for an attestation, and let a pass live on (BR-4). */
export const awaitsAttestation = (status: ClauseStatus): boolean => status === 'awaiting-attestation' || status === 'insufficient-basis';
