/** What tests of grids and passes share: grids with defaults, started passes, clauses brought to a state. */
import { initGrid } from '../amendment';
import { isVerdict, propose, type ClauseStatus, type ClauseType, type Pass } from '../engine';
import type { Grid, GridArrow, GridClause } from '../grid/document';
import { parseGrid } from '../grid/parse';
import type { Principal } from '../principals/record';
import { completePass, startPass } from '../runner';
import type { World } from './world';

type Id = Pick<Principal, 'id'>;

const clause = (id: string, type: ClauseType): GridClause => ({ id, concept: 'it-holds', type });

/** Clauses by their types: `['machine', 'attested']` gives C1 and C2. */
export const clausesOf = (types: ClauseType[]): GridClause[] => types.map((type, i) => clause(`C${i + 1}`, type));

/** An arrow of the analyst in payments with one machine clause, C1, unless told otherwise. */
export const arrow = (id: string, more: Partial<GridArrow> = {}): GridArrow => ({
  id,
  from: 'analyst',
  to: 'architect',
  context: 'payments',
  stratum: 1,
  requires: [],
  dependencies: [{ artifact: `features/${id}.feature` }],
  clauses: clausesOf(['machine']),
  ...more,
});

/** A valid grid of these arrows; its contexts and roles are those that they name. */
export function gridOf(arrows: GridArrow[]): Grid {
  const contexts = [...new Set(arrows.map((a) => a.context))];
  const roles = [...new Set(arrows.flatMap((a) => [a.from, a.to]))];
  return parseGrid({ contexts, roles, arrows });
}

/** A new container with this grid. */
export async function containerWith(world: World, arrows: GridArrow[], settings: Parameters<World['container']>[0] = {}): Promise<string> {
  const slug = await world.container(settings);
  await initGrid(world.db, slug, world.operator.id, gridOf(arrows));
  return slug;
}

/** Starts a pass under the page's grant. */
export const start = async (world: World, slug: string, who: Id, arrowId: string): Promise<Pass> =>
  startPass(world.db, slug, who.id, { grant: (await world.lock(slug)).grant, arrow: arrowId });

/** How a clause comes from `pending` to each state, by legal moves alone. */
const WAYS: Record<ClauseStatus, ClauseStatus[]> = {
  pending: [],
  running: ['running'],
  pass: ['pass'],
  fail: ['fail'],
  unevaluated: ['unevaluated'],
  'awaiting-attestation': ['awaiting-attestation'],
  'insufficient-basis': ['awaiting-attestation', 'insufficient-basis'],
};

/** Brings a pending clause to a state; verdicts on attested ones are the attester's. */
export async function bring(world: World, slug: string, producer: Id, attester: Id, pass: Pass, clauseId: string, to: ClauseStatus): Promise<void> {
  const { type } = pass.clauses.find((c) => c.id === clauseId)!;
  for (const step of WAYS[to]) {
    const by = isVerdict(type, step) ? attester : producer;
    await propose(world.db, slug, by.id, pass.id, clauseId, { to: step, ...(step === 'unevaluated' ? { reason: 'Not now' } : {}) });
  }
}

/** Starts a pass, brings every clause to `to` (or each to its own), and completes it. The attester is the world's operator. */
export async function complete(world: World, slug: string, who: Id, arrowId: string, to: ClauseStatus | Record<string, ClauseStatus> = 'pass'): Promise<Pass> {
  const pass = await start(world, slug, who, arrowId);
  for (const { id } of pass.clauses) await bring(world, slug, who, world.operator, pass, id, typeof to === 'string' ? to : to[id]!);
  return completePass(world.db, slug, who.id, pass.id, { grant: pass.grant });
}
