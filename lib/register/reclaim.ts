/** L-4: what a landing with entries does to the leases. */
import { rows, statement } from '../db/pool';
import type { Gated } from '../db/state';
import { invalidInput } from '../problems';
import type { ActiveLease } from './entries';

/** A lease as a landing's row keeps it; `to` is a principal's id. */
export type ReclaimedLease = { id: string; to: string; from: number; through: number };

const RECLAIM = statement(`UPDATE lease SET state = 'reclaimed', reclaimed_at = $2 WHERE id = ANY ($1::uuid[])`);
const CUT = statement(`UPDATE lease SET ids = int8range($2, $3, '[]') WHERE id = $1`);
const SPLIT = statement(`
  INSERT INTO lease (container_id, "grant", to_id, ids, at)
  SELECT container_id, "grant", to_id, int8range($2, $3, '[]'), $4 FROM lease WHERE id = $1`);

/**
 * The leases to keep, each an active one.
 * @throws Problem `invalid-input`
 */
export function keptLeases(leases: ActiveLease[], keep: string[]): Set<string> {
  const active = new Set(leases.map((l) => l.id));
  const faults = keep.flatMap((id, i) => (active.has(id) ? [] : [{ path: `keepLeases[${i}]`, message: 'is no active lease of this grant' }]));
  if (faults.length > 0) throw invalidInput(...faults);
  return new Set(keep);
}

/** What is left of a range when `spent` numbers (ascending, inside it) are cut out. */
export function remainderOf(from: number, through: number, spent: number[]): { from: number; through: number }[] {
  const left: { from: number; through: number }[] = [];
  let begin = from;
  for (const number of spent) {
    if (number > begin) left.push({ from: begin, through: number - 1 });
    begin = number + 1;
  }
  if (begin <= through) left.push({ from: begin, through });
  return left;
}

/**
 * Reclaims the active leases but those kept; from these what has landed is cut out. A kept
 * lease that falls in pieces keeps its id for the first; the others become leases of the
 * same owner. One that is spent whole is reclaimed.
 */
export async function reclaimLeases(gated: Gated, leases: ActiveLease[], keep: Set<string>, landed: number[]): Promise<ReclaimedLease[]> {
  const { client, state } = gated;
  const spent = [...landed].sort((a, b) => a - b);
  const reclaimed: ActiveLease[] = [];
  const splits: { id: string; from: number; through: number }[] = [];
  for (const lease of leases) {
    const left = keep.has(lease.id) ? remainderOf(lease.from, lease.through, spent.filter((n) => n >= lease.from && n <= lease.through)) : [];
    const [first, ...others] = left;
    if (!first) {
      reclaimed.push(lease);
      continue;
    }
    if (first.from !== lease.from || first.through !== lease.through) await rows(client, CUT, [lease.id, first.from, first.through]);
    splits.push(...others.map((o) => ({ id: lease.id, ...o })));
  }
  if (reclaimed.length > 0) await rows(client, RECLAIM, [reclaimed.map((l) => l.id), state.now]);
  for (const piece of splits) await rows(client, SPLIT, [piece.id, piece.from, piece.through, state.now]);
  return reclaimed.map(({ id, toId, from, through }) => ({ id, to: toId, from, through }));
}
