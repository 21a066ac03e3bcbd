import type { PrincipalRef } from '../roles';
import { row, rows, statement, type Queryable } from '../db/pool';
import { assertReadable, type Viewer } from '../containers/access';
import { numberCursor, pageOf, type Page, type PageRequest } from '../paging';
import { Problem } from '../problems';
import type { Instant } from '../time';

/** Section 10. `actor` is null for what Holdfast did itself. */
export type AuditLine = {
  at: Instant;
  actor: PrincipalRef | null;
  action: string;
  target: string;
  grant?: number;
  reason?: string;
  details: Record<string, unknown>;
};

/** An audit line with where it happened, for the operators' log. */
export type LoggedLine = AuditLine & { id: number; container: string | null };

export type AuditFilter = { container?: string; actor?: string; action?: string };

const READ = statement(`
  SELECT a.id, a.at, principal_ref(a.actor_id) AS actor, a.action, a.target, a."grant", a.reason, a.details, c.slug AS container
  FROM audit_line a LEFT JOIN container c ON c.id = a.container_id
  WHERE ($1::uuid IS NULL OR a.container_id = $1)
    AND ($2::bigint IS NULL OR a.id < $2)
    AND ($3::text IS NULL OR a.actor_id IN (SELECT id FROM principal WHERE name_key LIKE $3))
    AND ($4::text IS NULL OR a.action = $4)
    AND ($6::text IS NULL OR c.slug = $6)
  ORDER BY a.id DESC LIMIT $5`);
const LAST = statement(`SELECT coalesce(max(id), 0) AS last FROM audit_line`);
const CONTAINER = statement(`SELECT id, public FROM container WHERE slug = $1`);

/** A pattern for LIKE that finds `part` anywhere. */
export const containing = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

async function page(q: Queryable, containerId: string | null, filter: AuditFilter, request: PageRequest): Promise<Page<LoggedLine>> {
  const last = (await row<{ last: number }>(q, LAST))!.last;
  const before = numberCursor(request.cursor, last + 1);
  const actor = filter.actor ? containing(filter.actor.normalize('NFKC').toLowerCase()) : null;
  type Row = Omit<LoggedLine, 'grant' | 'reason'> & { grant: number | null; reason: string | null };
  const found = await rows<Row>(q, READ, [containerId, before ?? null, actor, filter.action || null, request.limit + 1, filter.container || null]);
  const { items, next } = pageOf(found, request.limit, (line) => line.id);
  const lines = items.map(({ grant, reason, ...line }) => ({ ...line, ...(grant === null ? {} : { grant }), ...(reason === null ? {} : { reason }) }));
  return { items: lines, next };
}

/**
 * A container's audit lines, newest first.
 * @throws Problem `not-found`, `unauthenticated`, `invalid-input`
 */
export async function readAudit(q: Queryable, slug: string, viewer: Viewer, request: PageRequest): Promise<Page<AuditLine>> {
  const container = await row<{ id: string; public: boolean }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const { items, next } = await page(q, container.id, {}, request);
  return { items: items.map(({ id: _id, container: _container, ...line }) => line), next };
}

/**
 * The whole audit log, for operators, newest first.
 * @throws Problem `forbidden`, `invalid-input`
 */
export async function readAuditLog(q: Queryable, viewer: Viewer, filter: AuditFilter, request: PageRequest): Promise<Page<LoggedLine>> {
  if (viewer?.role !== 'operator') throw new Problem('forbidden', 'This needs the role operator.', { neededRole: 'operator' });
  return page(q, null, filter, request);
}
