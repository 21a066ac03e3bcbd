import { endWorkOfGrant } from '../collaboration/end-of-grant';
import { settlePetitions } from '../collaboration/settle';
import { writeAudit } from '../audit/write';
import { assertOpen, isHeld } from '../db/fence';
import { rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import { writeNotice } from '../notices/write';
import { Problem } from '../problems';
import { plusSeconds } from '../time';
import { emit, ref } from '../webhooks/emit';
import { cautionOf } from './badge';
import { lockHeld } from './lock-held';
import { availableFrom, readQueue, type QueuedPetition } from './queue';
import { readLockWithin, type LockView } from './read';
import { assertBase, revise } from './revise';
import { tellSilence } from './tell-silence';
import { layTurns, runningTurn, turnOf, type Turns } from './turns';

const END_SILENT = statement(`UPDATE lock_grant SET ended_at = $3, ended_by = 'silence' WHERE container_id = $1 AND number = $2 AND ended_at IS NULL`);
const BEGIN_GRANT = statement(`INSERT INTO lock_grant (container_id, number, holder_id, reason, granted_at) VALUES ($1, $2, $3, $4, $5)`);

/**
 * LP-3: acquires the lock by an edit of the lock page against its base revision.
 *
 * Only while nobody holds and when the caller's turn has begun. Gives the caller the
 * page's next grant; a silent predecessor's leases, blocks and grant end in the same
 * transaction (LP-8), and the caller's petition becomes `granted`.
 * @param base the lock page's revision that the caller saw
 * @throws Problem `edit-conflict`, `archived`, `container-closed`, `lock-held`, `not-your-turn`, and those of `write`
 */
export function acquire(db: Db, slug: string, callerId: string, base: number, input: { reason?: string }): Promise<LockView> {
  return write(db, slug, callerId, 'exclusive', async (gated) => {
    const { client, state } = gated;
    const { now, page, caller, container } = state;
    await assertBase(gated, base, 'acquire');
    assertOpen(state);
    if (isHeld(page, now)) {
      const who = page.holderId === caller.id ? 'You hold the lock already' : `${state.holder!.name} holds the lock`;
      throw lockHeld(state, `${who}, until ${page.expiresAt}.`);
    }
    const turns = layTurns(availableFrom(page), page.windowSeconds, await readQueue(client, container.id, availableFrom(page)));
    assertTurn(gated, turns);

    const petition = turns.slots.find((s) => s.waiter.principalId === caller.id)?.waiter;
    const grant = page.nextGrant;
    const reason = input.reason ?? petition?.reason ?? '';
    const caution = cautionOf(page, now);

    if (page.holderId !== null) await endSilentGrant(gated);
    await rows(client, BEGIN_GRANT, [container.id, grant, caller.id, reason, now]);
    await revise(
      gated,
      'acquire',
      {
        holderId: caller.id,
        reason,
        grant,
        nextGrant: grant + 1,
        grantedAt: now,
        lastBeatAt: now,
        expiresAt: plusSeconds(now, container.termSeconds),
        availableSince: null,
        cautionSince: caution.cautionSince,
        cautionGrant: caution.cautionGrant,
        grantTermSeconds: container.termSeconds,
        windowSeconds: container.windowSeconds,
      },
      { summary: `${caller.name} acquired the lock with grant ${grant}` },
    );
    await emit(gated, 'lock.acquired', { reason, expiresAt: plusSeconds(now, container.termSeconds) }, { grant, holder: ref(caller) });
    await settlePetitions(gated, turns, grant);
    await writeAudit(client, { containerId: container.id, at: now, actorId: caller.id, action: 'acquire', target: 'lock', grant, reason });
    return readLockWithin(client, container.id, now);
  });
}

function assertTurn({ state }: Gated, turns: Turns<QueuedPetition>): void {
  const begins = turnOf(turns, state.caller.id);
  if (begins <= state.now) return;
  const running = runningTurn(turns, state.now);
  throw new Problem('not-your-turn', `It is not your turn yet: it begins at ${begins}.`, {
    turnOf: running?.waiter.principal ?? null,
    yourTurnAt: begins,
  });
}

async function endSilentGrant(gated: Gated): Promise<void> {
  const { client, state } = gated;
  const { page, container, now, caller } = state;
  await rows(client, END_SILENT, [container.id, page.grant, now]);
  await tellSilence(
    client,
    { containerId: container.id, grant: page.grant, holder: state.holder!, expiresAt: page.expiresAt!, lastBeatAt: page.lastBeatAt },
    now,
    { how: 'superseded', by: caller.name },
  );
  await endWorkOfGrant(gated, `Grant ${page.grant} ended by silence`, 'grant-superseded');
  if (page.holderId !== caller.id) {
    await writeNotice(client, {
      principalId: page.holderId!,
      containerId: container.id,
      kind: 'grant-superseded',
      details: { grant: page.grant, by: caller.name, expiresAt: page.expiresAt },
      at: now,
    });
  }
}
