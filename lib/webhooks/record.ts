/** What is known of a webhook and of a delivery, and who may look. */
import type { Queryable } from '../db/pool';
import { row, statement } from '../db/pool';
import { notFound } from '../problems';
import type { Instant } from '../time';

export const DELIVERY_STATES = ['queued', 'delivered', 'failed', 'given-up'] as const;
/** `queued`: not tried yet; `failed`: will be tried again; `given-up`: will not. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A webhook as operators see it: never with its secret. */
export type Webhook = {
  id: string;
  url: string;
  active: boolean;
  allowPrivate: boolean;
  createdAt: Instant;
  /** How its latest try went, and when. */
  lastState: DeliveryState | null;
  lastAt: Instant | null;
  /** Why Holdfast itself switched it off. */
  offReason: string | null;
};

/** A webhook at the moment that its secret can be read. */
export type WebhookWithSecret = Webhook & { secret: string };

export type Delivery = {
  id: string;
  /** The id that its receiver gets, the same at each try. */
  event: string;
  type: string;
  state: DeliveryState;
  attempts: number;
  at: Instant;
  lastAt: Instant | null;
  nextAt: Instant | null;
  status: number | null;
  error: string | null;
  excerpt: string | null;
};

export const COLUMNS = `id, url, active, allow_private AS "allowPrivate", created_at AS "createdAt", last_state AS "lastState", last_at AS "lastAt", off_reason AS "offReason"`;
export const DELIVERY_COLUMNS = `id, event_id AS event, type, state, attempts, at, last_at AS "lastAt", next_at AS "nextAt", status, error, excerpt`;

/** A URL as audit lines and alerts may tell it: paths and queries of webhooks are often secrets. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '?');

const SLUG = statement(`SELECT c.slug FROM webhook w JOIN container c ON c.id = w.container_id WHERE w.id = $1`);

/** The slug of a webhook's container, whose gate its changes take. @throws Problem `not-found` */
export async function slugOf(q: Queryable, webhookId: string): Promise<string> {
  const found = await row<{ slug: string }>(q, SLUG, [webhookId]);
  if (!found) throw notFound('webhook');
  return found.slug;
}
