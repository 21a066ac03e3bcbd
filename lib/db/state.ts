/**
 * What a gated write decides on: the container, its lock page, the caller, and one instant,
 * all read in one statement after the gate was taken (T-1).
 */
import type pg from 'pg';
import { Problem } from '../problems';
import { hasRole, type PrincipalKind, type PrincipalRef, type Role } from '../roles';
import type { Instant } from '../time';
import { inGate, type GateMode } from './gate';
import { incarnationOf } from './incarnation';
import { liftGrants } from './lift';
import { row, statement, type Db } from './pool';

/** The lock page's fields (section 3). */
export type LockFields = {
  revision: number;
  holderId: string | null;
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
  grantTermSeconds: number;
  windowSeconds: number;
};

export type State = {
  /** The one instant of this write (T-1). */
  now: Instant;
  container: {
    id: string;
    slug: string;
    prefix: string;
    createdAt: Instant;
    archivedAt: Instant | null;
    termSeconds: number;
    windowSeconds: number;
    landings: number;
    headDigest: string;
  };
  page: LockFields;
  holder: PrincipalRef | null;
  /** How the page's grant ended, while nobody holds. */
  endedBy: 'release' | 'clear' | 'silence' | null;
  /** Accepted landings under the page's grant (LP-6). */
  pushes: number;
  caller: PrincipalRef & { role: Role };
  /** True when the register or a revision shows a grant above the page's (LP-4). */
  closed: boolean;
  evidence: number;
  /** Whether the container has an active webhook. */
  hooked: boolean;
};

type Row = {
  now: Instant;
  id: string;
  slug: string;
  prefix: string;
  createdAt: Instant;
  archivedAt: Instant | null;
  termSeconds: number;
  containerWindow: number;
  landings: number;
  headDigest: string;
  systemIdentifier: string;
  timeline: string;
  holderName: string | null;
  holderKind: PrincipalKind | null;
  endedBy: State['endedBy'];
  pushes: number | null;
  callerName: string | null;
  callerKind: PrincipalKind | null;
  callerRole: Role | null;
  callerActive: boolean | null;
  evidence: number;
  acceptedEvidence: number;
  hooked: boolean;
} & LockFields;

const READ = statement(`
  SELECT clock_timestamp() AS now,
    c.id, c.slug, c.prefix, c.created_at AS "createdAt", c.archived_at AS "archivedAt", c.term_seconds AS "termSeconds",
    c.window_seconds AS "containerWindow", c.landings, c.head_digest AS "headDigest",
    c.system_identifier AS "systemIdentifier", c.timeline,
    l.revision, l.holder_id AS "holderId", l.reason, l."grant", l.next_grant AS "nextGrant", l.granted_at AS "grantedAt",
    l.expires_at AS "expiresAt", l.last_beat_at AS "lastBeatAt", l.available_since AS "availableSince",
    l.caution_since AS "cautionSince", l.caution_grant AS "cautionGrant", l.notes,
    l.grant_term_seconds AS "grantTermSeconds", l.window_seconds AS "windowSeconds",
    l.accepted_evidence AS "acceptedEvidence",
    h.name AS "holderName", h.kind AS "holderKind",
    g.ended_by AS "endedBy", g.pushes,
    p.name AS "callerName", p.kind AS "callerKind", p.role AS "callerRole", p.active AS "callerActive",
    greatest(
      (SELECT max(r."grant") FROM landing r WHERE r.container_id = c.id),
      (SELECT max(v."grant") FROM lock_revision v WHERE v.container_id = c.id),
      0) AS evidence,
    EXISTS (SELECT 1 FROM webhook w WHERE w.container_id = c.id AND w.active) AS hooked
  FROM container c
  JOIN lock_page l ON l.container_id = c.id
  LEFT JOIN principal h ON h.id = l.holder_id
  LEFT JOIN lock_grant g ON g.container_id = c.id AND g.number = l."grant"
  LEFT JOIN principal p ON p.id = $2
  WHERE c.id = $1`);

/** A gated transaction: its connection and what it decides on. */
export type Gated = { client: pg.PoolClient; state: State };

class OtherIncarnation extends Error {}

function stateOf(found: Row, callerId: string): State {
  return {
    now: found.now,
    container: {
      id: found.id,
      slug: found.slug,
      prefix: found.prefix,
      createdAt: found.createdAt,
      archivedAt: found.archivedAt,
      termSeconds: found.termSeconds,
      windowSeconds: found.containerWindow,
      landings: found.landings,
      headDigest: found.headDigest,
    },
    page: {
      revision: found.revision,
      holderId: found.holderId,
      reason: found.reason,
      grant: found.grant,
      nextGrant: found.nextGrant,
      grantedAt: found.grantedAt,
      expiresAt: found.expiresAt,
      lastBeatAt: found.lastBeatAt,
      availableSince: found.availableSince,
      cautionSince: found.cautionSince,
      cautionGrant: found.cautionGrant,
      notes: found.notes,
      grantTermSeconds: found.grantTermSeconds,
      windowSeconds: found.windowSeconds,
    },
    holder: found.holderId && found.holderName && found.holderKind ? { id: found.holderId, name: found.holderName, kind: found.holderKind } : null,
    endedBy: found.endedBy,
    pushes: found.pushes ?? 0,
    caller: { id: callerId, name: found.callerName!, kind: found.callerKind!, role: found.callerRole! },
    evidence: found.evidence,
    hooked: found.hooked,
    closed: found.evidence > Math.max(found.grant, found.acceptedEvidence),
  };
}

/**
 * Runs a write of a container: the gate first, then, in a statement of its own, the clock,
 * the page and the caller's role (P-1: access ends at once). A container that last saw
 * another life of the database has its grants lifted before the write (LP-4).
 * @param before statements to run between the gate and the reading of the clock; a shared
 *   write takes its row locks here, so that its instant comes after every wait
 * @throws Problem `not-found`, `unauthenticated` (a deactivated caller), `forbidden`, `busy`
 */
export async function write<T>(
  db: Db,
  slug: string,
  callerId: string,
  mode: GateMode,
  work: (gated: Gated) => Promise<T>,
  options: { role?: Role; before?: (client: pg.PoolClient, containerId: string) => Promise<void> } = {},
): Promise<T> {
  const attempt = () =>
    inGate(db, slug, mode, async (client, { id }) => {
      const incarnation = await incarnationOf(client);
      await options.before?.(client, id);
      const found = await row<Row>(client, READ, [id, callerId]);
      if (!found) throw new Error(`container ${id} has no lock page`);
      if (!found.callerRole || !found.callerActive) throw new Problem('unauthenticated', 'Your account is not active.');
      const needed = options.role ?? 'coworker';
      if (!hasRole(found.callerRole, needed)) throw forbidden(needed);
      if (found.systemIdentifier !== incarnation.systemIdentifier || found.timeline !== incarnation.timeline) throw new OtherIncarnation();
      return work({ client, state: stateOf(found, callerId) });
    });
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof OtherIncarnation)) throw error;
    await liftGrants(db, slug);
    return attempt();
  }
}

/** The refusal for a role that is not enough. */
export const forbidden = (needed: Role): Problem => new Problem('forbidden', `This needs the role ${needed}.`, { neededRole: needed });
