import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import { PASS_COLUMNS, readPassRow, type Pass } from '../engine';
import { pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import { notFound } from '../problems';

const CONTAINER = statement(`SELECT id, public FROM container WHERE slug = $1`);
const AT = statement(`SELECT started_at AS at FROM pass WHERE container_id = $1 AND id = $2`);
const PAGE = statement(`
  SELECT ${PASS_COLUMNS}
  WHERE p.container_id = $1 AND ($2::timestamptz IS NULL OR (p.started_at, p.id) < ($2, $3::uuid))
  ORDER BY p.started_at DESC, p.id DESC LIMIT $4`);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A container's passes, the latest started first. @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor) */
export async function readPasses(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<Pass>> {
  const container = await row<{ id: string; public: boolean }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const isId = request.cursor !== undefined && UUID.test(request.cursor);
  const at = isId ? await row<{ at: string }>(q, AT, [container.id, request.cursor]) : undefined;
  if (request.cursor !== undefined && !at) throw unknownCursor();
  const found = await rows<Pass>(q, PAGE, [container.id, at?.at ?? null, request.cursor ?? null, request.limit + 1]);
  return pageOf(found, request.limit, (p) => p.id);
}

/** One pass. @throws Problem `not-found`, `unauthenticated` */
export async function readPass(q: Queryable, slug: string, viewer: Viewer, passId: string): Promise<Pass> {
  const container = await row<{ id: string; public: boolean }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const pass = UUID.test(passId) ? await readPassRow(q, container.id, passId) : undefined;
  if (!pass) throw notFound('pass');
  return pass;
}
