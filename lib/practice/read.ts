/**
 * The guided first visit: a newcomer to the demo goes once through petition, turn, acquire,
 * lease, draft, push and release, in a container of its own, with a guide that hands over.
 * Nothing is remembered of how far somebody is: the record says so.
 */
import { row, statement, type Queryable } from '../db/pool';

/** What is to be done next. `lapsed`: the newcomer's own grant ran out, so it begins again at the petition. */
export const STEPS = ['petition', 'turn', 'acquire', 'lease', 'draft', 'push', 'release', 'done'] as const;
export type Step = (typeof STEPS)[number];

/** A newcomer's practice. `held`: by a grant that has not run out. */
export type Practice = { slug: string; title: string; step: Step; held: boolean; identifier: string | null };

/** The slugs of a principal's practice containers begin so; a number follows. */
export const practicePrefix = (principalId: string): string => `practice-${principalId.slice(0, 8)}-`;

type Row = {
  slug: string;
  title: string;
  holds: boolean;
  held: boolean;
  waiting: boolean;
  done: boolean;
  leased: boolean;
  drafted: boolean;
  pushed: boolean;
  identifier: string | null;
};

const READ = statement(`
  SELECT c.slug, c.title,
    l.holder_id = $1 AND clock_timestamp() < l.expires_at AS holds,
    l.holder_id IS NOT NULL AND clock_timestamp() < l.expires_at AS held,
    EXISTS (SELECT 1 FROM petition t WHERE t.container_id = c.id AND t.principal_id = $1 AND t.state = 'waiting') AS waiting,
    EXISTS (SELECT 1 FROM lock_grant g WHERE g.container_id = c.id AND g.holder_id = $1 AND g.ended_by = 'release') AS done,
    EXISTS (SELECT 1 FROM lease s WHERE s.container_id = c.id AND s."grant" = l."grant" AND s.to_id = $1) AS leased,
    EXISTS (SELECT 1 FROM draft d WHERE d.container_id = c.id AND d."grant" = l."grant" AND d.author_id = $1 AND d.state = 'open') AS drafted,
    EXISTS (SELECT 1 FROM lock_grant g WHERE g.container_id = c.id AND g.number = l."grant" AND g.pushes > 0) AS pushed,
    (SELECT c.prefix || '-' || lower(s.ids) FROM lease s WHERE s.container_id = c.id AND s."grant" = l."grant" AND s.to_id = $1 AND s.state = 'active' ORDER BY s.at LIMIT 1) AS identifier
  FROM container c JOIN lock_page l ON l.container_id = c.id
  WHERE starts_with(c.slug, $2) AND c.archived_at IS NULL
  ORDER BY c.number DESC LIMIT 1`);

function stepOf(found: Row): Step {
  if (found.holds) return found.pushed ? 'release' : found.drafted ? 'push' : found.leased ? 'draft' : 'lease';
  if (found.done) return 'done';
  if (!found.waiting) return 'petition';
  return found.held ? 'turn' : 'acquire';
}

/** A principal's latest practice, or undefined. */
export async function readPractice(q: Queryable, principalId: string): Promise<Practice | undefined> {
  const found = await row<Row>(q, READ, [principalId, practicePrefix(principalId)]);
  return found && { slug: found.slug, title: found.title, step: stepOf(found), held: found.held, identifier: found.identifier };
}
