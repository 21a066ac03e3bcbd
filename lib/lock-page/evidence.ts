import { assertReadable, type Viewer } from '../containers/access';
import { row, statement, type Queryable } from '../db/pool';
import { isHeld } from '../db/fence';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';
import { missedBeats, rhythmOf, type MissedBeats, type Rhythm } from './rhythm';

/** Why somebody may know more of a silent holder. */
export type AskBecause = 'holder' | 'waiting' | 'block' | 'lease' | 'held-before';
export type Ask = { principal: PrincipalRef; because: AskBecause[] };

/** The newest edit of a silent holder under its grant: on the lock page, the collaboration page, or a draft of its own. */
export type LastEdit = { on: 'lock' | 'collaboration' | 'drafts'; summary: string; revision: number; at: Instant };

/** What ends when the grant is cleared, or superseded (LP-8). */
export type AtStake = {
  leases: { to: PrincipalRef; from: string; through: string }[];
  blocks: { title: string; assignee: PrincipalRef }[];
  passes: { arrow: string; role: string; context: string }[];
  /** Amendments that wait to be decided: they need a new justification. */
  amendments: number;
  /** Open drafts: kept for their authors. */
  drafts: number;
};

/** What is known of a holder that has fallen silent. */
export type Evidence = {
  now: Instant;
  holder: PrincipalRef;
  grant: number;
  grantedAt: Instant;
  expiresAt: Instant;
  lastBeatAt: Instant;
  termSeconds: number;
  /** Heartbeats that came after the grant began, in all. */
  beatCount: number;
  /** The newest of them, oldest first; up to 500. */
  beats: Instant[];
  rhythm: Rhythm;
  missed: MissedBeats;
  lastEdit: LastEdit | null;
  lastPush: { sequence: number; message: string; at: Instant; entries: number } | null;
  waiting: number;
  ask: Ask[];
  atStake: AtStake;
};

type Known = Pick<Evidence, 'holder' | 'grant' | 'grantedAt' | 'expiresAt' | 'lastBeatAt' | 'termSeconds' | 'now' | 'beatCount' | 'beats' | 'lastEdit' | 'lastPush'>;
type Asked = { waiting: PrincipalRef[]; blocks: PrincipalRef[]; leases: PrincipalRef[]; before: PrincipalRef[] };
type Row = Omit<Known, 'holder'> & { public: boolean; holder: PrincipalRef | null } & Asked & { atStake: AtStake };

