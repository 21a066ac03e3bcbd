/**
 * The runner owns the passes' beginnings and ends and the (role, context) lock. Whoever spawns
 * a pass goes through `startPass`. Nothing else may reach past this file.
 */
export { abortPass, completePass } from './complete';
export { endPasses, endPassesOfGrant } from './end';
export { readPass, readPasses } from './read';
export { dropDeadRoleLocks, type DroppedLock } from './role-lock';
export { startPass } from './start';
