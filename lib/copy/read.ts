/** the copy: what readers read. */
import { containing } from '../audit/read';
import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import { cautionOf, type Caution } from '../lock-page/badge';
import { numberCursor, pageOf, unknownCursor, type Page, type PageRequest } from '../paging';
import { notFound } from '../problems';
import { identifierOf, numberOf } from '../register/identifier';
import type { Instant } from '../time';

/** An entry's latest revision with what brought it and the copy's caution (LP-10). */
export type Entry = { identifier: string; title: string; body: string; author: PrincipalRef; revision: number; landing: number; grant: number; at: Instant } & Caution;
/** An entry in a list: without its body. */
export type EntrySummary = Omit<Entry, 'body'>;
/** One revision of an entry. */
export type EntryRevision = { identifier: string; revision: number; title: string; body: string; author: PrincipalRef; landing: number; grant: number; at: Instant; digest: string };

type Container = { id: string; public: boolean; prefix: string; now: Instant; holderId: string | null; expiresAt: Instant | null; cautionSince: Instant | null; cautionGrant: number | null; grant: number };

const CONTAINER = statement(`
  SELECT c.id, c.public, c.prefix, clock_timestamp() AS now, l.holder_id AS "holderId", l.expires_at AS "expiresAt",
    l.caution_since AS "cautionSince", l.caution_grant AS "cautionGrant", l."grant"
  FROM container c JOIN lock_page l ON l.container_id = c.id WHERE c.slug = $1`);
const LIST = statement(`
  SELECT e.number, e.title, principal_ref(e.author_id) AS author, e.revision, e.landing, e."grant", r.at
  FROM entry e JOIN entry_revision r ON r.container_id = e.container_id AND r.number = e.number AND r.revision = e.revision
  WHERE e.container_id = $1 AND ($2::bigint IS NULL OR e.number > $2) ORDER BY e.number LIMIT $3`);
const SEARCH = statement(`
  SELECT e.number, e.title, principal_ref(e.author_id) AS author, e.revision, e.landing, e."grant", r.at
  FROM entry e JOIN entry_revision r ON r.container_id = e.container_id AND r.number = e.number AND r.revision = e.revision
  CROSS JOIN LATERAL (SELECT websearch_to_tsquery('simple', $2) AS query) q
  WHERE e.container_id = $1 AND (e.search @@ q.query OR e.title ILIKE $3 OR e.number = $4)
  ORDER BY e.number = $4 DESC NULLS LAST, ts_rank(e.search, q.query) DESC, e.number OFFSET $5 LIMIT $6`);
const ONE = statement(`
  SELECT e.number, e.title, r.body, principal_ref(e.author_id) AS author, e.revision, e.landing, e."grant", r.at
  FROM entry e JOIN entry_revision r ON r.container_id = e.container_id AND r.number = e.number AND r.revision = e.revision
  WHERE e.container_id = $1 AND e.number = $2`);
const REVISIONS = statement(`
  SELECT r.number, r.revision, r.title, r.body, principal_ref(r.author_id) AS author, r.landing, r."grant", r.at, r.digest
  FROM entry_revision r WHERE r.container_id = $1 AND r.number = $2 AND ($3::int IS NULL OR r.revision < $3)
  ORDER BY r.revision DESC LIMIT $4`);

const REVISION = statement(`
  SELECT r.number, r.revision, r.title, r.body, principal_ref(r.author_id) AS author, r.landing, r."grant", r.at, r.digest
  FROM entry_revision r WHERE r.container_id = $1 AND r.number = $2 AND r.revision = $3`);

type SummaryRow = Omit<EntrySummary, 'identifier' | keyof Caution> & { number: number };
type EntryRow = SummaryRow & { body: string };
type RevisionRow = Omit<EntryRevision, 'identifier'> & { number: number };

async function containerOf(q: Queryable, slug: string, viewer: Viewer): Promise<Container> {
  const container = await row<Container>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  return container;
}

/** A query as PostgreSQL's web search takes it: a hyphen that negates nothing is a space, for a run of them is an error there. */
const searchText = (query: string): string => query.replace(/-(?![\p{L}\p{N}"])/gu, ' ');

const named = <R extends { number: number }>(container: Container, { number, ...rest }: R) => ({ identifier: identifierOf(container.prefix, number), ...rest });

/**
 * The copy's entries by number, or those that match `q` by full text, title or identifier, best first.
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor)
 */
export async function readEntries(db: Queryable, slug: string, viewer: Viewer, request: PageRequest & { q?: string }): Promise<Page<EntrySummary>> {
  const container = await containerOf(db, slug, viewer);
  const caution = cautionOf(container, container.now);
  const query = request.q?.trim();
  if (!query) {
    const after = numberCursor(request.cursor, Number.MAX_SAFE_INTEGER);
    const found = await rows<SummaryRow>(db, LIST, [container.id, after ?? null, request.limit + 1]);
    const page = pageOf(found, request.limit, (e) => e.number);
    return { items: page.items.map((e) => ({ ...named(container, e), ...caution })), next: page.next };
  }
  const offset = request.cursor === undefined ? 0 : Number(/^o([1-9]\d{0,8})$/.exec(request.cursor)?.[1] ?? NaN);
  if (Number.isNaN(offset)) throw unknownCursor();
  const number = numberOf(container.prefix, query.toUpperCase()) ?? null;
  const found = await rows<SummaryRow>(db, SEARCH, [container.id, searchText(query), containing(query), number, offset, request.limit + 1]);
  const page = pageOf(found, request.limit, () => `o${offset + request.limit}`);
  return { items: page.items.map((e) => ({ ...named(container, e), ...caution })), next: page.next };
}

/**
 * One entry's latest revision.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readEntry(q: Queryable, slug: string, viewer: Viewer, identifier: string): Promise<Entry> {
  const container = await containerOf(q, slug, viewer);
  const number = numberOf(container.prefix, identifier);
  const found = number === undefined ? undefined : await row<EntryRow>(q, ONE, [container.id, number]);
  if (!found) throw notFound('entry');
  return { ...named(container, found), ...cautionOf(container, container.now) };
}

/**
 * An entry's history, newest first, each revision with its body and the landing that brought it.
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor)
 */
export async function readEntryRevisions(q: Queryable, slug: string, viewer: Viewer, identifier: string, request: PageRequest): Promise<Page<EntryRevision> & Caution> {
  const container = await containerOf(q, slug, viewer);
  const number = numberOf(container.prefix, identifier);
  const entry = number === undefined ? undefined : await row<EntryRow>(q, ONE, [container.id, number]);
  if (!entry) throw notFound('entry');
  const before = numberCursor(request.cursor, entry.revision + 1);
  const found = await rows<RevisionRow>(q, REVISIONS, [container.id, number, before ?? null, request.limit + 1]);
  const page = pageOf(found, request.limit, (r) => r.revision);
  return { items: page.items.map((r) => named(container, r)), next: page.next, ...cautionOf(container, container.now) };
}

/**
 * One revision of an entry.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readEntryRevision(q: Queryable, slug: string, viewer: Viewer, identifier: string, revision: number): Promise<EntryRevision> {
  const container = await containerOf(q, slug, viewer);
  const number = numberOf(container.prefix, identifier);
  const found = number === undefined || revision > MAX_REVISION ? undefined : await row<RevisionRow>(q, REVISION, [container.id, number, revision]);
  if (!found) throw notFound('revision');
  return named(container, found);
}

const MAX_REVISION = 2 ** 31 - 1;
