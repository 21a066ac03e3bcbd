import { row, rows, statement, type Queryable } from '../db/pool';
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

const PAGE = statement(`
  SELECT n.id, n.kind, n.details, n.at, n.read_at AS "readAt",
    CASE WHEN c.id IS NULL THEN NULL ELSE jsonb_build_object('slug', c.slug, 'title', c.title) END AS container
  FROM notice n LEFT JOIN container c ON c.id = n.container_id
  WHERE n.principal_id = $1 AND ($2::timestamptz IS NULL OR (n.at, n.id) < ($2, $3::uuid))
  ORDER BY n.at DESC, n.id DESC LIMIT $4`);
const UNREAD = statement(`SELECT count(*) AS unread FROM notice WHERE principal_id = $1 AND read_at IS NULL`);
const READ = statement(`UPDATE notice SET read_at = clock_timestamp() WHERE principal_id = $1 AND read_at IS NULL AND at <= $2`);

/** A principal's notices, newest first. @throws Problem `invalid-input` (an unknown cursor) */
export async function readNotices(q: Queryable, principalId: string, request: PageRequest): Promise<Page<Notice>> {
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z):([0-9a-f-]{36})$/.exec(request.cursor ?? '') ?? [];
  if (request.cursor !== undefined && (!at || !id)) throw unknownCursor();
  const found = await rows<Notice>(q, PAGE, [principalId, at ?? null, id ?? null, request.limit + 1]);
  return pageOf(found, request.limit, (n) => `${n.at}:${n.id}`);
}

/** How many notices a principal has not read. */
export const countUnread = async (q: Queryable, principalId: string): Promise<number> => (await row<{ unread: number }>(q, UNREAD, [principalId]))!.unread;

/** Marks as read what was there at `through`: what came since stays unread. */
export async function markNoticesRead(q: Queryable, principalId: string, through: Instant): Promise<void> {
  await rows(q, READ, [principalId, through]);
}
