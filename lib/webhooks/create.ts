import { writeAudit } from '../audit/write';
import { assertOpen } from '../db/fence';
import { row, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { invalidInput } from '../problems';
import { COLUMNS, originOf, type Webhook, type WebhookWithSecret } from './record';
import { urlFault } from './address';
import { newSecret } from './sign';

export type NewWebhook = { url: string; allowPrivate?: boolean };

/** A container tells each event to all of them: more would weigh on every write. */
const MAX_WEBHOOKS = 20;

const COUNT = statement(`SELECT count(*) AS n FROM webhook WHERE container_id = $1`);
const INSERT = statement(`
  INSERT INTO webhook (container_id, url, secret, allow_private, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${COLUMNS}`);

/** @throws Problem `invalid-input` that names the field */
export function assertUrl(url: string, allowPrivate: boolean): void {
  const message = urlFault(url, allowPrivate);
  if (message) throw invalidInput({ path: 'url', message });
}

/**
 * Adds a webhook to a container; operators only. Its secret is in this answer and in no other.
 * @throws Problem `invalid-input` (url), `archived`, `container-closed`, and those of `write`
 */
export function createWebhook(db: Db, slug: string, callerId: string, input: NewWebhook): Promise<WebhookWithSecret> {
  return write(
    db,
    slug,
    callerId,
    'exclusive',
    async ({ client, state }) => {
      const { container, now } = state;
      assertOpen(state);
      const allowPrivate = input.allowPrivate ?? false;
      assertUrl(input.url, allowPrivate);
      if ((await row<{ n: number }>(client, COUNT, [container.id]))!.n >= MAX_WEBHOOKS) {
        throw invalidInput({ path: 'url', message: `a container has at most ${MAX_WEBHOOKS} webhooks: remove one first` });
      }
      const secret = newSecret();
      const made = (await row<Webhook>(client, INSERT, [container.id, input.url, secret, allowPrivate, now, callerId]))!;
      // Of no container: a container's audit is read by all who read it, and where it sends is not theirs to know.
      await writeAudit(client, { at: now, actorId: callerId, action: 'webhook-created', target: made.id, details: { container: container.slug, to: originOf(made.url), allowPrivate } });
      return { ...made, secret };
    },
    { role: 'operator' },
  );
}
