/**
 * LP-2: the one way a lock page changes. Each accepted edit adds exactly 1 to the revision
 * and appends the revision row with the fields as they then were.
 */
import { row, statement, type Queryable } from '../db/pool';
import type { Gated, LockFields } from '../db/state';
import { Problem } from '../problems';
import { readLockWithin } from './read';

export type LockRevisionKind = 'create' | 'acquire' | 'heartbeat' | 'release' | 'clear' | 'notes' | 'reopen';

const WRITE = statement(`
  WITH page AS (
    UPDATE lock_page SET revision = revision + 1, holder_id = $3, reason = $4, "grant" = $5, next_grant = $6, granted_at = $7,
      expires_at = $8, last_beat_at = $9, available_since = $10, caution_since = $11, caution_grant = $12,
      notes = coalesce($13, notes), grant_term_seconds = $14, window_seconds = $15
    WHERE container_id = $1 AND revision = $2
    RETURNING *
  )
  INSERT INTO lock_revision (container_id, revision, kind, author_id, at, summary, edit_reason, holder_id, reason, "grant", next_grant,
    granted_at, expires_at, last_beat_at, available_since, caution_since, caution_grant, notes)
  SELECT container_id, revision, $16::lock_revision_kind, $17, $18, $19, $20, holder_id, reason, "grant", next_grant,
    granted_at, expires_at, last_beat_at, available_since, caution_since, caution_grant, $13
  FROM page
  RETURNING revision`);

/**
 * Writes one edit of the lock page, under the exclusive gate.
 * @param changes the fields that change; notes are stored with the revision only when given
 */
export async function revise(
  { client, state }: Gated,
  kind: Exclude<LockRevisionKind, 'create'>,
  changes: Partial<Omit<LockFields, 'revision'>>,
  edit: { summary: string; reason?: string },
): Promise<void> {
  const next = { ...state.page, ...changes };
  const written = await row<{ revision: number }>(client, WRITE, [
    state.container.id,
    state.page.revision,
    next.holderId,
    next.reason,
    next.grant,
    next.nextGrant,
    next.grantedAt,
    next.expiresAt,
    next.lastBeatAt,
    next.availableSince,
    next.cautionSince,
    next.cautionGrant,
    changes.notes ?? null,
    next.grantTermSeconds,
    next.windowSeconds,
    kind,
    state.caller.id,
    state.now,
    edit.summary,
    edit.reason ?? null,
  ]);
  if (!written) throw new Error('the lock page changed under its gate');
}

/** Kinds whose coming after a base makes it stale, by edit (LP-2). */
const SPOILED_BY = {
  acquire: ['acquire', 'heartbeat', 'release', 'clear', 'reopen'],
  clear: ['acquire', 'heartbeat', 'release', 'clear', 'reopen'],
  reopen: ['acquire', 'heartbeat', 'release', 'clear', 'reopen'],
  heartbeat: ['acquire', 'release', 'clear', 'reopen'],
  release: ['acquire', 'release', 'clear', 'reopen'],
  notes: ['notes', 'acquire', 'release', 'clear'],
} as const satisfies Record<string, readonly LockRevisionKind[]>;

const SPOILED = statement(`
  SELECT EXISTS (SELECT 1 FROM lock_revision WHERE container_id = $1 AND revision > $2 AND kind = ANY ($3::lock_revision_kind[])) AS spoiled`);

/** The current lock page as an `edit-conflict` carries it. */
export async function lockConflict({ client, state }: Gated): Promise<Problem> {
  return new Problem('edit-conflict', 'The lock page has changed since you read it. Nothing was changed.', {
    current: await readLockWithin(client, state.container.id, state.now),
  });
}

/**
 * Whether `base` holds for this kind of edit (LP-2). A base that is no existing revision never does.
 * @throws Problem `edit-conflict` with the current page
 */
export async function assertBase(gated: Gated, base: number, kind: keyof typeof SPOILED_BY): Promise<void> {
  const { client, state } = gated;
  if (base === state.page.revision) return;
  const exists = Number.isSafeInteger(base) && base >= 1 && base < state.page.revision;
  if (exists && !(await isSpoiled(client, state.container.id, base, SPOILED_BY[kind]))) return;
  throw await lockConflict(gated);
}

async function isSpoiled(q: Queryable, containerId: string, base: number, kinds: readonly LockRevisionKind[]): Promise<boolean> {
  const found = await row<{ spoiled: boolean }>(q, SPOILED, [containerId, base, kinds]);
  return found!.spoiled;
}
