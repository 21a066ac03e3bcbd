import { row, rows, statement, type Queryable } from './db/pool';
import type { Instant } from './time';

/** What operators must look at. The first two close a container to new passes and amendments (BR-6). */
export type AlertKind = 'chain-broken' | 'grid-diverged' | 'amendment-queue-long' | 'webhook-given-up';
export const CLOSING: readonly AlertKind[] = ['chain-broken', 'grid-diverged'];
export type Alert = { id: number; container: string | null; kind: AlertKind; details: Record<string, unknown>; at: Instant };

const RAISE = statement(`
  INSERT INTO alert (container_id, kind, details, at) VALUES ($1, $2, $3, clock_timestamp())
  ON CONFLICT (container_id, kind) WHERE closed_at IS NULL DO NOTHING RETURNING id`);
const CLOSE = statement(`UPDATE alert SET closed_at = clock_timestamp() WHERE container_id = $1 AND kind = $2 AND closed_at IS NULL RETURNING id`);
const OPEN = statement(`
  SELECT a.id, c.slug AS container, a.kind, a.details, a.at FROM alert a LEFT JOIN container c ON c.id = a.container_id
  WHERE a.closed_at IS NULL ORDER BY a.id DESC LIMIT 500`);
const IS_OPEN = statement(`SELECT 1 AS open FROM alert WHERE container_id = $1 AND kind = $2 AND closed_at IS NULL`);
const CLOSING_OF = statement(`SELECT kind, details FROM alert WHERE container_id = $1 AND kind = ANY ($2) AND closed_at IS NULL ORDER BY id LIMIT 1`);

/** Raises an alert; one of a kind is open at a time. True when it is new. */
export const raiseAlert = async (q: Queryable, containerId: string, kind: AlertKind, details: Record<string, unknown>): Promise<boolean> =>
  (await row(q, RAISE, [containerId, kind, JSON.stringify(details)])) !== undefined;

/** Closes a container's open alert of a kind. True when there was one. */
export const closeAlert = async (q: Queryable, containerId: string, kind: AlertKind): Promise<boolean> => (await row(q, CLOSE, [containerId, kind])) !== undefined;

/** Whether a container's alert of a kind is open. */
export const isAlertOpen = async (q: Queryable, containerId: string, kind: AlertKind): Promise<boolean> => (await row(q, IS_OPEN, [containerId, kind])) !== undefined;

/** All open alerts, newest first. */
export const openAlerts = (q: Queryable): Promise<Alert[]> => rows<Alert>(q, OPEN);

/** The alert that closes a container to new passes and amendments, or undefined (BR-6). */
export const closingAlert = (q: Queryable, containerId: string): Promise<Pick<Alert, 'kind' | 'details'> | undefined> => row(q, CLOSING_OF, [containerId, CLOSING]);
