/** What tests of amendments share: an instance whose amendments are decided only when the test says so, and requests with defaults. */
import { requestAmendment, type Amendment } from '../amendment';
import { beginRecovery, finishStep, STEPS } from '../db/phase';
import type { Dependency, Grid } from '../grid/document';
import { readGrid, type GridView } from '../project/read';
import type { Principal } from '../principals/record';
import { registerInstance, type Registered } from '../recovery/instance';
import type { World } from './world';

/** Makes this process go on as an instance that has recovered. */
export function actAs(instanceId: string): void {
  beginRecovery(instanceId);
  for (const step of STEPS) finishStep(step);
}

/** A new recovered instance without a decider, as which this process goes on. Close it in `afterAll`. */
export async function quietInstance({ db, url }: Pick<World, 'db' | 'url'>): Promise<Registered> {
  const instance = await registerInstance(db, url);
  actAs(instance.id);
  return instance;
}

export const gridNow = (w: World, slug: string): Promise<GridView> => readGrid(w.db, slug, w.operator);

export type Asked = { grid?: Grid; change?: (grid: Grid) => Grid; changes?: Dependency[]; base?: number; grant?: number; rationale?: string };

/** Asks for an amendment, by the operator unless told otherwise: of the current grid, unchanged, unless told otherwise. */
export async function ask(w: World, slug: string, asked: Asked = {}, who: Pick<Principal, 'id'> = w.operator): Promise<Amendment> {
  const { version, grid } = await gridNow(w, slug);
  const wanted = asked.grid ?? grid;
  return requestAmendment(w.db, slug, who.id, {
    ...(asked.grant === undefined ? {} : { grant: asked.grant }),
    baseVersion: asked.base ?? version,
    changes: asked.changes ?? [],
    grid: asked.change ? asked.change(wanted) : wanted,
    rationale: asked.rationale ?? 'Because',
  });
}

/** The rows of a statement about one container, whose id is `$1`. */
export async function found<R extends object>({ db }: World, slug: string, sql: string, values: unknown[] = []): Promise<R[]> {
  const { rows: containers } = await db.query<{ id: string }>('SELECT id FROM container WHERE slug = $1', [slug]);
  return (await db.query<R>(sql, [containers[0]!.id, ...values])).rows;
}

type State = Pick<Amendment, 'id' | 'state' | 'version' | 'outcome'>;
/** A container's amendments by their places. */
export const amendmentsOf = (w: World, slug: string): Promise<State[]> =>
  found<State>(w, slug, `SELECT id, state, version, outcome FROM amendment WHERE container_id = $1 ORDER BY place`);
