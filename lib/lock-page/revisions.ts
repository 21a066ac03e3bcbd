import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import { numberCursor, pageOf, type Page, type PageRequest } from '../paging';
import { notFound } from '../problems';
import type { Instant } from '../time';
import type { LockRevisionKind } from './revise';

/** A revision of the lock page: who did what when, and the fields as they then were (LP-2). */
export type LockRevision = {
  revision: number;
  kind: LockRevisionKind;
  /** Null for what Holdfast did itself (LP-4). */
  author: PrincipalRef | null;
  at: Instant;
  summary: string;
  /** Of a clear or a reopen. */
  reason?: string;
  fields: LockRevisionFields;
};

export type LockRevisionFields = {
  holder: PrincipalRef | null;
  reason: string;
  grant: number;
  nextGrant: number;
  grantedAt: Instant | null;
  expiresAt: Instant | null;
  lastBeatAt: Instant | null;
  availableSince: Instant | null;
  cautionSince: Instant | null;
  cautionGrant: number | null;
  notes: string;
};

type Row = Omit<LockRevision, 'fields' | 'reason'> & { editReason: string | null } & LockRevisionFields;

const HEAD = statement(`SELECT c.id, c.public, l.revision FROM container c JOIN lock_page l ON l.container_id = c.id WHERE c.slug = $1`);
const columns = `
    r.revision, r.kind, principal_ref(r.author_id) AS author, r.at, r.summary, r.edit_reason AS "editReason",
    principal_ref(r.holder_id) AS holder, r.reason, r."grant", r.next_grant AS "nextGrant", r.granted_at AS "grantedAt",
    r.expires_at AS "expiresAt", r.last_beat_at AS "lastBeatAt", r.available_since AS "availableSince",
    r.caution_since AS "cautionSince", r.caution_grant AS "cautionGrant",
    coalesce(r.notes, (
      SELECT n.notes FROM lock_revision n
      WHERE n.container_id = r.container_id AND n.revision < r.revision AND n.notes IS NOT NULL ORDER BY n.revision DESC LIMIT 1
    ), '') AS notes`;
const PAGE = statement(`SELECT ${columns} FROM lock_revision r WHERE r.container_id = $1 AND ($2::int IS NULL OR r.revision < $2) ORDER BY r.revision DESC LIMIT $3`);
const ONE = statement(`SELECT ${columns} FROM lock_revision r WHERE r.container_id = $1 AND r.revision = $2`);

function revisionOf(found: Row): LockRevision {
  const { revision, kind, author, at, summary, editReason, ...fields } = found;
  return { revision, kind, author, at, summary, ...(editReason === null ? {} : { reason: editReason }), fields };
}

/**
 * The lock page's history, newest first; each stored revision is listed (W-1).
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor)
 */
export async function readLockRevisions(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<LockRevision>> {
  const head = await row<{ id: string; public: boolean; revision: number }>(q, HEAD, [slug]);
  assertReadable(head, viewer);
  const before = numberCursor(request.cursor, head.revision + 1, 'before');
  const found = await rows<Row>(q, PAGE, [head.id, before ?? null, request.limit + 1]);
  return pageOf(found.map(revisionOf), request.limit, (r) => r.revision);
}

/**
 * One revision of the lock page.
 * @param viewer who looks; `within` where that was checked already
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readLockRevision(q: Queryable, slug: string, viewer: Viewer | 'within', revision: number): Promise<LockRevision> {
  const head = await row<{ id: string; public: boolean }>(q, HEAD, [slug]);
  if (viewer !== 'within') assertReadable(head, viewer);
  if (!head) throw notFound('container');
  const found = revision <= 2147483647 ? await row<Row>(q, ONE, [head.id, revision]) : undefined;
  if (!found) throw notFound('revision');
  return revisionOf(found);
}
