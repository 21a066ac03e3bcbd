import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import { numberCursor, pageOf, type Page, type PageRequest } from '../paging';
import { notFound } from '../problems';
import type { Instant } from '../time';

/** An accepted landing as answers show it (section 10). */
export type Landing = {
  sequence: number;
  grant: number;
  author: PrincipalRef;
  message: string;
  at: Instant;
  entries: { identifier: string; digest: string }[];
  previousDigest: string;
  digest: string;
  /** The leases that it reclaimed (L-4). */
  reclaimed: { id: string; to: PrincipalRef; from: number; through: number }[];
};

const columns = `
    l.sequence, l."grant", principal_ref(l.author_id) AS author, l.message, l.at, l.entries, l.previous_digest AS "previousDigest",
    l.digest, coalesce((
      SELECT jsonb_agg(r.lease || jsonb_build_object('to', principal_ref((r.lease->>'to')::uuid)) ORDER BY r.place)
      FROM jsonb_array_elements(l.reclaimed) WITH ORDINALITY AS r (lease, place)), '[]') AS reclaimed
  FROM landing l WHERE l.container_id = $1`;
const ONE = statement(`SELECT ${columns} AND l.sequence = $2`);
const PAGE = statement(`SELECT ${columns} AND ($2::bigint IS NULL OR l.sequence < $2) ORDER BY l.sequence DESC LIMIT $3`);
const CONTAINER = statement(`SELECT id, public, landings FROM container WHERE slug = $1`);

/** A landing as it stands inside a write. */
export async function readLandingWithin(q: Queryable, containerId: string, sequence: number): Promise<Landing> {
  return (await row<Landing>(q, ONE, [containerId, sequence]))!;
}

/**
 * One landing.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readLanding(q: Queryable, slug: string, viewer: Viewer, sequence: number): Promise<Landing> {
  const container = await row<{ id: string; public: boolean }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const found = await row<Landing>(q, ONE, [container.id, sequence]);
  if (!found) throw notFound('landing');
  return found;
}

/**
 * The register's landings, newest first.
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor)
 */
export async function readLandings(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<Landing>> {
  const container = await row<{ id: string; public: boolean; landings: number }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const before = numberCursor(request.cursor, container.landings + 1);
  const found = await rows<Landing>(q, PAGE, [container.id, before ?? null, request.limit + 1]);
  return pageOf(found, request.limit, (l) => l.sequence);
}
