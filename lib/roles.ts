/** Roles and how principals are shown (sections 1 and 10). Pure. */

export type Role = 'reader' | 'coworker' | 'operator';
export const ROLES: readonly Role[] = ['reader', 'coworker', 'operator'];
export type PrincipalKind = 'person' | 'agent';
/** People and agents as answers show them. */
export type PrincipalRef = { id: string; name: string; kind: PrincipalKind };

const RANK: Record<Role, number> = { reader: 0, coworker: 1, operator: 2 };
/** Each role includes the one before (section 1). */
export const hasRole = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed];
