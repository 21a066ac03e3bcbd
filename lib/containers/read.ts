import { containing } from '../audit/read';
import { row, rows, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import { badgeOf, cautionOf, type Badge, type Caution } from '../lock-page/badge';
import type { ProjectStatus } from '../engine';
import { readProjects } from '../project/read';
import { pageOf, numberCursor, unknownCursor, type Page, type PageRequest } from '../paging';
import type { Instant } from '../time';
import { assertReadable, type Viewer } from './access';

/** The lock in short, as the board and the container's answer show it. */
export type LockSummary = {
  holder: PrincipalRef | null;
  reason: string;
  grant: number;
  grantedAt: Instant | null;
  expiresAt: Instant | null;
  lastBeatAt: Instant | null;
  availableSince: Instant | null;
  revision: number;
  waiting: number;
};

/** A container as answers show it (section 10). */
export type ContainerView = {
  id: string;
  slug: string;
  title: string;
  description: string;
  prefix: string;
  termSeconds: number;
  windowSeconds: number;
  public: boolean;
  revision: number;
  createdAt: Instant;
  archivedAt: Instant | null;
  badge: Badge;
  now: Instant;
  lock: LockSummary;
  /** Null before the container has a grid (E-5). */
  project: ProjectStatus | null;
} & Caution;

type Row = Omit<ContainerView, 'badge' | 'lock' | 'project' | keyof Caution> &
  Omit<LockSummary, 'revision'> & { lockRevision: number; cautionSince: Instant | null; cautionGrant: number | null };

const columns = `
    c.id, c.slug, c.title, c.description, c.prefix, c.term_seconds AS "termSeconds", c.window_seconds AS "windowSeconds", c.public,
    c.revision, c.created_at AS "createdAt", c.archived_at AS "archivedAt", coalesce($1::timestamptz, clock_timestamp()) AS now,
    principal_ref(l.holder_id) AS holder, l.reason, l."grant", l.granted_at AS "grantedAt", l.expires_at AS "expiresAt",
    l.last_beat_at AS "lastBeatAt", l.available_since AS "availableSince", l.revision AS "lockRevision",
    l.caution_since AS "cautionSince", l.caution_grant AS "cautionGrant", w.waiting
  FROM container c JOIN lock_page l ON l.container_id = c.id
  CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM petition t WHERE t.container_id = c.id AND t.state = 'waiting') w`;
const BY_SLUG = statement(`SELECT ${columns} WHERE c.slug = $2`);
const BY_ID = statement(`SELECT ${columns} WHERE c.id = $2`);
const LIST = statement(`
  SELECT ${columns}
  WHERE (c.public OR $2) AND ($3::text IS NULL OR c.slug > $3)
    AND ($4::text IS NULL OR c.title ILIKE $4 OR c.slug ILIKE $4 OR c.description ILIKE $4)
    AND ($5::text IS NULL OR $5 = CASE
      WHEN l.holder_id IS NULL THEN CASE WHEN w.waiting > 0 THEN 'HANDOVER' ELSE 'OPEN' END
      WHEN clock_timestamp() < l.expires_at THEN 'HELD' ELSE 'HOLDER SILENT' END)
    AND ($6 OR c.archived_at IS NULL)
  ORDER BY c.slug LIMIT $7`);

const HELD = statement(`
  SELECT ${columns}
  WHERE (c.public OR $2) AND l.holder_id IS NOT NULL AND l.expires_at > clock_timestamp()
  ORDER BY l.expires_at, c.slug LIMIT $3`);

function viewOf(found: Row, project: ProjectStatus | undefined): ContainerView {
  const page = { ...found, holderId: found.holder?.id ?? null };
  return {
    id: found.id,
    slug: found.slug,
    title: found.title,
    description: found.description,
    prefix: found.prefix,
    termSeconds: found.termSeconds,
    windowSeconds: found.windowSeconds,
    public: found.public,
    revision: found.revision,
    createdAt: found.createdAt,
    archivedAt: found.archivedAt,
    badge: badgeOf(page, found.now, found.waiting),
    ...cautionOf(page, found.now),
    now: found.now,
    project: project ?? null,
    lock: {
      holder: found.holder,
      reason: found.reason,
      grant: found.grant,
      grantedAt: found.grantedAt,
      expiresAt: found.expiresAt,
      lastBeatAt: found.lastBeatAt,
      availableSince: found.availableSince,
      revision: found.lockRevision,
      waiting: found.waiting,
    },
  };
}

/**
 * One container with badge, caution and lock.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readContainer(q: Queryable, slug: string, viewer: Viewer): Promise<ContainerView> {
  const found = await row<Row>(q, BY_SLUG, [null, slug]);
  assertReadable(found, viewer);
  return viewOf(found, (await readProjects(q, [found.id])).get(found.id));
}

/** A container as it stands inside a write, at that write's instant. */
export async function readContainerWithin(q: Queryable, id: string, now: Instant): Promise<ContainerView> {
  return viewOf((await row<Row>(q, BY_ID, [now, id]))!, (await readProjects(q, [id])).get(id));
}

export type ContainerFilter = { badge?: Badge; q?: string; archived?: boolean };

/**
 * The containers that the viewer may read, by slug; archived ones only when asked for.
 * @throws Problem `invalid-input` (an unknown cursor)
 */
export async function readContainers(q: Queryable, viewer: Viewer, filter: ContainerFilter, request: PageRequest): Promise<Page<ContainerView>> {
  if (request.cursor !== undefined && !/^[a-z0-9-]{1,64}$/.test(request.cursor)) throw unknownCursor();
  const query = filter.q?.trim() ? containing(filter.q.trim()) : null;
  const found = await rows<Row>(q, LIST, [null, viewer !== undefined, request.cursor ?? null, query, filter.badge ?? null, filter.archived ?? false, request.limit + 1]);
  const page = pageOf(found, request.limit, (c) => c.slug);
  const projects = await readProjects(q, page.items.map((c) => c.id));
  return { items: page.items.map((c) => viewOf(c, projects.get(c.id))), next: page.next };
}

/** The containers whose lock is held now, the soonest expiry first: which lock may fall silent next. */
export async function readHeld(q: Queryable, viewer: Viewer, limit: number): Promise<ContainerView[]> {
  const found = await rows<Row>(q, HELD, [null, viewer !== undefined, limit]);
  return found.map((c) => viewOf(c, undefined)).filter((c) => c.badge === 'HELD');
}

export type BadgeView = { badge: Badge; now: Instant } & Caution;

/** The badge alone; no sign-in for public containers. @throws Problem `not-found`, `unauthenticated` */
export async function readBadge(q: Queryable, slug: string, viewer: Viewer): Promise<BadgeView> {
  const { badge, caution, cautionSince, cautionGrant, now } = await readContainer(q, slug, viewer);
  return { badge, caution, cautionSince, cautionGrant, now };
}

/** What the badge's picture tells, who may keep it, and when it changes by time alone. */
export type BadgePicture = BadgeView & Pick<ContainerView, 'title' | 'public'> & { holder: PrincipalRef | null; changesAt: Instant | null };

/**
 * The badge with what its picture shows. Of all that happens by itself, only a holder's expiry
 * changes a badge or puts the caution on: a turn that begins leaves HANDOVER what it was, and
 * petitions end by somebody's act.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readBadgePicture(q: Queryable, slug: string, viewer: Viewer): Promise<BadgePicture> {
  const found = await row<Row>(q, BY_SLUG, [null, slug]);
  assertReadable(found, viewer);
  const { badge, caution, cautionSince, cautionGrant, now, title, lock } = viewOf(found, undefined);
  return { badge, caution, cautionSince, cautionGrant, now, title, public: found.public, holder: lock.holder, changesAt: badge === 'HELD' ? lock.expiresAt : null };
}

/** A revision of a container's description and settings (W-1). */
export type ContainerRevision = {
  revision: number;
  author: PrincipalRef | null;
  at: Instant;
  summary: string;
  fields: Pick<ContainerView, 'slug' | 'title' | 'description' | 'prefix' | 'public' | 'termSeconds' | 'windowSeconds'>;
};

const revisionColumns = `
    r.revision, principal_ref(r.author_id) AS author, r.at, r.summary,
    jsonb_build_object('slug', r.slug, 'title', r.title, 'description', r.description, 'prefix', r.prefix, 'public', r.public,
      'termSeconds', r.term_seconds, 'windowSeconds', r.window_seconds) AS fields
  FROM container_revision r WHERE r.container_id = $1`;
const REVISIONS = statement(`SELECT ${revisionColumns} AND ($2::int IS NULL OR r.revision < $2) ORDER BY r.revision DESC LIMIT $3`);
const REVISION = statement(`SELECT ${revisionColumns} AND r.revision = $2`);

/** One revision of a container's description and settings, or undefined. */
export const readContainerRevision = async (q: Queryable, containerId: string, revision: number): Promise<ContainerRevision | undefined> =>
  revision < 2 ** 31 ? row<ContainerRevision>(q, REVISION, [containerId, revision]) : undefined;

/** A container's history, newest first. @throws Problem `not-found`, `unauthenticated`, `invalid-input` */
export async function readContainerRevisions(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<ContainerRevision>> {
  const container = await readContainer(q, slug, viewer);
  const before = numberCursor(request.cursor, container.revision + 1);
  const found = await rows<ContainerRevision>(q, REVISIONS, [container.id, before ?? null, request.limit + 1]);
  return pageOf(found, request.limit, (r) => r.revision);
}
