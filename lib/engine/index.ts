/**
 * The engine owns the clauses of a pass and the per-clause transition lock. Every clause change
 * goes through `propose`; every end of a pass through `endRunning`. Nothing else may reach past this file.
 */
export { acknowledgeChain, appendCheckpoints, chains, verifyChain, type ChainVerdict } from './checkpoint';
export { lockClausesOf } from './clause-lock';
export { endRunning } from './end-passes';
export { awaitsAttestation, CLAUSE_STATES, isLegal, isOpen, isVerdict, movesFrom, type ClauseStatus, type ClauseType } from './moves';
export { propose, type Transition, type TransitionInput } from './propose';
export { PASS_COLUMNS, readArrowStates, readPassRow, type ArrowState, type Pass, type PassClause, type PassEnd, type PassState } from './read';
export { arrowStatus, projectStatus, type ArrowStatus, type ProjectStatus } from './status';
