import { closeAlert } from '../alerts';
import { writeAudit } from '../audit/write';
import type { Db } from '../db/pool';
import { write } from '../db/state';
import { acknowledgeChain } from '../engine';

/**
 * BR-6: an operator takes a broken checkpoint chain as it stands, with a reason. It opens the
 * container again; what comes is judged from here.
 * @throws Problem `forbidden`, and those of `write`
 */
export function acknowledgeCheckpoints(db: Db, slug: string, callerId: string, input: { reason: string }): Promise<{ acknowledged: number }> {
  return write(
    db,
    slug,
    callerId,
    'shared',
    async ({ client, state }) => {
      const { container, now } = state;
      const acknowledged = await acknowledgeChain(client, container.id);
      const opened = await closeAlert(client, container.id, 'chain-broken');
      await writeAudit(client, { containerId: container.id, at: now, actorId: callerId, action: 'checkpoints-acknowledged', target: 'checkpoints', reason: input.reason, details: { acknowledged, opened } });
      return { acknowledged };
    },
    { role: 'operator' },
  );
}
