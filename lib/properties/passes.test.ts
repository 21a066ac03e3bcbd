/** Random concurrent histories of passes: starts, moves, ends, verdicts, amendments and changes of grant, several at once. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestAmendment, type AmendmentState } from '../amendment';
import { assignBlock } from '../collaboration/block';
import { CLAUSE_STATES, propose, verifyChain, type ClauseStatus } from '../engine';
import { clear } from '../lock-page/clear';
import { release } from '../lock-page/release';
import type { Principal } from '../principals/record';
import { isProblem } from '../problems';
import { readGrid } from '../project/read';
import { abortPass, completePass, startPass } from '../runner';
import { breachesOfWork } from '../testing/work-invariants';
import { arrow, clausesOf, containerWith, gridOf } from '../testing/work';
import { openWorld, setLockPage, type World } from '../testing/world';

// To look elsewhere, and longer. A failure prints its seed and the shortest history that was found to fail.
const SEED = Number(process.env.PROPERTY_SEED ?? 20261130);
const FACTOR = Number(process.env.PROPERTY_FACTOR ?? 1);

let world: World;
let people: Principal[];
beforeAll(async () => {
  world = await openWorld({ size: 24, recovered: true });
  // Two who lead in turn, two who work, and an operator besides the world's who may lead too.
  people = [await world.person(), await world.person(), await world.person(), await world.person('coworker', 'agent'), await world.person('operator')];
});
afterAll(() => world.close());

/** Two arrows a (role, context), so that they meet; some require others. */
const ARROWS = [
  arrow('p1', { clauses: clausesOf(['machine', 'attested']) }),
  arrow('p2', { clauses: clausesOf(['machine']) }),
  arrow('q1', { from: 'architect', clauses: clausesOf(['attested']) }),
  arrow('l1', { context: 'ledger', clauses: clausesOf(['machine']) }),
  arrow('l2', { context: 'ledger', requires: ['p2'], clauses: clausesOf(['machine', 'machine']) }),
  arrow('m1', { from: 'architect', context: 'ledger', requires: ['p1', 'l1'], dependencies: [], clauses: clausesOf(['attested']) }),
];

type Action =
  | { do: 'start'; who: number; arrow: number }
  | { do: 'move'; who: number; pass: number; clause: number; to: ClauseStatus }
  | { do: 'complete' | 'abort'; who: number; pass: number }
  | { do: 'finish'; pass: number };
/** A change of grant, or an amendment, which others may come beside. */
type Turn = { do: 'release' | 'silence' | 'clear' } | { do: 'amend'; arrow: number };
type Step = { actions: Action[]; turn: Turn | undefined };

/** Anyone, but those more often who may. */
const who = fc.oneof({ weight: 1, arbitrary: fc.nat(5) }, { weight: 2, arbitrary: fc.nat(3) });
const pass = fc.nat(3);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start' as const), who, arrow: fc.nat(ARROWS.length - 1) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('move' as const), who, pass, clause: fc.nat(1), to: fc.constantFrom(...CLAUSE_STATES) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finish' as const), pass }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('complete' as const), who, pass }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), who, pass }) },
);
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ do: fc.constantFrom('release' as const, 'silence' as const, 'clear' as const) }),
  fc.record({ do: fc.constant('amend' as const), arrow: fc.nat(ARROWS.length - 1) }),
);
const histories = fc.array(fc.record({ actions: fc.array(action, { minLength: 3, maxLength: 9 }), turn: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: turn }) }), { minLength: 5, maxLength: 10 });

/** What each action came to, and how often. */
const seen = new Map<string, number>();

