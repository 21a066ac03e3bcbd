import { row, rows, statement, type Queryable } from '../db/pool';
import { forbidden } from '../db/state';
import { notFound } from '../problems';
import { pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import { hasRole } from '../roles';
import type { Viewer } from '../containers/access';
import { uuid } from '../schemas/text';
import type { Instant } from '../time';
import { COLUMNS, DELIVERY_COLUMNS, type Delivery, type Webhook } from './record';

const CONTAINER = statement(`SELECT id FROM container WHERE slug = $1`);
const AT = statement(`SELECT created_at AS at FROM webhook WHERE id = $1 AND container_id = $2`);
const PAGE = statement(`
  SELECT ${COLUMNS} FROM webhook WHERE container_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid)) ORDER BY created_at DESC, id DESC LIMIT $4`);
const ONE = statement(`
  SELECT ${COLUMNS} FROM webhook WHERE id = $1 AND ($2::text IS NULL OR container_id = (SELECT c.id FROM container c WHERE c.slug = $2))`);
const DELIVERY_AT = statement(`SELECT at FROM webhook_delivery WHERE id = $1 AND webhook_id = $2`);
const DELIVERIES = statement(`
  SELECT ${DELIVERY_COLUMNS} FROM webhook_delivery WHERE webhook_id = $1 AND ($2::timestamptz IS NULL OR (at, id) < ($2, $3::uuid)) ORDER BY at DESC, id DESC LIMIT $4`);

function assertLooks(viewer: Viewer): void {
  if (!viewer || !hasRole(viewer.role, 'operator')) throw forbidden('operator');
}

/** Where a cursor, which is the last row's id, stands. @throws Problem `invalid-input` */
async function cursorAt(q: Queryable, find: typeof AT, cursor: string | undefined, of: string): Promise<Instant | null> {
  if (cursor === undefined) return null;
  const found = uuid.safeParse(cursor).success ? await row<{ at: Instant }>(q, find, [cursor, of]) : undefined;
  if (!found) throw unknownCursor();
  return found.at;
}

/**
 * A container's webhooks for operators, newest first; never with a secret.
 * @throws Problem `forbidden`, `not-found`, `invalid-input` (an unknown cursor)
 */
export async function readWebhooks(q: Queryable, slug: string, viewer: Viewer, { limit, cursor }: PageRequest): Promise<Page<Webhook>> {
  assertLooks(viewer);
  const container = await row<{ id: string }>(q, CONTAINER, [slug]);
  if (!container) throw notFound('container');
  const at = await cursorAt(q, AT, cursor, container.id);
  return pageOf(await rows<Webhook>(q, PAGE, [container.id, at, cursor ?? null, limit + 1]), limit, (w) => w.id);
}

/**
 * One webhook, for operators.
 * @param slug its container, where an address names one
 * @throws Problem `forbidden`, `not-found`
 */
export async function readWebhook(q: Queryable, id: string, viewer: Viewer, slug?: string): Promise<Webhook> {
  assertLooks(viewer);
  const found = uuid.safeParse(id).success ? await row<Webhook>(q, ONE, [id, slug ?? null]) : undefined;
  if (!found) throw notFound('webhook');
  return found;
}

/**
 * What was sent to a webhook, newest first, and how it went.
 * @throws Problem `forbidden`, `not-found`, `invalid-input` (an unknown cursor)
 */
export async function readDeliveries(q: Queryable, webhookId: string, viewer: Viewer, { limit, cursor }: PageRequest): Promise<Page<Delivery>> {
  await readWebhook(q, webhookId, viewer);
  const at = await cursorAt(q, DELIVERY_AT, cursor, webhookId);
  return pageOf(await rows<Delivery>(q, DELIVERIES, [webhookId, at, cursor ?? null, limit + 1]), limit, (d) => d.id);
}
