import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { Dependency } from '../grid/document';
import { numberCursor, pageOf, type Page, type PageRequest } from '../paging';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';

export type AmendmentState = 'queued' | 'committing' | 'committed' | 'needs-rejustification' | 'failed';
/** An amendment as answers show it (section 10), and for people: who, when, its place, and why it was set aside. */
export type Amendment = {
  id: string;
  rationale: string;
  changes: Dependency[];
  baseVersion: number;
  state: AmendmentState;
  version: number | null;
  author: PrincipalRef;
  grant: number | null;
  place: number;
  at: Instant;
  decidedAt: Instant | null;
  outcome: string | null;
};

const columns = `
    a.id, a.rationale, a.changes, a.base_version AS "baseVersion", a.state, a.version, principal_ref(a.author_id) AS author, a."grant",
    a.place, a.at, a.decided_at AS "decidedAt", a.outcome
  FROM amendment a WHERE a.container_id = $1`;
const PAGE = statement(`SELECT ${columns} AND ($2::int IS NULL OR a.place < $2) ORDER BY a.place DESC LIMIT $3`);
const ONE = statement(`SELECT ${columns} AND a.id = $2`);
const CONTAINER = statement(`SELECT c.id, c.public, coalesce(g.amendments, 0) AS amendments FROM container c LEFT JOIN grid g ON g.container_id = c.id WHERE c.slug = $1`);

/** One amendment, or undefined. */
export const readAmendmentRow = (q: Queryable, containerId: string, id: string): Promise<Amendment | undefined> => row<Amendment>(q, ONE, [containerId, id]);

/** A container's amendments, the latest asked first. @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor) */
export async function readAmendments(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<Amendment>> {
  const container = await row<{ id: string; public: boolean; amendments: number }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const before = numberCursor(request.cursor, container.amendments + 1);
  const found = await rows<Amendment>(q, PAGE, [container.id, before ?? null, request.limit + 1]);
  return pageOf(found, request.limit, (a) => a.place);
}
