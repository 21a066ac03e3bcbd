import { writeAudit } from '../audit/write';
import { endWorkOfGrant } from '../collaboration/end-of-grant';
import { assertOpen, isHeld } from '../db/fence';
import { rows, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { writeNotice } from '../notices/write';
import { Problem } from '../problems';
import { emit, ref } from '../webhooks/emit';
import { cautionOf } from './badge';
import { readLockWithin, type LockView } from './read';
import { assertBase, revise } from './revise';
import { tellSilence } from './tell-silence';

const END = statement(`UPDATE lock_grant SET ended_at = $3, ended_by = 'clear' WHERE container_id = $1 AND number = $2`);

/**
 * LP-7: the operator's one intervention. Only while there is a silent holder, with the grant
 * being cleared and a reason. The audit line stands by itself; the caution stays on, and the
 * cleared grant can never land again (LP-8).
 * @param base the lock page's revision that the caller saw
 * @throws Problem `forbidden`, `grant-moved`, `edit-conflict`, `archived`, `container-closed`, `not-silent`, and those of `write`
 */
export function clear(db: Db, slug: string, callerId: string, base: number, input: { grant: number; reason: string }): Promise<LockView> {
  return write(
    db,
    slug,
    callerId,
    'exclusive',
    async (gated) => {
      const { client, state } = gated;
      const { now, page, container, caller, holder } = state;
      if (input.grant !== page.grant) {
        throw new Problem('grant-moved', `The page is at grant ${page.grant}, not ${input.grant}. Look again before you clear.`, { currentGrant: page.grant });
      }
      await assertBase(gated, base, 'clear');
      assertOpen(state);
      if (page.holderId === null) throw new Problem('not-silent', 'Nobody is on the lock page: there is nothing to clear.', { clearableAt: null });
      if (isHeld(page, now)) {
        throw new Problem('not-silent', `${holder?.name ?? 'The holder'} holds until ${page.expiresAt}; only a holder past its expiry can be cleared.`, {
          clearableAt: page.expiresAt,
        });
      }
      const caution = cautionOf(page, now);
      await rows(client, END, [container.id, page.grant, now]);
      await revise(
        gated,
        'clear',
        { holderId: null, reason: '', availableSince: page.expiresAt, cautionSince: caution.cautionSince, cautionGrant: caution.cautionGrant },
        { summary: `${caller.name} cleared grant ${page.grant} of ${holder?.name}`, reason: input.reason },
      );
      await tellSilence(
        client,
        { containerId: container.id, grant: page.grant, holder: holder!, expiresAt: page.expiresAt!, lastBeatAt: page.lastBeatAt },
        now,
        { how: 'cleared', by: caller.name },
      );
      await endWorkOfGrant(gated, `Grant ${page.grant} was cleared`, 'grant-superseded');
      await writeAudit(client, {
        containerId: container.id,
        at: now,
        actorId: caller.id,
        action: 'clear',
        target: 'lock',
        grant: page.grant,
        reason: input.reason,
        details: { operator: caller.name, holder, grantedAt: page.grantedAt, lastBeatAt: page.lastBeatAt, expiresAt: page.expiresAt, heldBecause: page.reason },
      });
      await writeNotice(client, {
        principalId: page.holderId,
        containerId: container.id,
        kind: 'lock-cleared',
        details: { grant: page.grant, by: caller.name, reason: input.reason },
        at: now,
      });
      await emit(gated, 'lock.cleared', { by: ref(caller), reason: input.reason, grantedAt: page.grantedAt, lastBeatAt: page.lastBeatAt, expiresAt: page.expiresAt });
      return readLockWithin(client, container.id, now);
    },
    { role: 'operator' },
  );
}
