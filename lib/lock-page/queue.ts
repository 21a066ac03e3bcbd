import type { PrincipalRef } from '../roles';
import { rows, statement, type Queryable } from '../db/pool';
import type { Instant } from '../time';
import type { Waiter } from './turns';

/** A petition as the turns need it. */
export type QueuedPetition = Waiter & { principal: PrincipalRef; reason: string; revision: number; missed: number };

const READ = statement(`
  SELECT t.id, t.principal_id AS "principalId", t.at, t.ended_at AS "endedAt", t.reason, t.revision, t.missed,
    principal_ref(t.principal_id) AS principal
  FROM petition t
  WHERE t.container_id = $1 AND (t.state = 'waiting' OR (t.state = 'withdrawn' AND t.ended_at > $2))
  ORDER BY t.revision`);

/** T0 of Q-3: since when the lock is, or from when it will be, available. */
export const availableFrom = (page: { holderId: string | null; availableSince: Instant | null; expiresAt: Instant | null }): Instant =>
  (page.holderId === null ? page.availableSince : page.expiresAt)!;

/** The queue in revision order, with those withdrawn since `t0`. Read after the gate is taken. */
export const readQueue = (q: Queryable, containerId: string, t0: Instant): Promise<QueuedPetition[]> => rows<QueuedPetition>(q, READ, [containerId, t0]);
