import { assertReadable, type Viewer } from '../containers/access';
import type { AuditLine } from '../audit/read';
import type { PrincipalRef } from '../roles';
import { row, statement, type Queryable } from '../db/pool';
import { instant, GRANT_CAP, micros, type Instant } from '../time';
import { badgeOf, cautionOf, type Badge } from './badge';
import { availableFrom, type QueuedPetition } from './queue';
import { layTurns } from './turns';

/** One place in the queue as answers show it. `turnAt`: when its turn begins; `turnEndsAt`: when the next may. */
export type QueuePlace = { petition: string; principal: PrincipalRef; reason: string; place: number; turnAt: Instant; turnEndsAt: Instant; revision: number; since: Instant };

/** The lock page as answers and pages show it (sections 3 and 10). */
export type LockView = {
  revision: number;
  holder: PrincipalRef | null;
  reason: string;
  grant: number;
  nextGrant: number;
  grantedAt: Instant | null;
  expiresAt: Instant | null;
  lastBeatAt: Instant | null;
  availableSince: Instant | null;
  cautionSince: Instant | null;
  cautionGrant: number | null;
  notes: string;
  audit: AuditLine[];
  badge: Badge;
  caution: boolean;
  now: Instant;
  /** The hard cap of the present grant (LP-5); null when nobody is on the page. */
  capAt: Instant | null;
  queue: QueuePlace[];
  /** When a coworker who is not waiting may acquire. */
  othersTurnAt: Instant;
  /** Accepted landings under the present grant: a release needs one (LP-6). */
  pushes: number;
};

type Row = Omit<LockView, 'badge' | 'caution' | 'capAt' | 'queue' | 'othersTurnAt'> & {
  containerId: string;
  public: boolean;
  windowSeconds: number;
  petitions: QueuedPetition[];
};

// One statement, so that fields, queue and audit lines are of one snapshot. The lock page's
// own audit lines are the interventions: what an operator, or Holdfast itself, did to it.
const columns = `
    c.id AS "containerId", c.public, coalesce($2::timestamptz, clock_timestamp()) AS now,
    l.revision, principal_ref(l.holder_id) AS holder, l.reason, l."grant", l.next_grant AS "nextGrant", l.granted_at AS "grantedAt",
    l.expires_at AS "expiresAt", l.last_beat_at AS "lastBeatAt", l.available_since AS "availableSince",
    l.caution_since AS "cautionSince", l.caution_grant AS "cautionGrant", l.notes, l.window_seconds AS "windowSeconds",
    coalesce((SELECT g.pushes FROM lock_grant g WHERE g.container_id = c.id AND g.number = l."grant"), 0) AS pushes,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', t.id, 'principalId', t.principal_id, 'principal', principal_ref(t.principal_id),
        'reason', t.reason, 'revision', t.revision, 'missed', t.missed, 'at', iso(t.at), 'endedAt', iso(t.ended_at)) ORDER BY t.revision)
      FROM petition t
      WHERE t.container_id = c.id AND (t.state = 'waiting'
        OR (t.state = 'withdrawn' AND t.ended_at > CASE WHEN l.holder_id IS NULL THEN l.available_since ELSE l.expires_at END))
    ), '[]') AS petitions,
    coalesce((
      SELECT jsonb_agg(jsonb_build_object('at', iso(a.at), 'actor', principal_ref(a.actor_id), 'action', a.action, 'target', a.target,
        'details', a.details) || jsonb_strip_nulls(jsonb_build_object('grant', a."grant", 'reason', a.reason)) ORDER BY a.id DESC)
      FROM (SELECT * FROM audit_line WHERE container_id = c.id AND action IN ('clear', 'reopen') ORDER BY id DESC LIMIT 100) a
    ), '[]') AS audit
  FROM container c JOIN lock_page l ON l.container_id = c.id`;
const BY_SLUG = statement(`SELECT ${columns} WHERE c.slug = $1`);
const BY_ID = statement(`SELECT ${columns} WHERE c.id = $1`);

function viewOf(found: Row): LockView {
  const page = { ...found, holderId: found.holder?.id ?? null };
  const turns = layTurns(availableFrom(page), found.windowSeconds, found.petitions);
  const caution = cautionOf(page, found.now);
  return {
    revision: found.revision,
    holder: found.holder,
    reason: found.reason,
    grant: found.grant,
    nextGrant: found.nextGrant,
    grantedAt: found.grantedAt,
    expiresAt: found.expiresAt,
    lastBeatAt: found.lastBeatAt,
    availableSince: found.availableSince,
    ...caution,
    notes: found.notes,
    audit: found.audit,
    badge: badgeOf(page, found.now, turns.slots.length),
    now: found.now,
    capAt: found.holder && found.grantedAt ? instant(micros(found.grantedAt) + GRANT_CAP) : null,
    queue: turns.slots.map(({ waiter, begin, end }, index) => ({
      petition: waiter.id,
      principal: waiter.principal,
      reason: waiter.reason,
      place: index + 1,
      turnAt: begin,
      turnEndsAt: end,
      revision: waiter.revision,
      since: waiter.at,
    })),
    othersTurnAt: turns.othersFrom,
    pushes: found.pushes,
  };
}

/**
 * The lock page with badge, caution, queue and audit lines, from one snapshot.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readLock(q: Queryable, slug: string, viewer: Viewer): Promise<LockView> {
  const found = await row<Row>(q, BY_SLUG, [slug, null]);
  assertReadable(found, viewer);
  return viewOf(found);
}

/** The lock page as it stands inside a write, at that write's instant. */
export async function readLockWithin(q: Queryable, containerId: string, now: Instant): Promise<LockView> {
  const found = await row<Row>(q, BY_ID, [containerId, now]);
  if (!found) throw new Error(`container ${containerId} has no lock page`);
  return viewOf(found);
}
