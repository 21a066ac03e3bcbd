import { assertReadable, type Viewer } from '../containers/access';
import { row, statement, type Queryable } from '../db/pool';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';
import { byDay, type GrantDay } from './grant-days';

/** How a grant ended: by a release, by a clear, by another's acquisition after silence; or that it is held, or silent, now. */
export type GrantEnd = 'released' | 'cleared' | 'superseded' | 'held' | 'silent';

/** A grant on the time line. */
export type GrantSpan = {
  grant: number;
  holder: PrincipalRef;
  reason: string;
  from: Instant;
  /** Until when it could land: its release or its expiry; now, while it is held. */
  heldUntil: Instant;
  /** Until when its holder was on the lock page; now, while it still is. */
  until: Instant;
  end: GrantEnd;
  pushes: number;
};

export type GrantHistory = {
  now: Instant;
  since: Instant;
  /** How many grants touch the time; `more` when there were too many to count. */
  count: number;
  more: boolean;
  /** The newest, newest first. */
  spans: GrantSpan[];
  days: GrantDay[];
};

/** As many grants as are counted, and as many as are told one by one. */
const COUNTED = 5_000;
const TOLD = 100;

type Row = { public: boolean; now: Instant; since: Instant; spans: GrantSpan[] };

// One statement: the grants that touch the time, with the page that says how the last one stands. The
// history, long where heartbeats are many, is asked only for the expiry of those that fell silent.
const READ = statement(`
  WITH here AS MATERIALIZED (
    SELECT c.id, c.public, l.holder_id, l."grant", l.expires_at, n.now, n.now - make_interval(days => $2) AS since
    FROM container c JOIN lock_page l ON l.container_id = c.id CROSS JOIN (SELECT clock_timestamp() AS now) n WHERE c.slug = $1
  ), span AS (
    SELECT g.number, g.holder_id, g.reason, g.granted_at, g.pushes, g.ended_at, g.ended_by, coalesce(g.ended_at, here.now) AS until,
      CASE WHEN g.number = here."grant" THEN here.expires_at ELSE r.expires_at END AS expires_at,
      here.now, g.number = here."grant" AND here.holder_id IS NOT NULL AND here.now < here.expires_at AS held
    FROM here JOIN lock_grant g ON g.container_id = here.id
    CROSS JOIN LATERAL (
      SELECT max(r.expires_at) AS expires_at FROM lock_revision r WHERE g.ended_by <> 'release' AND r.container_id = g.container_id AND r."grant" = g.number
    ) r
    WHERE g.ended_at IS NULL OR g.ended_at > here.since
    ORDER BY g.number DESC LIMIT $3
  )
  SELECT here.public, here.now, here.since,
    coalesce((SELECT jsonb_agg(jsonb_build_object('grant', s.number, 'holder', principal_ref(s.holder_id), 'reason', s.reason, 'from', iso(s.granted_at),
      'heldUntil', iso(greatest(s.granted_at, least(coalesce(s.expires_at, s.until), s.until))), 'until', iso(s.until), 'pushes', s.pushes,
      'end', CASE s.ended_by WHEN 'release' THEN 'released' WHEN 'clear' THEN 'cleared' WHEN 'silence' THEN 'superseded'
        ELSE CASE WHEN s.held THEN 'held' ELSE 'silent' END END) ORDER BY s.number DESC) FROM span s), '[]') AS spans
  FROM here`);

const BEGAN = statement(`
  SELECT c.public, (SELECT min(r.revision) FROM lock_revision r WHERE r.container_id = c.id AND r."grant" = $2) AS revision FROM container c WHERE c.slug = $1`);

/**
 * The lock page's revision that began a grant; undefined where there was no such grant.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readGrantRevision(q: Queryable, slug: string, viewer: Viewer, grant: number): Promise<number | undefined> {
  const found = await row<{ public: boolean; revision: number | null }>(q, BEGAN, [slug, grant]);
  assertReadable(found, viewer);
  return found.revision ?? undefined;
}

/**
 * The grants of the last `days` days: who held, from when to when, and how each ended.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readGrants(q: Queryable, slug: string, viewer: Viewer, { days }: { days: number }): Promise<GrantHistory> {
  const found = await row<Row>(q, READ, [slug, days, COUNTED + 1]);
  assertReadable(found, viewer);
  const { now, since } = found;
  const spans = found.spans.slice(0, COUNTED);
  return { now, since, count: spans.length, more: found.spans.length > COUNTED, spans: spans.slice(0, TOLD), days: byDay(spans, since, now) };
}
