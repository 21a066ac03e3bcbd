import { randomUUID } from 'node:crypto';
import { assertOpen } from '../db/fence';
import { row, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { notFound, Problem } from '../problems';
import { addDeliveries, addJob, type Payload } from './emit';
import { DELIVERY_COLUMNS, slugOf, type Delivery } from './record';

const WEBHOOK = statement(`SELECT c.slug, c.title FROM webhook w JOIN container c ON c.id = w.container_id WHERE w.id = $1 AND c.id = $2`);
const DELIVERY = statement(`SELECT ${DELIVERY_COLUMNS} FROM webhook_delivery WHERE id = $1`);
const PLACE = statement(`
  SELECT c.slug, w.active, d.state FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id JOIN container c ON c.id = w.container_id WHERE d.id = $1`);
// Its tries are counted anew: an operator looks on, and the receiver may have been away for days.
const RETRY = statement(`
  WITH again AS (
    UPDATE webhook_delivery d SET state = 'queued', attempts = 0, next_at = $2 FROM webhook w
    WHERE d.id = $1 AND w.id = d.webhook_id AND (w.active OR d.type = 'ping') RETURNING d.id, d.webhook_id, d.next_at
  )
  SELECT again.id, ${addJob('again.id', 'again.webhook_id', 'again.next_at')} IS NOT NULL AS added FROM again`);

/**
 * Sends a `ping` to one webhook, also to one that is switched off. It is tried once.
 * @throws Problem `not-found`, `archived`, `container-closed`, and those of `write`
 */
export async function pingWebhook(db: Db, callerId: string, id: string): Promise<Delivery> {
  return write(
    db,
    await slugOf(db, id),
    callerId,
    'shared',
    async ({ client, state }) => {
      const { container, now, page, holder, caller } = state;
      assertOpen(state);
      const place = await row<Payload['container']>(client, WEBHOOK, [id, container.id]);
      if (!place) throw notFound('webhook');
      const payload: Payload = { id: randomUUID(), type: 'ping', at: now, container: place, grant: page.grant, holder, data: { by: caller.name } };
      const [made] = await addDeliveries(client, container.id, payload, id);
      return (await row<Delivery>(client, DELIVERY, [made]))!;
    },
    { role: 'operator' },
  );
}

/**
 * Sends a delivery again now, whatever became of it, and counts its tries anew.
 * @throws Problem `not-found`, `wrong-state` (the webhook is switched off), and those of `write`
 */
export async function retryDelivery(db: Db, callerId: string, id: string): Promise<Delivery> {
  const place = await row<{ slug: string }>(db, PLACE, [id]);
  if (!place) throw notFound('delivery');
  return write(
    db,
    place.slug,
    callerId,
    'shared',
    async ({ client, state }) => {
      if (!(await row(client, RETRY, [id, state.now]))) {
        if (!(await row(client, PLACE, [id]))) throw notFound('delivery');
        throw new Problem('wrong-state', 'The webhook is switched off: switch it on first.', { state: 'off' });
      }
      return (await row<Delivery>(client, DELIVERY, [id]))!;
    },
    { role: 'operator' },
  );
}
