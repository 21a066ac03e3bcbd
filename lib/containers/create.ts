import { writeAudit } from '../audit/write';
import { constraintOf, isUniqueViolation } from '../db/errors';
import { inTransaction } from '../db/gate';
import { hint } from '../db/hints';
import { incarnationOf } from '../db/incarnation';
import { row, statement, type Db } from '../db/pool';
import { actorId, assertOperator, type Actor } from '../principals/record';
import { Problem } from '../problems';
import type { Instant } from '../time';
import { readContainerWithin, type ContainerView } from './read';

export type NewContainer = {
  slug: string;
  title: string;
  description?: string;
  /** 2 to 8 capital letters; else the first letters of the slug. */
  prefix?: string;
  termSeconds?: number;
  windowSeconds?: number;
  public?: boolean;
};

export const DEFAULT_TERM_SECONDS = 4 * 3600;
export const DEFAULT_WINDOW_SECONDS = 15 * 60;

// One statement: a container never stands without its lock and collaboration page (LP-1).
const CREATE = statement(`
  WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
  made AS (
    INSERT INTO container (slug, title, description, prefix, public, term_seconds, window_seconds, created_at, system_identifier, timeline)
    SELECT $1, $2, $3, $4, $5, $6, $7, now, $8, $9 FROM clock RETURNING *
  ),
  lock AS (
    INSERT INTO lock_page (container_id, available_since, grant_term_seconds, window_seconds)
    SELECT id, created_at, term_seconds, window_seconds FROM made RETURNING *
  ),
  lock_history AS (
    INSERT INTO lock_revision (container_id, revision, kind, author_id, at, summary, reason, "grant", next_grant, available_since, notes)
    SELECT container_id, revision, 'create', $10, available_since, 'Created', reason, "grant", next_grant, available_since, notes FROM lock
  ),
  page AS (INSERT INTO collaboration_page (container_id) SELECT id FROM made RETURNING *),
  page_history AS (
    INSERT INTO collaboration_revision (container_id, revision, kind, author_id, at, summary, notes)
    SELECT page.container_id, page.revision, 'create', $10, made.created_at, 'Created', page.notes FROM page, made
  ),
  history AS (
    INSERT INTO container_revision (container_id, revision, author_id, at, summary, slug, title, description, prefix, public, term_seconds, window_seconds)
    SELECT id, revision, $10, created_at, 'Created', slug, title, description, prefix, public, term_seconds, window_seconds FROM made
  )
  SELECT id, created_at AS at FROM made`);

/** A prefix from a slug: its first letters, 2 to 4 of them; `HF` where it has too few. */
export function prefixFrom(slug: string): string {
  const letters = slug.toUpperCase().replace(/[^A-Z]/g, '').slice(0, 4);
  return letters.length >= 2 ? letters : 'HF';
}

/**
 * Creates a container with its lock page, collaboration page, register and copy (LP-1); operators and the host.
 * @throws Problem `unauthenticated`, `forbidden`, `slug-taken`
 */
export async function createContainer(db: Db, actor: Actor, input: NewContainer): Promise<ContainerView> {
  try {
    const made = await inTransaction(db, async (client) => {
      await assertOperator(client, actor);
      const incarnation = await incarnationOf(client);
      const made = (await row<{ id: string; at: Instant }>(client, CREATE, [
        input.slug,
        input.title,
        input.description ?? '',
        input.prefix ?? prefixFrom(input.slug),
        input.public ?? false,
        input.termSeconds ?? DEFAULT_TERM_SECONDS,
        input.windowSeconds ?? DEFAULT_WINDOW_SECONDS,
        incarnation.systemIdentifier,
        incarnation.timeline,
        actorId(actor),
      ]))!;
      await writeAudit(client, { containerId: made.id, at: made.at, actorId: actorId(actor), action: 'container-created', target: input.slug, details: { title: input.title } });
      return readContainerWithin(client, made.id, made.at);
    });
    hint(db, { containers: [made.id] });
    return made;
  } catch (error) {
    throw slugTaken(error, input.slug) ?? error;
  }
}

/** The refusal for a slug that another container has, when that is what the database said. */
export function slugTaken(error: unknown, slug: string | undefined): Problem | undefined {
  if (!isUniqueViolation(error) || !constraintOf(error)?.includes('slug')) return undefined;
  return new Problem('slug-taken', `There is a container “${slug}” already.`);
}

