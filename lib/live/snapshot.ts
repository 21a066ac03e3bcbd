/** What those who watch a container are told, read in one statement for all that are watched. */
import type { LockSummary } from '../containers/read';
import { row, rows, statement, type Queryable } from '../db/pool';
import { badgeOf, cautionOf, type Badge, type Caution } from '../lock-page/badge';
import type { Instant } from '../time';

/** What a page can show of a container, and so what an event is about. The first five are those of the API (section 10). */
export const TOPICS = ['lock', 'collaboration', 'landing', 'pass', 'grid', 'draft', 'container'] as const;
export type Topic = (typeof TOPICS)[number];
/** A version by topic: another text means that something changed. Not ordered. */
export type Versions = Record<Topic, string>;

/** A lock as it shows from outside: all that a badge needs, and who, why, since and until. */
export type LockFace = LockSummary & { badge: Badge; now: Instant } & Caution;

export type Snapshot = { id: string; slug: string; public: boolean; face: LockFace; versions: Versions };

type Row = Omit<LockFace, 'badge' | 'caution'> & Omit<Snapshot, 'face' | 'versions'> & { [T in Topic as `${T}Version`]: string };

// A pass's clauses move without a counter of the container's own: their moves are added up, over those
// passes whose moves still show (running, and each arrow's latest completed).
const SNAPSHOTS = statement(`
  SELECT c.id, c.slug, c.public, clock_timestamp() AS now,
    l.revision, principal_ref(l.holder_id) AS holder, l.reason, l."grant", l.granted_at AS "grantedAt", l.expires_at AS "expiresAt",
    l.last_beat_at AS "lastBeatAt", l.available_since AS "availableSince", l.caution_since AS "cautionSince", l.caution_grant AS "cautionGrant",
    w.waiting,
    l.revision || '.' || w.waiting || CASE WHEN l.holder_id IS NOT NULL AND l.expires_at <= clock_timestamp() THEN '.silent' ELSE '' END AS "lockVersion",
    o.revision::text AS "collaborationVersion", c.landings::text AS "landingVersion",
    c.revision || '.' || coalesce(c.archived_at::text, '') AS "containerVersion",
    coalesce(g.version || '.' || g.amendments || '.' || (
      SELECT count(*) || '.' || count(*) FILTER (WHERE a.state = 'committing') FROM amendment a
      WHERE a.container_id = c.id AND a.state IN ('queued', 'committing')), '') AS "gridVersion",
    coalesce(k.count, 0) || '.' || CASE WHEN g.version IS NULL THEN '' ELSE coalesce((SELECT max(p.started_at)::text FROM pass p WHERE p.container_id = c.id), '')
      || '.' || coalesce((SELECT sum(m.moves) FROM clause m WHERE m.pass_id IN (
        SELECT p.id FROM pass p WHERE p.container_id = c.id AND p.state = 'running'
        UNION ALL SELECT a.pass_id FROM arrow a WHERE a.container_id = c.id AND a.pass_id IS NOT NULL)), 0) END AS "passVersion",
    (SELECT coalesce(sum(d.revision), 0) || '.' || count(*) FILTER (WHERE d.state = 'open') FROM draft d
      WHERE d.container_id = c.id AND d."grant" = l."grant") AS "draftVersion"
  FROM container c
  JOIN lock_page l ON l.container_id = c.id JOIN collaboration_page o ON o.container_id = c.id
  LEFT JOIN grid g ON g.container_id = c.id LEFT JOIN checkpoint_chain k ON k.container_id = c.id
  CROSS JOIN LATERAL (SELECT count(*) AS waiting FROM petition t WHERE t.container_id = c.id AND t.state = 'waiting') w
  WHERE c.id = ANY ($1)`);

function snapshotOf(found: Row): Snapshot {
  const page = { ...found, holderId: found.holder?.id ?? null };
  const { now, revision, holder, reason, grant, grantedAt, expiresAt, lastBeatAt, availableSince, waiting } = found;
  return {
    id: found.id,
    slug: found.slug,
    public: found.public,
    face: { badge: badgeOf(page, now, waiting), ...cautionOf(page, now), now, revision, holder, reason, grant, grantedAt, expiresAt, lastBeatAt, availableSince, waiting },
    versions: Object.fromEntries(TOPICS.map((topic) => [topic, found[`${topic}Version`]])) as Versions,
  };
}

/** The present state of containers, by id; what is not there is left out. */
export async function readSnapshots(q: Queryable, containerIds: readonly string[]): Promise<Snapshot[]> {
  return containerIds.length === 0 ? [] : (await rows<Row>(q, SNAPSHOTS, [containerIds])).map(snapshotOf);
}

const BY_SLUG = statement('SELECT id FROM container WHERE slug = $1');

/** The present state of a container by its slug; undefined when there is none, or the text is no slug. */
export async function readSnapshotOf(q: Queryable, slug: string): Promise<Snapshot | undefined> {
  const found = /^[a-z0-9-]{1,100}$/.test(slug) ? await row<{ id: string }>(q, BY_SLUG, [slug]) : undefined;
  return found && (await readSnapshots(q, [found.id]))[0];
}

const READABLE = statement(`SELECT id, slug FROM container WHERE slug = ANY ($1) AND (public OR $2)`);

/** Those of these containers that somebody may watch; an anonymous viewer the public ones (P-2). */
export const readable = (q: Queryable, slugs: readonly string[], signedIn: boolean): Promise<{ id: string; slug: string }[]> =>
  rows<{ id: string; slug: string }>(q, READABLE, [slugs, signedIn]);

// Which containers there are and what state each is in: by time alone, too.
const BOARD = statement(`
  SELECT md5(coalesce(string_agg(c.number || '.' || c.revision || '.' || (c.archived_at IS NULL)::text || '.' || CASE
    WHEN l.holder_id IS NOT NULL THEN CASE WHEN clock_timestamp() < l.expires_at THEN 'held' ELSE 'silent' END
    WHEN EXISTS (SELECT 1 FROM petition t WHERE t.container_id = c.id AND t.state = 'waiting') THEN 'handover' ELSE 'open' END, ',' ORDER BY c.number), '')) AS version
  FROM container c JOIN lock_page l ON l.container_id = c.id`);
/** The version of the board: another once a container comes, changes or goes into another state. */
export const readBoardVersion = async (q: Queryable): Promise<string> => (await row<{ version: string }>(q, BOARD))!.version;

const NOW = statement('SELECT clock_timestamp() AS now');
/** The database's time. */
export const readNow = async (q: Queryable): Promise<Instant> => (await row<{ now: Instant }>(q, NOW))!.now;
