/** What a running instance does now and then. Nothing here decides a rule: each piece is idempotent. */
import { withdrawPetitionsOfUnable } from './collaboration/sweep';
import { tellTurns } from './collaboration/tell-turns';
import { readIncarnation } from './db/incarnation';
import { liftAllGrants } from './db/lift';
import type { Db } from './db/pool';
import { tellGrants } from './lock-page/tell-grants';
import { log } from './log';
import { purgeRateLimits } from './rate-limit/limit';
import { purgeSessions } from './sign-in/sessions';
import { purgeDeliveries, requeueLost } from './webhooks/deliver';

const SWEEP_MS = 30_000;
const TELL_MS = 2_000;
const PURGE_MS = 3_600_000;
const NEW_CONNECTION_MS = 1_000;

/** LP-4: lifts the grants of containers that another life of the database wrote last. */
export async function checkIncarnation(db: Db): Promise<void> {
  const lifted = await liftAllGrants(db, await readIncarnation(db));
  if (lifted.length > 0) log.warn({ event: 'grants-lifted', containers: lifted });
}

/** Starts the periodic work of an instance; gives what stops it. */
export function startMaintenance(db: Db): () => void {
  const guarded = (event: string, work: () => Promise<unknown>) => () => {
    work().catch((error: Error) => log.warn({ event, message: error.message }));
  };
  const sweep = setInterval(guarded('sweep-failed', () => withdrawPetitionsOfUnable(db)), SWEEP_MS);
  const turns = setInterval(guarded('turns-not-told', () => tellTurns(db)), TELL_MS);
  const grants = setInterval(guarded('grants-not-told', () => tellGrants(db)), TELL_MS);
  const requeue = setInterval(guarded('deliveries-not-requeued', () => requeueLost(db)), SWEEP_MS);
  const purge = setInterval(guarded('purge-failed', () => Promise.all([purgeRateLimits(db), purgeSessions(db), purgeDeliveries(db)])), PURGE_MS);
  // Connections that are made anew may lead to another life of the database (LP-4).
  let check: NodeJS.Timeout | undefined;
  const onConnect = () => {
    check ??= setTimeout(() => {
      check = undefined;
      guarded('incarnation-check-failed', () => checkIncarnation(db))();
    }, NEW_CONNECTION_MS);
  };
  db.on('connect', onConnect);
  return () => {
    clearInterval(sweep);
    clearInterval(turns);
    clearInterval(grants);
    clearInterval(requeue);
    clearInterval(purge);
    clearTimeout(check);
    db.off('connect', onConnect);
  };
}
