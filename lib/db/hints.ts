/**
 * Hints: after a commit, every instance is told that a container changed, or that somebody
 * has a new notice. A hint says *that*, never *what*: whoever hears it reads the record.
 *
 * NOTIFY takes a lock of the whole database until its commit is on disk, so hints are no part
 * of the transaction that they tell of. Each instance gathers its own and sends them at most
 * every 50 ms, the first at once; a writer waits for none of it. A hint that is lost costs
 * time, not truth: instances also look every few seconds (`lib/live/hub.ts`).
 */
import type { Db, Queryable } from './pool';

/** The channel that instances listen on. */
export const CHANNEL = 'holdfast';
/** Milliseconds between two sendings of an instance. */
export const GATHER_MS = 50;

/** What one notification carries: ids of containers that changed and of principals with a new notice. */
export type Hint = { containers: string[]; principals: string[] };

type Outbox = { containers: Set<string>; principals: Set<string>; gathering: NodeJS.Timeout | undefined };

// Next bundles lib apart from the server; both share the pool, so the outbox hangs on it.
const OUTBOX = Symbol.for('holdfast.outbox');
type WithOutbox = Db & { [OUTBOX]?: Outbox };

/** PostgreSQL refuses a payload of 8,000 bytes; an id takes 39. */
const IDS_A_PAYLOAD = 150;

// What is told is hints: they need not wait for the disk.
const SEND = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`;

/** Sends what has gathered, and gathers again for a while. */
function send(db: Db, outbox: Outbox): void {
  outbox.gathering = undefined;
  if (outbox.containers.size + outbox.principals.size === 0) return;
  outbox.gathering = setTimeout(() => send(db, outbox), GATHER_MS);
  outbox.gathering.unref();
  const ids = [...[...outbox.containers].map((id) => ['c', id]), ...[...outbox.principals].map((id) => ['p', id])];
  outbox.containers.clear();
  outbox.principals.clear();
  const payloads: string[] = [];
  for (let i = 0; i < ids.length; i += IDS_A_PAYLOAD) {
    const some = ids.slice(i, i + IDS_A_PAYLOAD);
    const of = (kind: string) => some.filter(([k]) => k === kind).map(([, id]) => id);
    payloads.push(JSON.stringify({ containers: of('c'), principals: of('p') }));
  }
  // Unsent hints are found by looking; nothing else is lost with them.
  if (!db.ending) db.query(SEND, [payloads]).catch(() => undefined);
}

/** Tells all instances, soon, that these changed. Never waits and never throws. */
export function hint(db: Db, changed: Partial<{ [K in keyof Hint]: Iterable<string> }>): void {
  const outbox = ((db as WithOutbox)[OUTBOX] ??= { containers: new Set(), principals: new Set(), gathering: undefined });
  for (const id of changed.containers ?? []) outbox.containers.add(id);
  for (const id of changed.principals ?? []) outbox.principals.add(id);
  if (!outbox.gathering) send(db, outbox);
}

/** A notification's payload as a hint; one that is not ours says nothing. */
export function hintOf(payload: string | undefined): Hint {
  try {
    const { containers, principals } = JSON.parse(payload ?? '') as Hint;
    return { containers, principals };
  } catch {
    return { containers: [], principals: [] };
  }
}

// Whom a transaction has notices for; told once it has committed.
const noted = new WeakMap<object, Set<string>>();

/** Remembers that a transaction leaves a notice for a principal. */
export function note(q: Queryable, principalId: string): void {
  const already = noted.get(q);
  if (already) already.add(principalId);
  else noted.set(q, new Set([principalId]));
}

/** Takes what a transaction has noted: to be told after a commit, to be dropped after a rollback. */
export function takeNoted(q: Queryable): ReadonlySet<string> {
  const taken = noted.get(q) ?? new Set<string>();
  noted.delete(q);
  return taken;
}