// One statement, so that what is shown is of one snapshot. A draft's title is its author's alone.
const READ = statement(`
  WITH here AS MATERIALIZED (
    SELECT c.id, c.public, c.prefix, clock_timestamp() AS now, l.holder_id, l."grant", l.granted_at, l.expires_at, l.last_beat_at, l.grant_term_seconds
    FROM container c JOIN lock_page l ON l.container_id = c.id WHERE c.slug = $1
  ), edits AS (
    (SELECT 'lock' AS kind, r.summary, r.revision, r.at FROM here JOIN lock_revision r ON r.container_id = here.id AND r."grant" = here."grant"
     WHERE r.author_id = here.holder_id AND r.kind <> 'heartbeat' ORDER BY r.revision DESC LIMIT 1)
    UNION ALL
    (SELECT 'collaboration', r.summary, r.revision, r.at FROM here JOIN collaboration_revision r ON r.container_id = here.id
     WHERE r.author_id = here.holder_id AND r.at > here.granted_at ORDER BY r.revision DESC LIMIT 1)
    UNION ALL
    (SELECT 'drafts', 'Saved a draft', r.revision, r.at FROM here JOIN draft_revision r ON r.container_id = here.id AND r."grant" = here."grant"
     WHERE r.author_id = here.holder_id ORDER BY r.at DESC LIMIT 1)
  )
  SELECT here.public, here.now, principal_ref(here.holder_id) AS holder, here."grant", here.granted_at AS "grantedAt", here.expires_at AS "expiresAt",
    here.last_beat_at AS "lastBeatAt", here.grant_term_seconds AS "termSeconds",
    (SELECT count(*) FROM lock_revision r WHERE r.container_id = here.id AND r."grant" = here."grant" AND r.kind = 'heartbeat') AS "beatCount",
    coalesce((SELECT jsonb_agg(iso(b.at) ORDER BY b.revision) FROM (
      SELECT r.at, r.revision FROM lock_revision r
      WHERE r.container_id = here.id AND r."grant" = here."grant" AND r.kind = 'heartbeat' ORDER BY r.revision DESC LIMIT 500) b), '[]') AS beats,
    (SELECT jsonb_build_object('on', e.kind, 'summary', e.summary, 'revision', e.revision, 'at', iso(e.at)) FROM edits e ORDER BY e.at DESC LIMIT 1) AS "lastEdit",
    (SELECT jsonb_build_object('sequence', p.sequence, 'message', p.message, 'at', iso(p.at), 'entries', jsonb_array_length(p.entries))
      FROM landing p WHERE p.container_id = here.id AND p."grant" = here."grant" ORDER BY p.sequence DESC LIMIT 1) AS "lastPush",
    coalesce((SELECT jsonb_agg(principal_ref(t.principal_id) ORDER BY t.revision) FROM petition t WHERE t.container_id = here.id AND t.state = 'waiting'), '[]') AS waiting,
    coalesce((SELECT jsonb_agg(principal_ref(b.assignee_id) ORDER BY b.at) FROM block b WHERE b.container_id = here.id AND b.state = 'open'), '[]') AS blocks,
    coalesce((SELECT jsonb_agg(principal_ref(s.to_id) ORDER BY s.at) FROM lease s WHERE s.container_id = here.id AND s.state = 'active'), '[]') AS leases,
    coalesce((SELECT jsonb_agg(principal_ref(g.holder_id) ORDER BY g.number DESC) FROM (
      SELECT g.number, g.holder_id FROM lock_grant g WHERE g.container_id = here.id AND g.number < here."grant" ORDER BY g.number DESC LIMIT 5) g), '[]') AS before,
    jsonb_build_object(
      'leases', coalesce((SELECT jsonb_agg(jsonb_build_object('to', principal_ref(s.to_id), 'from', here.prefix || '-' || lower(s.ids), 'through', here.prefix || '-' || (upper(s.ids) - 1)) ORDER BY lower(s.ids))
        FROM lease s WHERE s.container_id = here.id AND s.state = 'active'), '[]'),
      'blocks', coalesce((SELECT jsonb_agg(jsonb_build_object('title', b.title, 'assignee', principal_ref(b.assignee_id)) ORDER BY b.at)
        FROM block b WHERE b.container_id = here.id AND b.state = 'open'), '[]'),
      'passes', coalesce((SELECT jsonb_agg(jsonb_build_object('arrow', p.arrow_id, 'role', p.role, 'context', p.context) ORDER BY p.started_at)
        FROM pass p WHERE p.container_id = here.id AND p.state = 'running'), '[]'),
      'amendments', (SELECT count(*) FROM amendment a WHERE a.container_id = here.id AND a."grant" = here."grant" AND a.state = 'queued'),
      'drafts', (SELECT count(*) FROM draft d WHERE d.container_id = here.id AND d."grant" = here."grant" AND d.state = 'open')) AS "atStake"
  FROM here`);

/** Who could be asked, each once with every reason: the holder first, then those whose work hangs on it. Pure. */
export function whomToAsk(holder: PrincipalRef, asked: Asked): Ask[] {
  const found = new Map<string, Ask>();
  const add = (because: AskBecause) => (principal: PrincipalRef) => {
    const known = found.get(principal.id) ?? { principal, because: [] };
    if (!known.because.includes(because)) known.because.push(because);
    found.set(principal.id, known);
  };
  add('holder')(holder);
  asked.blocks.forEach(add('block'));
  asked.leases.forEach(add('lease'));
  asked.waiting.forEach(add('waiting'));
  asked.before.filter(({ id }) => id !== holder.id).forEach(add('held-before'));
  return [...found.values()];
}

/**
 * What is known of a silent holder: heartbeats that came and that did not, its last edit and
 * push, who could be asked, and what a clear ends (LP-7, LP-8). Null where nobody is silent.
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function readEvidence(q: Queryable, slug: string, viewer: Viewer): Promise<Evidence | null> {
  const found = await row<Row>(q, READ, [slug]);
  assertReadable(found, viewer);
  const { public: _public, holder, waiting, blocks, leases, before, ...known } = found;
  if (!holder || isHeld({ holderId: holder.id, expiresAt: found.expiresAt }, found.now)) return null;
  const rhythm = rhythmOf(known.beatCount > known.beats.length ? known.beats : [known.grantedAt, ...known.beats], known.termSeconds);
  return {
    ...known,
    holder,
    rhythm,
    missed: missedBeats(known.lastBeatAt, known.expiresAt, rhythm),
    waiting: waiting.length,
    ask: whomToAsk(holder, { waiting, blocks, leases, before }),
  };
}
