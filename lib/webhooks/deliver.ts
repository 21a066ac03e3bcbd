/**
 * One try of a delivery: claimed by a checked update, sent with no transaction open, and its
 * outcome written together with the job of the next try. A delivery whose instance died on the
 * way is due again after a minute (`requeueLost`), so each is delivered at least once.
 */
import { writeAudit } from '../audit/write';
import { inTransaction } from '../db/gate';
import { row, rows, statement, type Db, type Queryable } from '../db/pool';
import type { Instant } from '../time';
import { closeAlertWhenWell, raiseWebhookAlert } from './alert';
import { SendError } from './address';
import { addJob, type DeliverJob, type Payload } from './emit';
import { originOf, type DeliveryState } from './record';
import { send, type Received } from './send';
import { signedHeaders } from './sign';

/** Seconds from a failed try to the next: twelve tries over about a day. */
export const BACKOFF_SECONDS = [5, 30, 120, 300, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 36_000] as const;
export const MAX_TRIES = BACKOFF_SECONDS.length + 1;
/** After so long without an outcome a try counts as lost. Far above the time that one may take. */
const LOST_SECONDS = 60;

const CLAIM = statement(`
  WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
  UPDATE webhook_delivery d SET attempts = d.attempts + 1, last_at = clock.now, next_at = clock.now + interval '${LOST_SECONDS} seconds'
  FROM webhook w, clock WHERE d.id = $1 AND w.id = d.webhook_id AND d.next_at <= clock.now
  RETURNING d.id, d.event_id AS "eventId", d.type, d.payload, d.attempts, d.last_at AS "lastAt", floor(extract(epoch FROM clock.now))::int8 AS seconds,
    w.id AS "webhookId", w.container_id AS "containerId", w.url, w.secret, w.active, w.allow_private AS "allowPrivate"`);
// Only the try that claimed it writes its outcome: one that was taken for lost does not.
const CONCLUDE = statement(`
  WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
  done AS (
    UPDATE webhook_delivery SET state = $4::delivery_state, status = $5, error = $6, excerpt = $7, attempts = attempts - $9::int,
      next_at = clock.now + make_interval(secs => $8)
    FROM clock WHERE id = $1 AND attempts = $2 AND last_at = $3 AND state IN ('queued', 'failed')
    RETURNING id, webhook_id, next_at
  )
  SELECT done.id, CASE WHEN done.next_at IS NOT NULL THEN ${addJob('done.id', 'done.webhook_id', 'done.next_at')} IS NOT NULL END AS again FROM done`);
const MARK = statement(`
  UPDATE webhook w SET last_state = $2::delivery_state, last_at = $3, active = w.active AND NOT $4, off_reason = CASE WHEN $4 THEN $5 ELSE w.off_reason END
  FROM (SELECT id, last_state FROM webhook WHERE id = $1) was WHERE w.id = was.id RETURNING was.last_state AS "lastState"`);
const SLUG = statement(`SELECT slug FROM container WHERE id = $1`);

type Claimed = {
  id: string;
  eventId: string;
  type: Payload['type'];
  payload: Payload;
  attempts: number;
  lastAt: Instant;
  seconds: number;
  webhookId: string;
  containerId: string;
  url: string;
  secret: string;
  active: boolean;
  allowPrivate: boolean;
};

type Outcome = { state: DeliveryState; received?: Received; error?: string; retryAfterSeconds?: number; putBack?: boolean; gone?: boolean };

/** Tries on their way from this process, by webhook: a slow receiver must not hold up the others. */
const busy = new Map<string, number>();
const MAX_AT_ONCE = 2;
const isBusy = (webhook: string): boolean => (busy.get(webhook) ?? 0) >= MAX_AT_ONCE;
/** Webhooks that have as many tries on their way from here as they may. */
export const busyWebhooks = (): string[] => [...busy.keys()].filter(isBusy);

const LATER = statement(`SELECT ${addJob('$1::uuid', '$2::uuid', `clock_timestamp() + interval '1 second'`)} IS NOT NULL AS added`);

/**
 * Tries the delivery of a job; a moment later, where its webhook has as many on their way as it
 * may. Those are left out when jobs are taken, so this is for jobs that were taken together.
 */
export async function deliverInTurn(db: Db, { delivery, webhook }: DeliverJob, stopping?: AbortSignal): Promise<void> {
  if (isBusy(webhook)) {
    await rows(db, LATER, [delivery, webhook]);
    return;
  }
  busy.set(webhook, (busy.get(webhook) ?? 0) + 1);
  try {
    await deliver(db, delivery, stopping);
  } finally {
    const left = busy.get(webhook)! - 1;
    if (left > 0) busy.set(webhook, left);
    else busy.delete(webhook);
  }
}

