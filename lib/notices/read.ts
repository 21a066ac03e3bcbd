import { row, rows, statement, type Queryable } from '../db/pool';
import { notFound } from '../problems';
import { pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import type { Instant } from '../time';
import type { NoticeKind } from './write';

/** What a principal was told, with where it happened. */
export type Notice = {
  id: string;
  kind: NoticeKind;
  container: { slug: string; title: string } | null;
  details: Record<string, unknown>;
  at: Instant;
  readAt: Instant | null;
};

const NOTICE = `n.id, n.kind, n.details, n.at, n.read_at AS "readAt",
    CASE WHEN c.id IS NULL THEN NULL ELSE jsonb_build_object('slug', c.slug, 'title', c.title) END AS container
  FROM notice n LEFT JOIN container c ON c.id = n.container_id`;
const PAGE = statement(`
  SELECT ${NOTICE}
  WHERE n.principal_id = $1 AND ($2::timestamptz IS NULL OR (n.at, n.id) < ($2, $3::uuid)) AND (NOT $5 OR n.read_at IS NULL)
  ORDER BY n.at DESC, n.id DESC LIMIT $4`);
const UNREAD = statement(`SELECT count(*) AS unread FROM notice WHERE principal_id = $1 AND read_at IS NULL`);
const READ = statement(`UPDATE notice SET read_at = clock_timestamp() WHERE principal_id = $1 AND read_at IS NULL AND at <= $2`);
const READ_ONE = statement(`
  WITH found AS (SELECT id, read_at FROM notice WHERE id = $2 AND principal_id = $1),
  marked AS (UPDATE notice n SET read_at = clock_timestamp() FROM found WHERE n.id = found.id AND found.read_at IS NULL)
  SELECT id FROM found`);

/**
 * A principal's notices, newest first.
 * @param filter.unread only those that it has not read
 * @throws Problem `invalid-input` (an unknown cursor)
 */
export async function readNotices(q: Queryable, principalId: string, request: PageRequest, filter: { unread?: boolean } = {}): Promise<Page<Notice>> {
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(request.cursor ?? '') ?? [];
  if (request.cursor !== undefined && (!at || !id || Number.isNaN(Date.parse(at)))) throw unknownCursor();
  const found = await rows<Notice>(q, PAGE, [principalId, at ?? null, id ?? null, request.limit + 1, filter.unread ?? false]);
  return pageOf(found, request.limit, (n) => `${n.at}:${n.id}`);
}

/** How many notices a principal has not read. */
export const countUnread = async (q: Queryable, principalId: string): Promise<number> => (await row<{ unread: number }>(q, UNREAD, [principalId]))!.unread;

/** Marks as read what was there at `through`: what came since stays unread. */
export async function markNoticesRead(q: Queryable, principalId: string, through: Instant): Promise<void> {
  await rows(q, READ, [principalId, through]);
}

/** Marks one notice as read; one that is read already stays so. @throws Problem `not-found` (also for another's) */
export async function markNoticeRead(q: Queryable, principalId: string, id: string): Promise<void> {
  if (!(await row(q, READ_ONE, [principalId, id]))) throw notFound('notice');
}
