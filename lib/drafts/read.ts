import { row, rows, statement, type Queryable } from '../db/pool';
import { assertReadable, type Viewer } from '../containers/access';
import { pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import { notFound, Problem } from '../problems';
import type { Instant } from '../time';
import type { PrincipalRef } from '../roles';
import { identifierOf, numberOf } from '../register/identifier';

export type DraftState = 'open' | 'landed' | 'deleted';
/** A lead's draft under one grant. `landing` is the one that took it. */
export type Draft = { identifier: string; grant: number; title: string; body: string; revision: number; state: DraftState; at: Instant; landing?: number };

type Row = { number: number; grant: number; title: string; body: string; revision: number; state: DraftState; at: Instant; landing: number | null };

const columns = `d.number, d."grant", d.title, d.body, d.revision, d.state, d.at, d.landing FROM draft d WHERE d.container_id = $1 AND d.author_id = $2`;
const PAGE = statement(`SELECT ${columns} AND d.state = 'open' AND ($3::bigint IS NULL OR (d."grant", -d.number) < ($3, -$4::bigint))
  ORDER BY d."grant" DESC, d.number LIMIT $5`);
const ONE = statement(`SELECT ${columns} AND d."grant" = $3 AND d.number = $4`);
const CONTAINER = statement(`SELECT id, public, prefix FROM container WHERE slug = $1`);

export const draftOf = (prefix: string, { number, landing, ...draft }: Row): Draft => ({
  identifier: identifierOf(prefix, number),
  ...draft,
  ...(landing === null ? {} : { landing }),
});

/**
 * The caller's open drafts, of its latest grant first; those of ended grants are kept (LP-8).
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor)
 */
export async function readDrafts(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<Draft>> {
  if (!viewer) throw new Problem('unauthenticated', 'Sign in to see your drafts.');
  const container = await row<{ id: string; public: boolean; prefix: string }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const [, grant, number] = /^([1-9]\d{0,15}):([1-9]\d{0,15})$/.exec(request.cursor ?? '') ?? [];
  if (request.cursor !== undefined && (!grant || !number)) throw unknownCursor();
  const found = await rows<Row>(q, PAGE, [container.id, viewer.id, grant ?? null, number ?? null, request.limit + 1]);
  const page = pageOf(found, request.limit, (d) => `${d.grant}:${d.number}`);
  return { items: page.items.map((d) => draftOf(container.prefix, d)), next: page.next };
}

/** One draft of a principal under a grant, or undefined. */
export const readDraftRow = (q: Queryable, containerId: string, authorId: string, grant: number, number: number): Promise<Row | undefined> =>
  row<Row>(q, ONE, [containerId, authorId, grant, number]);

/** A draft's revision (W-1). */
export type DraftRevision = { revision: number; author: PrincipalRef; at: Instant; summary: string; title: string; body: string };

const REVISIONS = statement(`
  SELECT r.revision, principal_ref(r.author_id) AS author, r.at, r.summary, r.title, r.body FROM draft_revision r
  WHERE r.container_id = $1 AND r.author_id = $2 AND r."grant" = $3 AND r.number = $4 AND ($5::int IS NULL OR r.revision < $5)
  ORDER BY r.revision DESC LIMIT $6`);

/**
 * The history of one of the caller's drafts, newest first.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readDraftRevisions(q: Queryable, slug: string, viewer: Viewer, grant: number, identifier: string, request: { limit: number; before?: number }): Promise<Page<DraftRevision>> {
  if (!viewer) throw new Problem('unauthenticated', 'Sign in to see your drafts.');
  const container = await row<{ id: string; public: boolean; prefix: string }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const number = numberOf(container.prefix, identifier);
  if (number === undefined) throw notFound('draft');
  const found = await rows<DraftRevision>(q, REVISIONS, [container.id, viewer.id, grant, number, request.before ?? null, request.limit + 1]);
  if (found.length === 0) throw notFound('draft');
  return pageOf(found, request.limit, (r) => r.revision);
}

const REVISION = statement(`
  SELECT r.revision, principal_ref(r.author_id) AS author, r.at, r.summary, r.title, r.body FROM draft_revision r
  WHERE r.container_id = $1 AND r.author_id = $2 AND r."grant" = $3 AND r.number = $4 AND r.revision = $5`);

type Signed = NonNullable<Viewer>;

/** One of the caller's drafts under a grant, or undefined. */
export async function readDraft(q: Queryable, slug: string, viewer: Signed, grant: number, identifier: string): Promise<Draft | undefined> {
  const container = await row<{ id: string; prefix: string }>(q, CONTAINER, [slug]);
  const number = container && numberOf(container.prefix, identifier);
  const found = number === undefined ? undefined : await readDraftRow(q, container!.id, viewer.id, grant, number);
  return found && draftOf(container!.prefix, found);
}

/** One revision of one of the caller's drafts, or undefined. */
export async function readDraftRevision(q: Queryable, slug: string, viewer: Signed, grant: number, identifier: string, revision: number): Promise<DraftRevision | undefined> {
  const container = await row<{ id: string; prefix: string }>(q, CONTAINER, [slug]);
  const number = container && numberOf(container.prefix, identifier);
  if (number === undefined || revision >= 2 ** 31) return undefined;
  return row<DraftRevision>(q, REVISION, [container!.id, viewer.id, grant, number, revision]);
}