/**
 * Tries one delivery, if it is due and nobody else tries it.
 * @param stopping ends the try early; the delivery is put back then
 */
export async function deliver(db: Db, deliveryId: string, stopping?: AbortSignal): Promise<void> {
  const claimed = await row<Claimed>(db, CLAIM, [deliveryId]);
  if (!claimed) return;
  const outcome = await tryOnce(claimed, stopping);
  await inTransaction(db, (client) => conclude(client, claimed, outcome));
}

async function tryOnce(claimed: Claimed, stopping?: AbortSignal): Promise<Outcome> {
  const { active, type, url, secret, allowPrivate, eventId, seconds, payload } = claimed;
  if (!active && type !== 'ping') return { state: 'given-up', error: 'The webhook is switched off.' };
  try {
    const body = JSON.stringify(payload);
    return judge(claimed, await send(url, body, signedHeaders(secret, eventId, seconds, body), { allowPrivate, stopping }));
  } catch (error) {
    if (!(error instanceof SendError)) throw error;
    if (stopping?.aborted) return { state: 'queued', putBack: true, retryAfterSeconds: 0 };
    return { ...failed(claimed), error: error.message };
  }
}

function judge(claimed: Claimed, received: Received): Outcome {
  const { status } = received;
  if (status >= 200 && status < 300) return { state: 'delivered', received };
  if (status === 410) return { state: 'given-up', received, gone: true, error: 'It answered 410 Gone, so the webhook was switched off.' };
  const error = status >= 300 && status < 400 ? `It answered ${status}: redirects are not followed.` : `It answered ${status}.`;
  return { ...failed(claimed), received, error };
}

/** A ping is tried once: who sent it looks on. */
function failed({ attempts, type }: Claimed): Outcome {
  const retryAfterSeconds = type === 'ping' ? undefined : BACKOFF_SECONDS[attempts - 1];
  return retryAfterSeconds === undefined ? { state: 'given-up' } : { state: 'failed', retryAfterSeconds };
}

async function conclude(q: Queryable, claimed: Claimed, { state, received, error, retryAfterSeconds, putBack, gone }: Outcome): Promise<void> {
  const { id, attempts, lastAt, webhookId, containerId, type, active } = claimed;
  const stored = putBack && attempts > 1 ? 'failed' : state;
  const values = [id, attempts, lastAt, stored, received?.status ?? null, error ?? null, received?.excerpt ?? null, retryAfterSeconds ?? null, putBack ? 1 : 0];
  if (!(await row(q, CONCLUDE, values)) || putBack) return;
  if (!active && !received && type !== 'ping') return;
  const before = await row<{ lastState: DeliveryState | null }>(q, MARK, [webhookId, state, lastAt, gone ?? false, gone ? 'It answered 410 Gone.' : null]);
  if (!before) return;
  if (state === 'given-up' && (gone || type !== 'ping')) await tellGivenUp(q, claimed, gone ?? false, received?.status ?? null, error ?? '');
  else if (state === 'delivered' && before.lastState !== 'delivered') await closeAlertWhenWell(q, containerId);
}

async function tellGivenUp(q: Queryable, { containerId, webhookId, url, type, attempts, lastAt, eventId }: Claimed, gone: boolean, status: number | null, error: string): Promise<void> {
  const container = await row<{ slug: string }>(q, SLUG, [containerId]);
  await writeAudit(q, {
    at: lastAt,
    actorId: null,
    action: gone ? 'webhook-switched-off' : 'webhook-given-up',
    target: webhookId,
    details: { container: container!.slug, to: originOf(url), event: eventId, type, tries: attempts, status, why: error },
  });
  if (gone) await closeAlertWhenWell(q, containerId);
  else await raiseWebhookAlert(q, containerId, { id: webhookId, url }, error);
}

const LOST = statement(`
  SELECT d.id, ${addJob('d.id', 'd.webhook_id', 'd.next_at')} IS NOT NULL AS added
  FROM (SELECT id, webhook_id, next_at FROM webhook_delivery WHERE next_at < clock_timestamp() - interval '${LOST_SECONDS} seconds' ORDER BY next_at LIMIT 1000 OFFSET 0) d`);
const PURGE = statement(`
  DELETE FROM webhook_delivery WHERE next_at IS NULL AND at < clock_timestamp() - interval '30 days'`);

/**
 * Adds anew the jobs of deliveries that are long due: those of an instance that died on the
 * way, which the queue itself would hold back for hours. Idempotent: a delivery has one job.
 */
export const requeueLost = async (db: Db): Promise<number> => (await rows(db, LOST)).length;

/** Forgets deliveries that ended more than 30 days ago. */
export async function purgeDeliveries(db: Db): Promise<void> {
  await rows(db, PURGE);
}
