import { writeAudit } from '../audit/write';
import { row, rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import { notFound } from '../problems';
import { closeAlertWhenWell } from './alert';
import { assertUrl } from './create';
import { COLUMNS, originOf, slugOf, type Webhook, type WebhookWithSecret } from './record';
import { newSecret } from './sign';

export type WebhookChange = { url?: string; active?: boolean; allowPrivate?: boolean };

const FIND = statement(`SELECT ${COLUMNS} FROM webhook WHERE id = $1 AND container_id = $2`);
const CHANGE = statement(`
  UPDATE webhook SET url = $2, active = $3, allow_private = $4, off_reason = CASE WHEN $3 THEN NULL ELSE off_reason END WHERE id = $1 RETURNING ${COLUMNS}`);
const ROTATE = statement(`UPDATE webhook SET secret = $2 WHERE id = $1 RETURNING ${COLUMNS}`);
const DELETE = statement(`DELETE FROM webhook WHERE id = $1`);

/** Runs a change of one webhook under its container's gate, for an operator. */
async function editWebhook<T>(db: Db, callerId: string, id: string, work: (gated: Gated, before: Webhook) => Promise<T>): Promise<T> {
  return write(
    db,
    await slugOf(db, id),
    callerId,
    'exclusive',
    async (gated) => {
      const before = await row<Webhook>(gated.client, FIND, [id, gated.state.container.id]);
      if (!before) throw notFound('webhook');
      return work(gated, before);
    },
    { role: 'operator' },
  );
}

const audit = ({ client, state }: Gated, action: 'webhook-changed' | 'webhook-removed' | 'webhook-secret-rotated', webhook: Webhook, details: Record<string, unknown> = {}) =>
  writeAudit(client, { at: state.now, actorId: state.caller.id, action, target: webhook.id, details: { container: state.container.slug, to: originOf(webhook.url), ...details } });

/**
 * Changes where a webhook sends, whether it does, and whether private addresses are allowed it.
 * @throws Problem `not-found`, `invalid-input` (url), and those of `write`
 */
export function changeWebhook(db: Db, callerId: string, id: string, change: WebhookChange): Promise<Webhook> {
  return editWebhook(db, callerId, id, async (gated, before) => {
    const after = { url: change.url ?? before.url, active: change.active ?? before.active, allowPrivate: change.allowPrivate ?? before.allowPrivate };
    assertUrl(after.url, after.allowPrivate);
    const changed = (await row<Webhook>(gated.client, CHANGE, [id, after.url, after.active, after.allowPrivate]))!;
    await audit(gated, 'webhook-changed', changed, {
      ...(after.url !== before.url ? { from: originOf(before.url) } : {}),
      ...(after.active !== before.active ? { active: after.active } : {}),
      ...(after.allowPrivate !== before.allowPrivate ? { allowPrivate: after.allowPrivate } : {}),
    });
    await closeAlertWhenWell(gated.client, gated.state.container.id);
    return changed;
  });
}

/**
 * Gives a webhook a new secret, which is in this answer and in no other. The old one signs
 * nothing from now on.
 * @throws Problem `not-found`, and those of `write`
 */
export function rotateSecret(db: Db, callerId: string, id: string): Promise<WebhookWithSecret> {
  return editWebhook(db, callerId, id, async (gated) => {
    const secret = newSecret();
    const webhook = (await row<Webhook>(gated.client, ROTATE, [id, secret]))!;
    await audit(gated, 'webhook-secret-rotated', webhook);
    return { ...webhook, secret };
  });
}

/**
 * Removes a webhook with its log; what was on its way to it is dropped.
 * @throws Problem `not-found`, and those of `write`
 */
export async function removeWebhook(db: Db, callerId: string, id: string): Promise<void> {
  await editWebhook(db, callerId, id, async (gated, webhook) => {
    await rows(gated.client, DELETE, [id]);
    await audit(gated, 'webhook-removed', webhook);
    await closeAlertWhenWell(gated.client, gated.state.container.id);
  });
}
