import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import { numberCursor, pageOf, type Page, type PageRequest } from '../paging';
import { notFound } from '../problems';
import type { Instant } from '../time';
import type { CollaborationKind } from './revise';

export type PetitionState = 'waiting' | 'granted' | 'withdrawn' | 'lapsed';
export type Petition = { id: string; principal: PrincipalRef; reason: string; revision: number; state: PetitionState; at: Instant; grant?: number };

/** An active or reclaimed lease; `from` and `through` are numbers, both inclusive. */
export type Lease = { id: string; to: PrincipalRef; from: number; through: number; state: 'active' | 'reclaimed'; grant: number };

export type BlockState = 'open' | 'done' | 'returned' | 'closed';
export type Block = { id: string; title: string; description: string; assignee: PrincipalRef; leaseId: string | null; state: BlockState; grant: number; at: Instant };

/** The collaboration page as answers show it. Ended petitions, blocks and leases: the latest 100 of each. */
export type CollaborationView = {
  revision: number;
  notes: string;
  prefix: string;
  petitions: Petition[];
  blocks: Block[];
  leases: Lease[];
  now: Instant;
};

type Row = CollaborationView & { public: boolean };

const PETITION = `jsonb_strip_nulls(jsonb_build_object('id', t.id, 'principal', principal_ref(t.principal_id), 'reason', t.reason,
  'revision', t.revision, 'state', t.state, 'at', iso(t.at), 'grant', t."grant"))`;
const LEASE = `jsonb_build_object('id', e.id, 'to', principal_ref(e.to_id), 'from', lower(e.ids), 'through', upper(e.ids) - 1,
  'state', e.state, 'grant', e."grant")`;
const BLOCK = `jsonb_build_object('id', b.id, 'title', b.title, 'description', b.description, 'assignee', principal_ref(b.assignee_id),
  'leaseId', b.lease_id, 'state', b.state, 'grant', b."grant", 'at', iso(b.at))`;

const columns = `
    c.public, c.prefix, p.revision, p.notes, coalesce($2::timestamptz, clock_timestamp()) AS now,
    coalesce((
      SELECT jsonb_agg(${PETITION} ORDER BY t.revision) FROM (
        (SELECT * FROM petition WHERE container_id = c.id AND state = 'waiting')
        UNION ALL
        (SELECT * FROM petition WHERE container_id = c.id AND state <> 'waiting' ORDER BY revision DESC LIMIT 100)
      ) t), '[]') AS petitions,
    coalesce((
      SELECT jsonb_agg(${BLOCK} ORDER BY b.at, b.id) FROM (
        (SELECT * FROM block WHERE container_id = c.id AND state = 'open')
        UNION ALL
        (SELECT * FROM block WHERE container_id = c.id AND state <> 'open' ORDER BY changed_at DESC LIMIT 100)
      ) b), '[]') AS blocks,
    coalesce((
      SELECT jsonb_agg(${LEASE} ORDER BY e.state, lower(e.ids)) FROM (
        (SELECT * FROM lease WHERE container_id = c.id AND state = 'active')
        UNION ALL
        (SELECT * FROM lease WHERE container_id = c.id AND state <> 'active' ORDER BY reclaimed_at DESC LIMIT 100)
      ) e), '[]') AS leases
  FROM container c JOIN collaboration_page p ON p.container_id = c.id`;
const BY_SLUG = statement(`SELECT ${columns} WHERE c.slug = $1`);
const BY_ID = statement(`SELECT ${columns} WHERE c.id = $1`);

const viewOf = ({ revision, notes, prefix, petitions, blocks, leases, now }: Row): CollaborationView => ({ revision, notes, prefix, petitions, blocks, leases, now });

/**
 * The collaboration page, from one snapshot.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readCollaboration(q: Queryable, slug: string, viewer: Viewer): Promise<CollaborationView> {
  const found = await row<Row>(q, BY_SLUG, [slug, null]);
  assertReadable(found, viewer);
  return viewOf(found);
}

/** The collaboration page as it stands inside a write, at that write's instant. */
export async function readCollaborationWithin(q: Queryable, containerId: string, now: Instant): Promise<CollaborationView> {
  const found = await row<Row>(q, BY_ID, [containerId, now]);
  return viewOf(found!);
}

const ONE_BLOCK = statement(`SELECT ${BLOCK} AS block FROM block b WHERE b.container_id = $1 AND b.id = $2`);
const ONE_LEASE = statement(`SELECT ${LEASE} AS lease FROM lease e WHERE e.container_id = $1 AND e.id = $2`);

/** One block, or undefined. */
export const readBlock = async (q: Queryable, containerId: string, id: string): Promise<Block | undefined> =>
  (await row<{ block: Block }>(q, ONE_BLOCK, [containerId, id]))?.block;

/** One lease, or undefined. */
export const readLease = async (q: Queryable, containerId: string, id: string): Promise<Lease | undefined> =>
  (await row<{ lease: Lease }>(q, ONE_LEASE, [containerId, id]))?.lease;

/** A revision of the collaboration page (W-1). `notes` are the notes as they then were. */
export type CollaborationRevision = { revision: number; kind: CollaborationKind; author: PrincipalRef | null; at: Instant; summary: string; notes: string };

const HEAD = statement(`SELECT c.id, c.public, p.revision FROM container c JOIN collaboration_page p ON p.container_id = c.id WHERE c.slug = $1`);
const revisionColumns = `
    r.revision, r.kind, principal_ref(r.author_id) AS author, r.at, r.summary,
    coalesce(r.notes, (
      SELECT n.notes FROM collaboration_revision n
      WHERE n.container_id = r.container_id AND n.revision < r.revision AND n.notes IS NOT NULL ORDER BY n.revision DESC LIMIT 1
    ), '') AS notes
  FROM collaboration_revision r WHERE r.container_id = $1`;
const REVISIONS = statement(`SELECT ${revisionColumns} AND ($2::int IS NULL OR r.revision < $2) ORDER BY r.revision DESC LIMIT $3`);
const REVISION = statement(`SELECT ${revisionColumns} AND r.revision = $2`);

/**
 * The collaboration page's history, newest first.
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input` (an unknown cursor)
 */
export async function readCollaborationRevisions(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<CollaborationRevision>> {
  const head = await row<{ id: string; public: boolean; revision: number }>(q, HEAD, [slug]);
  assertReadable(head, viewer);
  const before = numberCursor(request.cursor, head.revision + 1, 'before');
  const found = await rows<CollaborationRevision>(q, REVISIONS, [head.id, before ?? null, request.limit + 1]);
  return pageOf(found, request.limit, (r) => r.revision);
}

/**
 * One revision of the collaboration page, or undefined.
 * @param viewer who looks; `within` where that was checked already
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readCollaborationRevision(q: Queryable, slug: string, viewer: Viewer | 'within', revision: number): Promise<CollaborationRevision | undefined> {
  const head = await row<{ id: string; public: boolean; revision: number }>(q, HEAD, [slug]);
  if (viewer !== 'within') assertReadable(head, viewer);
  if (!head) throw notFound('container');
  return revision <= head.revision ? row<CollaborationRevision>(q, REVISION, [head.id, revision]) : undefined;
}
