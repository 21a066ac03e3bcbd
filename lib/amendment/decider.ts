/**
 * Who decides queued amendments: every instance looks, one at a time claims a container's
 * write-lock, decides the head of its queue, mirrors it, and lets go.
 */
import { inGate } from '../db/gate';
import { thisInstance } from '../db/phase';
import { row, rows, statement, type Db } from '../db/pool';
import { failpoint } from '../failpoint';
import { log } from '../log';
import type { Instant } from '../time';
import { closeAlert } from '../alerts';
import { decide } from './commit';
import { kickMirror, slugOf } from './follow';
import { claimWriteLock, heldWriteLocks, lockGrid, releaseWriteLock } from './write-lock';

const QUEUES = statement(`
  SELECT DISTINCT c.slug FROM amendment a JOIN container c ON c.id = a.container_id WHERE a.state = 'queued' AND c.archived_at IS NULL`);
// A container that is archived (P-2), or closed because the record shows a later grant than its page (LP-4), takes no writes.
const HEAD = statement(`
  SELECT a.id, clock_timestamp() AS now FROM amendment a JOIN container c ON c.id = a.container_id JOIN lock_page p ON p.container_id = c.id
  WHERE a.container_id = $1 AND a.state = 'queued' AND c.archived_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM landing r WHERE r.container_id = $1 AND r."grant" > greatest(p."grant", p.accepted_evidence))
    AND NOT EXISTS (SELECT 1 FROM lock_revision v WHERE v.container_id = $1 AND v."grant" > greatest(p."grant", p.accepted_evidence))
    AND NOT EXISTS (SELECT 1 FROM alert l WHERE l.container_id = $1 AND l.closed_at IS NULL AND l.kind IN ('chain-broken', 'grid-diverged'))
  ORDER BY a.place LIMIT 1`);
const COMMITTING = statement(`UPDATE amendment SET state = 'committing' WHERE id = $1 AND state = 'queued'`);
const WAITING = statement(`SELECT count(*) AS waiting FROM amendment WHERE container_id = $1 AND state = 'queued'`);

/** the alert of a long queue goes when this many or fewer wait. */
const SHORT_QUEUE = 10;

type Claimed = { containerId: string; amendmentId: string };

async function claimNext(db: Db, slug: string, instanceId: string): Promise<Claimed | undefined> {
  return inGate(db, slug, 'shared', async (client, { id: containerId }) => {
    await lockGrid(client, containerId);
    const head = await row<{ id: string; now: Instant }>(client, HEAD, [containerId]);
    if (!head || !(await claimWriteLock(client, containerId, head.id, instanceId, head.now))) return undefined;
    await rows(client, COMMITTING, [head.id]);
    return { containerId, amendmentId: head.id };
  });
}

/** Decides the amendments of one container, in order, until none is queued or another instance is at it. Gives how many. */
export async function decideQueue(db: Db, slug: string): Promise<number> {
  const instanceId = thisInstance();
  let decided = 0;
  for (;;) {
    const claimed = await claimNext(db, slug, instanceId);
    if (!claimed) return decided;
    failpoint('amendment-after-lock');
    try {
      const decision = await decide(db, slug, claimed.amendmentId, instanceId);
      failpoint('amendment-after-commit');
      if (decision?.state === 'committed') await kickMirror(db, claimed.containerId);
      const { waiting } = (await row<{ waiting: number }>(db, WAITING, [claimed.containerId]))!;
      if (waiting <= SHORT_QUEUE) await closeAlert(db, claimed.containerId, 'amendment-queue-long');
    } catch (error) {
      // Queued again; the next round, or another instance, decides it.
      await requeue(db, slug, claimed, instanceId);
      throw error;
    }
    await releaseWriteLock(db, { ...claimed, instanceId });
    decided++;
  }
}

const REQUEUE = statement(`UPDATE amendment SET state = 'queued' WHERE id = $1 AND state = 'committing'`);

/** BR-1: lets a write-lock go and queues its amendment again, at its old place, unless it had been decided. Undefined when it was let go before. */
export function requeue(db: Db, slug: string, lock: { containerId: string; amendmentId: string | null }, instanceId: string): Promise<'queued' | 'released' | undefined> {
  return inGate(db, slug, 'shared', async (client, { id }) => {
    await lockGrid(client, id);
    if (!(await releaseWriteLock(client, { ...lock, instanceId }))) return undefined;
    const queued = lock.amendmentId !== null && ((await client.query({ ...REQUEUE, values: [lock.amendmentId] })).rowCount ?? 0) > 0;
    return queued ? 'queued' : 'released';
  });
}

/** Lets go what an earlier round of this instance could not, because the database went away under it. */
async function requeueOwn(db: Db, active: ReadonlyMap<string, unknown>): Promise<void> {
  const self = thisInstance();
  for (const lock of await heldWriteLocks(db)) {
    const slug = await slugOf(db, lock.containerId);
    if (lock.instanceId === self && !active.has(slug)) await requeue(db, slug, lock, self);
  }
}

const SHORTENED = statement(`
  UPDATE alert l SET closed_at = clock_timestamp() WHERE l.kind = 'amendment-queue-long' AND l.closed_at IS NULL
    AND (SELECT count(*) FROM amendment a WHERE a.container_id = l.container_id AND a.state = 'queued') <= ${SHORT_QUEUE}`);

const POLL_MS = 500;
/** So many containers are decided at once, so that a slow one does not hold back the others. */
const LANES = 4;
const KEY = Symbol.for('holdfast.decider');
type Shared = typeof globalThis & { [KEY]?: () => void };

/** Has this instance look at the queues now. */
export const wakeDecider = (): void => (globalThis as Shared)[KEY]?.();

/** Starts deciding, now and every half second, so that what another instance left is not left for long. Gives what stops it, once its round is over. */
export function startDecider(db: Db): () => Promise<void> {
  let stopped = false;
  let round: Promise<void> | undefined;
  let again = false;
  let failed = false;
  /** Queues to be decided, in the order in which they were found. One that is being decided is looked at once more. */
  const waiting = new Set<string>();
  const active = new Map<string, Promise<void>>();
  const report = (error: Error) => {
    failed = true;
    log.warn({ event: 'amendments-not-decided', message: error.message });
  };
  const fillLanes = () => {
    for (const slug of waiting) {
      if (stopped || active.size >= LANES) return;
      if (active.has(slug)) continue;
      waiting.delete(slug);
      const done = decideQueue(db, slug)
        .catch(report)
        .then(() => {
          active.delete(slug);
          fillLanes();
        });
      active.set(slug, done);
    }
  };
  const look = async () => {
    if (failed) {
      failed = false;
      await requeueOwn(db, active);
    }
    // Also where the queue went with its grant, and nothing was decided.
    await rows(db, SHORTENED);
    for (const { slug } of await rows<{ slug: string }>(db, QUEUES)) waiting.add(slug);
    fillLanes();
  };
  const run = () => {
    if (stopped) return;
    if (round) {
      again = true;
      return;
    }
    again = false;
    round = look()
      .catch(report)
      .finally(() => {
        round = undefined;
        if (again) run();
      });
  };
  const timer = setInterval(run, POLL_MS);
  (globalThis as Shared)[KEY] = run;
  run();
  return async () => {
    stopped = true;
    clearInterval(timer);
    (globalThis as Shared)[KEY] = undefined;
    await round;
    await Promise.all(active.values());
  };
}
