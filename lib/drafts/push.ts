import { rows, row, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { invalidInput, Problem } from '../problems';
import type { LandingEntry } from '../register/entries';
import { numberOf } from '../register/identifier';
import { landWithin } from '../register/land';
import type { Landing } from '../register/read';
import { draftOf, readDraftRow } from './read';

const LEASE = statement(`
  SELECT id FROM lease WHERE container_id = $1 AND state = 'active' AND "grant" = $2 AND ids @> $3::bigint
    AND NOT EXISTS (SELECT 1 FROM entry WHERE container_id = $1 AND number = $3)`);
const LANDED = statement(`
  UPDATE draft SET state = 'landed', landing = $5 WHERE container_id = $1 AND "grant" = $2 AND author_id = $3 AND number = ANY ($4::bigint[])`);

export type PushInput = {
  grant: number;
  message: string;
  /** The drafts to land, each at the revision that was shown. */
  drafts: { identifier: string; revision: number }[];
  keepLeases?: string[];
};

/**
 * pushes the lead's drafts as one landing. Each must still be at the revision that the
 * lead was shown. The drafts become `landed` in the landing's transaction.
 * @param key the idempotency key of this form, so that a double click lands once
 * @throws Problem `edit-conflict` (current: the draft that changed), `wrong-state`, `invalid-input`, and those of `land`
 */
export function pushDrafts(db: Db, slug: string, callerId: string, key: string, input: PushInput): Promise<Landing> {
  return write(db, slug, callerId, 'exclusive', async (gated) => {
    const { client, state } = gated;
    const { container } = state;
    const numbers: number[] = [];

    const entries = async (): Promise<LandingEntry[]> => {
      const found: LandingEntry[] = [];
      for (const [i, { identifier, revision }] of input.drafts.entries()) {
        const number = numberOf(container.prefix, identifier);
        const draft = number === undefined ? undefined : await readDraftRow(client, container.id, callerId, input.grant, number);
        if (number === undefined || !draft) throw invalidInput({ path: `drafts[${i}]`, message: `there is no draft of ${identifier} under this grant` });
        if (draft.state !== 'open') throw new Problem('wrong-state', `The draft of ${identifier} is ${draft.state}.`, { state: draft.state });
        if (draft.revision !== revision) {
          throw new Problem('edit-conflict', `The draft of ${identifier} has changed since you saw it. Nothing has landed.`, { current: draftOf(container.prefix, draft) });
        }
        numbers.push(number);
        const lease = await row<{ id: string }>(client, LEASE, [container.id, input.grant, number]);
        found.push({ identifier, title: draft.title, body: draft.body, ...(lease ? { leaseId: lease.id } : {}) });
      }
      return found;
    };

    const landing = await landWithin(gated, { ...input, key, body: input, entries });
    if (numbers.length > 0) await rows(client, LANDED, [container.id, input.grant, callerId, numbers, landing.sequence]);
    return landing;
  });
}