async function live(steps: Step[]): Promise<void> {
  const slug = await containerWith(world, ARROWS);
  const { rows } = await world.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
  const containerId: string = rows[0].id;
  const caller = (i: number): Principal => people[i] ?? world.operator;
  let leads = 0;
  let grant = 0;
  const take = async () => {
    leads = (leads + 1) % 2;
    const lead = caller(leads);
    ({ grant } = await world.lead(slug, lead));
    for (const i of [2, 3]) await assignBlock(world.db, slug, lead.id, { grant, title: 'Work', assignee: caller(i).id });
  };
  const note = async (name: string, call: Promise<unknown>) => {
    const came = await call.then(
      () => 'done',
      (error: unknown) => {
        if (!isProblem(error) || ['busy', 'internal'].includes(error.code)) throw error;
        return error.code;
      },
    );
    seen.set(`${name}: ${came}`, (seen.get(`${name}: ${came}`) ?? 0) + 1);
  };
  /** The passes that were started last, those that run first. */
  const recent = async (): Promise<{ id: string; starter: string; clauses: string[] }[]> =>
    (
      await world.db.query(
        `SELECT p.id, p.starter_id AS starter, (SELECT array_agg(c.id ORDER BY c.position) FROM clause c WHERE c.pass_id = p.id) AS clauses
         FROM pass p WHERE p.container_id = $1 ORDER BY (p.state = 'running') DESC, p.started_at DESC LIMIT 4`,
        [containerId],
      )
    ).rows;

  await take();
  for (const { actions, turn: change } of steps) {
    const passes = await recent();
    const at = grant;
    const calls = actions.flatMap((a): (() => Promise<unknown>)[] => {
      const of = 'pass' in a ? passes[a.pass] : undefined;
      if (a.do === 'start') return [() => note('start', startPass(world.db, slug, caller(a.who).id, { grant: at, arrow: ARROWS[a.arrow]!.id }))];
      if (!of) return [];
      if (a.do === 'move') {
        const id = of.clauses[a.clause % of.clauses.length]!;
        return [() => note('move', propose(world.db, slug, caller(a.who).id, of.id, id, { to: a.to, reason: 'Because' }))];
      }
      if (a.do === 'complete') return [() => note('complete', completePass(world.db, slug, caller(a.who).id, of.id, { grant: at }))];
      if (a.do === 'abort') return [() => note('abort', abortPass(world.db, slug, caller(a.who).id, of.id, { reason: 'manual-stop' }))];
      return [
        async () => {
          // Somebody works a pass through: its machine clauses pass, its attested ones wait or are attested.
          for (const id of of.clauses) {
            await note('move', propose(world.db, slug, of.starter, of.id, id, { to: 'pass' }));
            await note('move', propose(world.db, slug, world.operator.id, of.id, id, { to: 'pass' }));
          }
          await note('complete', completePass(world.db, slug, of.starter, of.id, { grant: at }));
        },
      ];
    });
    const lead = caller(leads);
    if (change?.do === 'release') {
      calls.push(async () => {
        await world.push(slug, lead, grant);
        await note('release', release(world.db, slug, lead.id, await world.revision(slug), { grant }));
      });
    } else if (change && change.do !== 'amend') {
      calls.push(async () => {
        await setLockPage(world.db, slug, 'expires_at = clock_timestamp()');
        if (change.do === 'clear') await note('clear', clear(world.db, slug, world.operator.id, await world.revision(slug), { grant, reason: 'Gone' }));
      });
    }
    let working = true;
    const work = Promise.all(calls.map((call) => call())).finally(() => (working = false));
    // At every point: what anyone may read meanwhile breaks no rule either.
    while (working) expect(await breachesOfWork(world.db, containerId)).toEqual([]);
    await work;
    if (change?.do === 'amend') await amend(slug, change.arrow);
    else if (change) await take();
    expect(await breachesOfWork(world.db, containerId), JSON.stringify(actions)).toEqual([]);
  }
  expect(await verifyChain(world.db, containerId, { whole: true })).toMatchObject({ ok: true });
  await setLockPage(world.db, slug, 'expires_at = clock_timestamp()');
  await take();
  const { rows: left } = await world.db.query(`SELECT (SELECT count(*)::int FROM role_lock WHERE container_id = $1) AS locks, (SELECT count(*)::int FROM pass WHERE container_id = $1 AND state = 'running') AS running`, [containerId]);
  expect(left).toEqual([{ locks: 0, running: 0 }]);
}

/** An operator's amendment that touches one arrow, decided. */
async function amend(slug: string, index: number): Promise<void> {
  const { version } = await readGrid(world.db, slug, world.operator);
  const { id } = await requestAmendment(world.db, slug, world.operator.id, { baseVersion: version, changes: ARROWS[index]!.dependencies, grid: gridOf(ARROWS), rationale: 'Why' });
  for (let state: AmendmentState = 'queued'; state === 'queued' || state === 'committing'; ) {
    state = (await world.db.query('SELECT state FROM amendment WHERE id = $1', [id])).rows[0].state;
  }
  seen.set('amend: done', (seen.get('amend: done') ?? 0) + 1);
}

test(
  'at every point of a random concurrent history one pass at most runs per (role, context), role locks are those of running passes, the log is legal, and the chain verifies',
  async () => {
    await fc.assert(fc.asyncProperty(histories, live), { seed: SEED, numRuns: 18 * FACTOR, interruptAfterTimeLimit: 60_000 * FACTOR });
    const reached = [
      ...['start', 'move', 'complete', 'abort', 'release', 'clear', 'amend'].map((name) => `${name}: done`),
      ...['single-active-role-violation', 'transition-refused', 'not-holder'].map((code) => `start: ${code}`),
      ...['illegal-transition', 'producer-cannot-attest', 'forbidden', 'pass-not-running'].map((code) => `move: ${code}`),
      ...['clauses-open', 'pass-not-running', 'not-holder'].map((code) => `complete: ${code}`),
    ];
    expect(reached.filter((name) => !seen.has(name)), `these never came up; what did: ${JSON.stringify([...seen].sort())}`).toEqual([]);
  },
  90_000 * FACTOR,
);
