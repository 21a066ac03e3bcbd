/**
 * The amendment component owns the grid's versions, the FIFO of amendments, the mirror and the
 * grid write-lock. Whoever commits a grid change goes through here; whoever relies on the
 * current version pins it (`pinGrid`). Nothing else may reach past this file.
 */
export { startDecider, wakeDecider, decideQueue } from './decider';
export { followRebuilds, gridVersions, kickMirror } from './follow';
export { initGrid } from './init';
export { mirrorFolder, setMirrorRoot } from './mirror';
export { readAmendments, type Amendment, type AmendmentState } from './read';
export { rebuildGridMirror } from './rebuild';
export { recoverMirrors, releaseDeadWriteLocks, type Finding } from './recover';
export { requestAmendment, resubmitAmendment, type AmendmentInput } from './request';
export { setAsideOfGrant } from './set-aside';
export { pinGrid } from './write-lock';
