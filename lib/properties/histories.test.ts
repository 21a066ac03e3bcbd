import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { histories, live, type MANNERS } from '../testing/histories';
import { rememberTime } from '../testing/invariants';
import { openWorld, type World } from '../testing/world';

// To look elsewhere, and longer. A failure prints its seed and the shortest history that was found to fail.
const SEED = Number(process.env.PROPERTY_SEED ?? 20261130);
const FACTOR = Number(process.env.PROPERTY_FACTOR ?? 1);

let world: World;
beforeAll(async () => {
  world = await openWorld({ size: 12 });
  await rememberTime(world.db);
});
afterAll(() => world.close());

/** Lives random histories through, and expects that each of `reached` came up in one of them, so that the test keeps its worth. */
async function explore(manner: keyof typeof MANNERS, numRuns: number, reached: string[]): Promise<void> {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(histories(manner), async (steps) => {
      for (const [name, n] of await live(world, manner, steps)) seen.set(name, (seen.get(name) ?? 0) + n);
    }),
    { seed: SEED, numRuns, interruptAfterTimeLimit: 75_000 * FACTOR },
  );
  expect(
    reached.filter((name) => !seen.has(name)),
    `these never came up; what did: ${JSON.stringify([...seen].sort())}`,
  ).toEqual([]);
}

test(
  'random work, one by one and several at once, is some serial history of the rules, and breaks no invariant',
  () =>
    explore('work', 30 * FACTOR, [
      ...['acquire', 'heartbeat', 'release', 'clear', 'notes', 'land', 'lease', 'assign', 'mark', 'change', 'petition', 'withdraw'].map(
        (action) => `${action}: done`,
      ),
      ...[
        'grant-unknown',
        'grant-superseded',
        'grant-cleared',
        'grant-released',
        'not-holder',
        'grant-expired',
        'landing-invalid',
        'idempotency-mismatch',
      ].map((code) => `land: ${code}`),
      ...[
        'acquire: edit-conflict',
        'acquire: lock-held',
        'release: push-required',
        'lease: range-taken',
        'clear: grant-moved',
        'clear: not-silent',
      ],
    ]),
  100_000 * FACTOR,
);

test(
  'random handovers, one by one and several at once, are some serial history of the rules, and break no invariant',
  () =>
    explore('handovers', 25 * FACTOR, [
      'acquire: done',
      'acquire: not-your-turn',
      'petition: became granted',
      'petition: became lapsed',
      'petition: became withdrawn',
      'clear: done',
    ]),
  100_000 * FACTOR,
);
