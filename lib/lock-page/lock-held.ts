import type { State } from '../db/state';
import { Problem } from '../problems';

/** The refusal `lock-held`: who holds, why, under which grant, since and until when (LP-3). */
export const lockHeld = ({ page, holder }: Pick<State, 'page' | 'holder'>, detail: string): Problem =>
  new Problem('lock-held', detail, { holder, reason: page.reason, grant: page.grant, grantedAt: page.grantedAt, expiresAt: page.expiresAt });
