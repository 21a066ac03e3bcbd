import { writeAudit } from '../audit/write';
import { rows, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { invalidInput, Problem } from '../problems';
import { readLockWithin, type LockView } from './read';
import { assertBase, revise } from './revise';

const RESUME = statement(`
  UPDATE lock_page SET accepted_evidence = $2,
    revision = greatest(revision, (SELECT max(v.revision) FROM lock_revision v WHERE v.container_id = $1))
  WHERE container_id = $1 RETURNING revision`);

/**
 * LP-4: an operator lifts the next grant, so that none that a lost copy of the database gave
 * out can be given again. Opens a container that was closed because its record shows a later
 * grant than its page; grant and holder stay.
 * @param base the lock page's revision that the caller saw
 * @param input.nextGrant above the present next grant and above every grant on record
 * @throws Problem `forbidden`, `edit-conflict`, `archived`, `invalid-input`, and those of `write`
 */
export function reopen(db: Db, slug: string, callerId: string, base: number, input: { nextGrant: number; reason: string }): Promise<LockView> {
  return write(
    db,
    slug,
    callerId,
    'exclusive',
    async (gated) => {
      const { client, state } = gated;
      const { now, page, container, caller } = state;
      await assertBase(gated, base, 'reopen');
      if (container.archivedAt) throw new Problem('archived', 'This container is archived: it can be read, not written.');
      const above = Math.max(page.nextGrant, state.evidence);
      if (input.nextGrant <= above) throw invalidInput({ path: 'nextGrant', message: `must be above ${above}` });
      // A page that was put back alone may be behind its own history: its edits go on from there.
      const [resumed] = await rows<{ revision: number }>(client, RESUME, [container.id, state.evidence]);
      await revise(
        { client, state: { ...state, page: { ...page, revision: resumed!.revision } } },
        'reopen',
        { nextGrant: input.nextGrant },
        { summary: `${caller.name} lifted the next grant to ${input.nextGrant}`, reason: input.reason },
      );
      await writeAudit(client, {
        containerId: container.id,
        at: now,
        actorId: caller.id,
        action: 'reopen',
        target: 'lock',
        grant: page.grant,
        reason: input.reason,
        details: { operator: caller.name, nextGrant: input.nextGrant, was: page.nextGrant, onRecord: state.evidence },
      });
      return readLockWithin(client, container.id, now);
    },
    { role: 'operator' },
  );
}
