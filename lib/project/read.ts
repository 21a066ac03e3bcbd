/** E-4, E-5: the grid with each arrow's derived status, and the project's, in one snapshot. */
import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Queryable } from '../db/pool';
import { arrowStatus, projectStatus, type ArrowStatus, type ClauseStatus, type ProjectStatus } from '../engine';
import type { Grid } from '../grid/document';
import { gridVersion } from '../grid/read';
import { notFound, Problem } from '../problems';

type ArrowRow = { id: string; invalidated: boolean; conservative: boolean; evaluated: boolean; clauses: ClauseStatus[] | null };

/** `conservative`: invalidated only because it declares no dependencies. */
export type ArrowView = { id: string; status: ArrowStatus; conservative?: true };
/** The current grid as answers show it (section 10). */
export type GridView = { version: number; digest: string; grid: Grid; arrows: ArrowView[]; project: ProjectStatus };

const ARROWS = `(
  SELECT jsonb_agg(jsonb_build_object('id', x.arrow->>'id', 'invalidated', coalesce(a.invalidated, false), 'conservative', coalesce(a.conservative, false),
    'evaluated', a.pass_id IS NOT NULL, 'clauses', (SELECT jsonb_agg(k.status) FROM clause k WHERE k.pass_id = a.pass_id)) ORDER BY x.place)
  FROM jsonb_array_elements(v.grid->'arrows') WITH ORDINALITY AS x (arrow, place)
  LEFT JOIN arrow a ON a.container_id = g.container_id AND a.id = x.arrow->>'id')`;
const GRID = statement(`
  SELECT c.id, c.public, v.version, v.digest, v.grid, coalesce(${ARROWS}, '[]') AS arrows
  FROM container c LEFT JOIN grid g ON g.container_id = c.id LEFT JOIN grid_version v ON v.container_id = g.container_id AND v.version = g.version
  WHERE c.slug = $1`);
const STATUSES = statement(`
  SELECT g.container_id AS id, v.version, coalesce(${ARROWS}, '[]') AS arrows
  FROM grid g JOIN grid_version v ON v.container_id = g.container_id AND v.version = g.version WHERE g.container_id = ANY ($1::uuid[])`);

const viewOf = ({ id, invalidated, conservative, evaluated, clauses }: ArrowRow): ArrowView => ({
  id,
  status: arrowStatus(invalidated, evaluated ? (clauses ?? []) : undefined),
  ...(invalidated && conservative ? { conservative: true as const } : {}),
});

/**
 * The current grid, the status of each arrow, and the project's; undefined before version 1 (G-1).
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function findGrid(q: Queryable, slug: string, viewer: Viewer): Promise<GridView | undefined> {
  type Row = { id: string; public: boolean; version: number | null; digest: string; grid: Grid; arrows: ArrowRow[] };
  const found = await row<Row>(q, GRID, [slug]);
  assertReadable(found, viewer);
  if (found.version === null) return undefined;
  const arrows = found.arrows.map(viewOf);
  return { version: found.version, digest: found.digest, grid: found.grid, arrows, project: projectStatus(found.version, arrows.map((a) => a.status)) };
}

/**
 * As `findGrid`, where there must be one.
 * @throws Problem `not-found`, `unauthenticated`, `grid-missing`
 */
export async function readGrid(q: Queryable, slug: string, viewer: Viewer): Promise<GridView> {
  const found = await findGrid(q, slug, viewer);
  if (!found) throw new Problem('grid-missing', 'This container has no grid yet.');
  return found;
}

const CONTAINER = statement(`SELECT id, public FROM container WHERE slug = $1`);

/** A version of the grid that once was current (G-3). @throws Problem `not-found`, `unauthenticated` */
export async function readGridVersion(q: Queryable, slug: string, viewer: Viewer, version: number): Promise<{ version: number; digest: string; grid: Grid }> {
  const container = await row<{ id: string; public: boolean }>(q, CONTAINER, [slug]);
  assertReadable(container, viewer);
  const found = await gridVersion(q, container.id, version);
  if (!found) throw notFound('grid version');
  return found;
}

/** The project status of each of these containers that has a grid (E-5). */
export async function readProjects(q: Queryable, containerIds: string[]): Promise<Map<string, ProjectStatus>> {
  if (containerIds.length === 0) return new Map();
  const found = await rows<{ id: string; version: number; arrows: ArrowRow[] }>(q, STATUSES, [containerIds]);
  return new Map(found.map(({ id, version, arrows }) => [id, projectStatus(version, arrows.map((a) => viewOf(a).status))]));
}
