import type { PrincipalRef, Role } from '../roles';
import { Problem } from '../problems';

/** Who looks: a signed-in principal with its role, or nobody. */
export type Viewer = (PrincipalRef & { role: Role }) | undefined;

/**
 * P-2: containers that are not public need a sign-in. A missing one looks the same to
 * somebody who is not signed in.
 * @throws Problem `unauthenticated`, `not-found`
 */
export function assertReadable<C extends { public: boolean }>(container: C | undefined, viewer: Viewer): asserts container is C {
  if (!viewer && !container?.public) throw new Problem('unauthenticated', 'Sign in to read this container.');
  if (!container) throw new Problem('not-found', 'There is no such container.');
}
