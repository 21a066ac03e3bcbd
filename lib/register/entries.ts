/** which entries of a landing are good. Reads under the exclusive gate. */
import { rows, statement } from '../db/pool';
import type { Gated } from '../db/state';
import { numberOf } from './identifier';

export type LandingEntry = { identifier: string; title: string; body: string; leaseId?: string };
export type EntryFault = { index: number; identifier: string; code: 'identifier-not-leased' | 'identifier-malformed' | 'duplicate-identifier'; message: string };
/** A good entry: its number, the revision that it will be, and its author (the lease's owner where it is new). */
export type AcceptedEntry = LandingEntry & { number: number; revision: number; authorId: string };

export type ActiveLease = { id: string; toId: string; toName: string; from: number; through: number };

const LEASES = statement(`
  SELECT e.id, e.to_id AS "toId", p.name AS "toName", lower(e.ids) AS "from", upper(e.ids) - 1 AS through
  FROM lease e JOIN principal p ON p.id = e.to_id
  WHERE e.container_id = $1 AND e."grant" = $2 AND e.state = 'active' ORDER BY lower(e.ids)`);
const EXISTING = statement(`SELECT number, revision FROM entry WHERE container_id = $1 AND number = ANY ($2::bigint[])`);

/** The active leases of the page's grant, by range. */
export const activeLeases = ({ client, state }: Gated): Promise<ActiveLease[]> => rows<ActiveLease>(client, LEASES, [state.container.id, state.page.grant]);

function leaseAround(leases: ActiveLease[], number: number): ActiveLease | undefined {
  let low = 0;
  let high = leases.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const lease = leases[middle]!;
    if (number < lease.from) high = middle - 1;
    else if (number > lease.through) low = middle + 1;
    else return lease;
  }
  return undefined;
}

/** Sorts a landing's entries into good ones and faults; every bad entry is listed. */
export async function checkEntries(gated: Gated, entries: LandingEntry[], leases: ActiveLease[]): Promise<{ accepted: AcceptedEntry[]; faults: EntryFault[] }> {
  const { client, state } = gated;
  const { prefix, id } = state.container;
  const numbers = entries.map((e) => numberOf(prefix, e.identifier));
  const known = numbers.filter((n) => n !== undefined);
  const existing = new Map<number, number>();
  if (known.length > 0) {
    for (const e of await rows<{ number: number; revision: number }>(client, EXISTING, [id, known])) existing.set(e.number, e.revision);
  }
  const accepted: AcceptedEntry[] = [];
  const faults: EntryFault[] = [];
  const seen = new Set<number>();
  entries.forEach((entry, index) => {
    const number = numbers[index];
    const fault = (code: EntryFault['code'], message: string) => faults.push({ index, identifier: entry.identifier, code, message });
    if (number === undefined) {
      fault('identifier-malformed', `must be ${prefix}-1 to ${prefix}-${Number.MAX_SAFE_INTEGER}, without leading zeros`);
      return;
    }
    if (seen.has(number)) {
      fault('duplicate-identifier', 'stands in this landing twice');
      return;
    }
    seen.add(number);
    const revision = existing.get(number);
    if (revision !== undefined) {
      // Whoever names a lease means a new entry: what has landed is in no lease.
      if (entry.leaseId !== undefined) fault('identifier-not-leased', 'has landed already, so it is in no lease; leave out leaseId to amend it');
      else accepted.push({ ...entry, number, revision: revision + 1, authorId: state.caller.id });
      return;
    }
    const lease = leaseAround(leases, number);
    if (!lease) fault('identifier-not-leased', 'is in no active lease of this grant');
    else if (entry.leaseId !== undefined && entry.leaseId !== lease.id) fault('identifier-not-leased', 'is not in the lease that it names');
    else accepted.push({ ...entry, number, revision: 1, authorId: lease.toId });
  });
  return { accepted, faults };
}
