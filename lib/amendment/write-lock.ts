/**
 * The third of the three locks: a container's grid write-lock, owned by the amendment component.
 * Two parts, because a commit spans transactions and a crash must leave a trace:
 *
 * - a *row*, who commits, from the claim of an amendment until its mirror is written. It
 *   names the instance, so that a dead holder is found and its amendment queued again (BR-1);
 * - a *transaction-level advisory lock*: exclusive for the write of v(N+1), shared (`pinGrid`) for
 *   whoever relies on the current version until its commit: a starting or completing pass. It
 *   is fair: a waiting commit holds back new pins (T-4).
 */
import type pg from 'pg';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { Instant } from '../time';

const CLASS = 0x48464c47; // "HFLG"

const PIN = statement(`SELECT pg_advisory_xact_lock_shared(${CLASS}, number) FROM container WHERE id = $1`);
const WRITE = statement(`SELECT pg_advisory_xact_lock(${CLASS}, number) FROM container WHERE id = $1`);

/** Pins the current grid version until the transaction ends: a commit of the next sees whoever holds the pin, or is seen by it (N-1). */
export async function pinGrid(client: pg.PoolClient, containerId: string): Promise<void> {
  await rows(client, PIN, [containerId]);
}

/** Takes the write-lock for the transaction that writes the next version. */
export async function lockGrid(client: pg.PoolClient, containerId: string): Promise<void> {
  await rows(client, WRITE, [containerId]);
}

export type WriteLock = { containerId: string; amendmentId: string | null; instanceId: string; takenAt: Instant };

const CLAIM = statement(`
  INSERT INTO grid_write_lock (container_id, amendment_id, instance_id, taken_at) VALUES ($1, $2, $3, $4) ON CONFLICT (container_id) DO NOTHING RETURNING container_id`);
const HELD = statement(`SELECT container_id AS "containerId", amendment_id AS "amendmentId", instance_id AS "instanceId", taken_at AS "takenAt" FROM grid_write_lock WHERE container_id = $1`);
const RELEASE = statement(`DELETE FROM grid_write_lock WHERE container_id = $1 AND instance_id = $2 AND amendment_id IS NOT DISTINCT FROM $3::uuid RETURNING container_id`);
const ALL = statement(`SELECT container_id AS "containerId", amendment_id AS "amendmentId", instance_id AS "instanceId", taken_at AS "takenAt" FROM grid_write_lock ORDER BY container_id`);

/** Claims the row; false where somebody holds it. */
export const claimWriteLock = async (q: Queryable, containerId: string, amendmentId: string | null, instanceId: string, at: Instant): Promise<boolean> =>
  (await row(q, CLAIM, [containerId, amendmentId, instanceId, at])) !== undefined;

export const writeLockOf = (q: Queryable, containerId: string): Promise<WriteLock | undefined> => row<WriteLock>(q, HELD, [containerId]);

/** Lets the row go, if it is still that instance's for that amendment. */
export const releaseWriteLock = async (q: Queryable, lock: Pick<WriteLock, 'containerId' | 'instanceId' | 'amendmentId'>): Promise<boolean> =>
  (await row(q, RELEASE, [lock.containerId, lock.instanceId, lock.amendmentId])) !== undefined;

/** Every write-lock that is held. */
export const heldWriteLocks = (q: Queryable): Promise<WriteLock[]> => rows<WriteLock>(q, ALL);
