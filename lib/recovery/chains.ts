import { isAlertOpen, raiseAlert } from '../alerts';
import type { Finding } from '../amendment';
import type { Db } from '../db/pool';
import { chains, verifyChain } from '../engine';

/**
 * BR-1, BR-6: verifies the checkpoint chains from their last verified point, or the whole; a break
 * raises an alert. A chain whose break is known, and waits for an operator, is not walked again.
 * @param tell is given each break that is new
 */
export async function checkChains(db: Db, tell: (finding: Finding) => void, options: { whole?: boolean; stopping?: AbortSignal } = {}): Promise<void> {
  for (const id of await chains(db, { unverified: !options.whole })) {
    if (options.stopping?.aborted) return;
    if (await isAlertOpen(db, id, 'chain-broken')) continue;
    if ((await verifyChain(db, id, options)).ok) continue;
    // An operator may have acknowledged the break during a long walk.
    const { ok, firstBad } = await verifyChain(db, id, options);
    if (ok || !(await raiseAlert(db, id, 'chain-broken', { ...firstBad }))) continue;
    tell({ what: 'checkpoint chain', id, proof: `checkpoint ${firstBad!.sequence}: ${firstBad!.reason}`, done: 'alert raised, closed to new passes and amendments' });
  }
}
