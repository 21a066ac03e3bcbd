/** whether a grant is good now, and the receipt when it is not. Pure. */
import { Problem, type ReceiptCode } from '../problems';
import type { State } from './state';

/** True while somebody holds: a holder, and now < expiresAt. */
export const isHeld = (page: { holderId: string | null; expiresAt: string | null }, now: string): boolean =>
  page.holderId !== null && page.expiresAt !== null && now < page.expiresAt;

const DETAIL: Record<ReceiptCode, string> = {
  'grant-unknown': 'No such grant was ever given here.',
  'grant-superseded': 'Another grant has been given since.',
  'grant-cleared': 'An operator cleared this grant after its holder fell silent.',
  'grant-released': 'This grant was released.',
  'not-holder': 'Somebody else holds this grant.',
  'grant-expired': 'This grant has run past its expiry.',
};

/** The first receipt that applies to `grant`, or undefined when the grant is good. */
export function refusalOf(state: State, grant: number, options: { anyPrincipal?: boolean } = {}): ReceiptCode | undefined {
  const { page, now, caller, endedBy } = state;
  if (grant > page.grant) return 'grant-unknown';
  if (grant < page.grant) return 'grant-superseded';
  if (page.holderId === null) return endedBy === 'clear' ? 'grant-cleared' : 'grant-released';
  if (!options.anyPrincipal && page.holderId !== caller.id) return 'not-holder';
  if (!isHeld(page, now)) return 'grant-expired';
  return undefined;
}

/**
 * The fence: passes only who holds, with the current grant, before its expiry.
 * @throws Problem one of the receipts, with yours, current, holder, since and until
 */
export function fence(state: State, grant: number): void {
  const code = refusalOf(state, grant);
  if (code) throw receipt(state, grant, code);
}

/** The refusal of R-2 as a Problem. */
export function receipt(state: State, grant: number, code: ReceiptCode): Problem {
  return new Problem(code, DETAIL[code], {
    yourGrant: grant,
    currentGrant: state.page.grant,
    holder: state.holder,
    grantedAt: state.page.grantedAt,
    expiresAt: state.page.expiresAt,
  });
}

/**
 * A container that is archived or closed takes no writes (P-2, LP-4).
 * @throws Problem `archived`, `container-closed`
 */
export function assertOpen(state: State): void {
  if (state.container.archivedAt) throw new Problem('archived', 'This container is archived: it can be read, not written.');
  if (state.closed) {
    throw new Problem('container-closed', 'The record shows a later grant than the lock page: an operator must re-open the container.', {
      reason: `grant ${state.evidence} is on record, the lock page is at ${state.page.grant}`,
    });
  }
}
