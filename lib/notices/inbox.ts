import { rows, statement, type Queryable } from '../db/pool';
import type { Notice } from './read';

/** A principal's unread notices in short: how many, and the newest few. */
export type Inbox = { principalId: string; unread: number; newest: Notice[] };

/** How many of the newest are told. */
const NEWEST = 5;

const INBOXES = statement(`
  SELECT p.id AS "principalId", (SELECT count(*) FROM notice u WHERE u.principal_id = p.id AND u.read_at IS NULL) AS unread,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', n.id, 'kind', n.kind, 'details', n.details, 'at', iso(n.at), 'readAt', NULL,
        'container', CASE WHEN c.id IS NULL THEN NULL ELSE jsonb_build_object('slug', c.slug, 'title', c.title) END) ORDER BY n.at DESC, n.id DESC)
      FROM (SELECT * FROM notice WHERE principal_id = p.id AND read_at IS NULL ORDER BY at DESC, id DESC LIMIT ${NEWEST}) n
      LEFT JOIN container c ON c.id = n.container_id
    ), '[]') AS newest
  FROM unnest($1::uuid[]) AS p (id)`);

/** The inboxes of principals. */
export const readInbox = async (q: Queryable, principalIds: readonly string[]): Promise<Inbox[]> =>
  principalIds.length === 0 ? [] : rows<Inbox>(q, INBOXES, [principalIds]);
