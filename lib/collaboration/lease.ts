/** L-1 to L-4: identifiers, and the ranges of them that the lead hands out. */
import { assertOpen, fence } from '../db/fence';
import { isExclusionViolation } from '../db/errors';
import { row, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import { writeNotice } from '../notices/write';
import { invalidInput, Problem } from '../problems';
import { assertAbleToWork } from './assignee';
import { readLease, type Lease } from './read';
import { reviseCollaboration } from './revise';

/** The largest identifier number: JSON carries it exactly (L-1). */
export const MAX_NUMBER = Number.MAX_SAFE_INTEGER;
/** The largest lease (L-2). */
export const MAX_LEASE = 100_000;

const GAP = statement(`
  SELECT lower(gap) AS "from" FROM container c,
    unnest(int8multirange(int8range(1, ${MAX_NUMBER}, '[]')) - c.spent
      - coalesce((SELECT range_agg(e.ids) FROM lease e WHERE e.container_id = c.id AND e.state = 'active'), '{}')) AS gap
  WHERE c.id = $1 AND upper(gap) - lower(gap) >= $2
  ORDER BY lower(gap) LIMIT 1`);

const CLASH = statement(`
  SELECT lower(clash) AS "from", upper(clash) - 1 AS through FROM container c,
    unnest((c.spent + coalesce((SELECT range_agg(e.ids) FROM lease e WHERE e.container_id = c.id AND e.state = 'active'), '{}'))
      * int8multirange(int8range($2, $3, '[]'))) AS clash
  WHERE c.id = $1 ORDER BY lower(clash) LIMIT 1`);

const INSERT = statement(`INSERT INTO lease (container_id, "grant", to_id, ids, at) VALUES ($1, $2, $3, int8range($4, $5, '[]'), $6) RETURNING id`);

export type LeaseInput = { grant: number; to: string } & ({ count: number } | { from: number; through: number });

/**
 * L-1 to L-3: the lead leases an inclusive range of identifiers to a principal for the life of
 * its grant, explicit or "the next n" (the lowest free gap of n). No active lease overlaps
 * another or a landed identifier.
 * @throws Problem a receipt of R-2, `archived`, `container-closed`, `invalid-input`, `range-taken` (from, through: the first clash), and those of `write`
 */
export function lease(db: Db, slug: string, callerId: string, input: LeaseInput): Promise<Lease> {
  return write(db, slug, callerId, 'exclusive', async (gated) => {
    const { client, state } = gated;
    const { now, container, caller, page } = state;
    fence(state, input.grant);
    assertOpen(state);
    const to = await assertAbleToWork(client, input.to, 'to');
    const range = await rangeOf(gated, input);
    try {
      const made = await row<{ id: string }>(client, INSERT, [container.id, page.grant, input.to, range.from, range.through, now]);
      const span = `${container.prefix}-${range.from} to ${container.prefix}-${range.through}`;
      await reviseCollaboration(gated, { kind: 'lease', summary: `${caller.name} leased ${span} to ${to.name}` });
      if (to.id !== caller.id) {
        await writeNotice(client, { principalId: to.id, containerId: container.id, kind: 'lease-given', details: { ...range, prefix: container.prefix, by: caller.name }, at: now });
      }
      return (await readLease(client, container.id, made!.id))!;
    } catch (error) {
      if (isExclusionViolation(error)) throw new Problem('range-taken', 'Part of the range is leased already.', range);
      throw error;
    }
  });
}

async function rangeOf({ client, state }: Gated, input: LeaseInput): Promise<{ from: number; through: number }> {
  const { id, prefix } = state.container;
  if ('count' in input) {
    const gap = await row<{ from: number }>(client, GAP, [id, input.count]);
    if (!gap) throw invalidInput({ path: 'count', message: `there is no free range of ${input.count} identifiers` });
    return { from: gap.from, through: gap.from + input.count - 1 };
  }
  const clash = await row<{ from: number; through: number }>(client, CLASH, [id, input.from, input.through]);
  if (clash) throw new Problem('range-taken', `${prefix}-${clash.from} to ${prefix}-${clash.through} is leased or has landed already.`, clash);
  return { from: input.from, through: input.through };
}
