import { closeAlert, raiseAlert } from '../alerts';
import { row, statement, type Queryable } from '../db/pool';
import { originOf } from './record';

const FAILING = statement(`SELECT 1 AS failing FROM webhook WHERE container_id = $1 AND active AND last_state = 'given-up' LIMIT 1`);

/** Raises the operators' alert for a webhook whose delivery was given up. */
export const raiseWebhookAlert = (q: Queryable, containerId: string, webhook: { id: string; url: string }, why: string): Promise<boolean> =>
  raiseAlert(q, containerId, 'webhook-given-up', { reason: `${originOf(webhook.url)}: ${why}`, webhook: webhook.id });

/** Closes the operators' alert once no active webhook of the container stands given up. */
export async function closeAlertWhenWell(q: Queryable, containerId: string): Promise<void> {
  if (!(await row(q, FAILING, [containerId]))) await closeAlert(q, containerId, 'webhook-given-up');
}
