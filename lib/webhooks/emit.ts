/**
 * What happens in a container, told to its webhooks: a delivery and its job are written in the
 * transaction of what happened, so that both are there exactly when it is.
 */
import { randomUUID } from 'node:crypto';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { Gated } from '../db/state';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';

export type EventType =
  | 'lock.acquired'
  | 'lock.released'
  | 'lock.cleared'
  | 'holder.silent'
  | 'petition.made'
  | 'petition.ended'
  | 'turn.begun'
  | 'landing.accepted'
  | 'landing.refused'
  | 'grant.ends-soon';

/** What a webhook is sent. `grant` and `holder` are those that the event is about; `data` is the event's own. */
export type Payload = {
  id: string;
  type: EventType | 'ping';
  at: Instant;
  container: { slug: string; title: string };
  grant: number;
  holder: PrincipalRef | null;
  data: Record<string, unknown>;
};

export type Event = Pick<Payload, 'type' | 'at' | 'grant' | 'holder' | 'data'>;

/** The job that delivers; `lib/webhooks/worker.ts` runs it. */
export const DELIVER = 'holdfast-deliver-webhook';
export type DeliverJob = { delivery: string; webhook: string };

/**
 * The call of the queue's own function that adds the job of a delivery, once for one delivery.
 * Its flag lets the worker leave a webhook out that is busy. All three are SQL.
 */
export const addJob = (delivery: string, webhook: string, at: string): string =>
  `graphile_worker.add_job('${DELIVER}', json_build_object('delivery', ${delivery}, 'webhook', ${webhook}), run_at => ${at},
      job_key => 'holdfast-delivery:' || ${delivery}, flags => ARRAY[${webhook}::text])`;

const HOOKED = statement(`
  SELECT c.slug, c.title FROM container c WHERE c.id = $1 AND EXISTS (SELECT 1 FROM webhook w WHERE w.container_id = c.id AND w.active)`);
const ADD = statement(`
  WITH made AS (
    INSERT INTO webhook_delivery (webhook_id, event_id, type, payload, at, next_at)
    SELECT w.id, $2, $3, $4, $5, $5 FROM webhook w WHERE w.container_id = $1 AND ($6::uuid IS NULL AND w.active OR w.id = $6)
    RETURNING id, webhook_id, next_at
  )
  SELECT made.id, ${addJob('made.id', 'made.webhook_id', 'made.next_at')} FROM made`);

/** Writes the deliveries of an event to the container's active webhooks, or to one, and their jobs. Gives their ids. */
export async function addDeliveries(q: Queryable, containerId: string, payload: Payload, webhookId?: string): Promise<string[]> {
  const made = await rows<{ id: string }>(q, ADD, [containerId, payload.id, payload.type, JSON.stringify(payload), payload.at, webhookId ?? null]);
  return made.map((d) => d.id);
}

/** Tells a container's webhooks of an event, from a transaction that has not read a state. Without an active webhook it is one look at an index. */
export async function emitIn(q: Queryable, containerId: string, event: Event): Promise<void> {
  const container = await row<Payload['container']>(q, HOOKED, [containerId]);
  if (!container) return;
  const { type, at, grant, holder, data } = event;
  await addDeliveries(q, containerId, { id: randomUUID(), type, at, container, grant, holder: holder && ref(holder), data });
}

/**
 * Tells a container's webhooks of an event of this write: its instant, and the page's grant and
 * holder as they were before it, unless told otherwise. Costs nothing where there is no webhook:
 * the write's state says so.
 */
export async function emit({ client, state }: Gated, type: EventType, data: Record<string, unknown>, about: Partial<Pick<Event, 'grant' | 'holder'>> = {}): Promise<void> {
  if (!state.hooked) return;
  await emitIn(client, state.container.id, { type, at: state.now, grant: about.grant ?? state.page.grant, holder: about.holder === undefined ? state.holder : about.holder, data });
}

/** A principal as payloads show it, without its role. */
export const ref = ({ id, name, kind }: PrincipalRef): PrincipalRef => ({ id, name, kind });
