/** G-2: every fault of a grid is listed with its path, several at once. */
import { describe, expect, test } from 'vitest';
import { isProblem, type InputFault } from '../problems';
import { arrow } from '../testing/work';
import type { GridArrow } from './document';
import { parseGrid } from './parse';

function faultsIn(grid: unknown): InputFault[] {
  try {
    parseGrid(grid);
    return [];
  } catch (error) {
    if (isProblem(error)) return error.members.errors as InputFault[];
    throw error;
  }
}

const GOOD = { contexts: ['payments', 'ledger'], roles: ['analyst', 'architect'], arrows: [arrow('a'), arrow('b', { requires: ['a'] })] };
/** A good grid in which one arrow, the second, is otherwise. */
const but = (more: Record<string, unknown>) => ({ ...GOOD, arrows: [GOOD.arrows[0], { ...GOOD.arrows[1], ...more }] });
const clause = { id: 'C1', concept: 'x', type: 'machine' };

describe('one fault', () => {
  test.each<[string, unknown, string, string]>([
    ['an unknown role, from', but({ from: 'nobody' }), 'arrows[1].from', 'there is no role nobody'],
    ['an unknown role, to', but({ to: 'nobody' }), 'arrows[1].to', 'there is no role nobody'],
    ['an unknown context', but({ context: 'nowhere' }), 'arrows[1].context', 'there is no context nowhere'],
    ['an unknown required arrow', but({ requires: ['a', 'z'] }), 'arrows[1].requires[1]', 'there is no arrow z'],
    ['a required arrow twice', but({ requires: ['a', 'a'] }), 'arrows[1].requires[1]', 'arrow a stands here twice'],
    ['an arrow twice', but({ id: 'a', requires: [] }), 'arrows[1].id', 'arrow a stands here twice'],
    ['a clause twice', but({ clauses: [clause, clause] }), 'arrows[1].clauses[1].id', 'clause C1 stands here twice'],
    ['a context twice', { ...GOOD, contexts: ['payments', 'payments'] }, 'contexts[1]', 'context payments stands here twice'],
    ['a role twice', { ...GOOD, roles: ['analyst', 'architect', 'analyst'] }, 'roles[2]', 'role analyst stands here twice'],
    ['an arrow that requires itself', but({ requires: ['b'] }), 'arrows[1].requires[0]', 'closes a cycle: b → b'],
    ['an empty clause list', but({ clauses: [] }), 'arrows[1].clauses', 'must not be empty'],
    ['no clause list', but({ clauses: undefined }), 'arrows[1].clauses', 'is required'],
    ['stratum 0', but({ stratum: 0 }), 'arrows[1].stratum', 'must be a whole number from 1 to 6'],
    ['stratum 7', but({ stratum: 7 }), 'arrows[1].stratum', 'must be a whole number from 1 to 6'],
    ['stratum 1.5', but({ stratum: 1.5 }), 'arrows[1].stratum', 'must be a whole number from 1 to 6'],
    ['stratum as text', but({ stratum: '1' }), 'arrows[1].stratum', 'must be a number'],
    ['a clause of no known type', but({ clauses: [{ ...clause, type: 'human' }] }), 'arrows[1].clauses[0].type', 'must be machine or attested'],
    ['a clause without a concept', but({ clauses: [{ ...clause, concept: ' ' }] }), 'arrows[1].clauses[0].concept', 'must not be blank'],
    ['arguments that are a list', but({ clauses: [{ ...clause, arguments: [] }] }), 'arrows[1].clauses[0].arguments', 'must be record'],
    ['a dependency without an artifact', but({ dependencies: [{ section: 'x' }] }), 'arrows[1].dependencies[0].artifact', 'is required'],
    ['a section that is null', but({ dependencies: [{ artifact: 'x', section: null }] }), 'arrows[1].dependencies[0].section', 'must be text'],
    ['a name with a space', { ...GOOD, contexts: ['payments', 'the ledger'] }, 'contexts[1]', 'must be 1 to 100 letters, digits, dots, underscores and hyphens'],
    ['a name of 101 characters', but({ id: 'x'.repeat(101) }), 'arrows[1].id', 'must be 1 to 100 letters, digits, dots, underscores and hyphens'],
    ['an arrow that is none', { ...GOOD, arrows: [...GOOD.arrows, 'c'] }, 'arrows[2]', 'must be an object'],
    ['no arrows', { ...GOOD, arrows: undefined }, 'arrows', 'is required'],
  ])('%s', (_name, grid, path, message) => {
    expect(faultsIn(grid)).toEqual([{ path: `grid.${path}`, message }]);
  });

  test.each([1, 2, 3, 4, 5, 6])('stratum %i is good', (stratum) => {
    expect(faultsIn(but({ stratum }))).toEqual([]);
  });
});

test('all faults are listed at once, whatever their kind', () => {
  const grid = {
    contexts: ['payments', 'payments'],
    roles: ['analyst'],
    arrows: [
      arrow('a', { to: 'architect', stratum: 9, requires: ['b'] }),
      arrow('b', { to: 'analyst', requires: ['a', 'zz'], clauses: [] }),
      { ...arrow('a', { to: 'analyst', context: 'nowhere' }), extra: 1 },
    ],
  };
  expect(faultsIn(grid).map((f) => f.path).sort()).toEqual(
    [
      'contexts[1]',
      'arrows[0].to',
      'arrows[0].stratum',
      'arrows[1].requires[0]',
      'arrows[1].requires[1]',
      'arrows[1].clauses',
      'arrows[2].id',
      'arrows[2].context',
      'arrows[2].extra',
    ]
      .map((path) => `grid.${path}`)
      .sort(),
  );
});

test('of very many faults the first hundred are listed', () => {
  expect(faultsIn({ ...GOOD, arrows: Array.from({ length: 500 }, (_, i) => arrow(`a${i}`, { from: 'nobody' })) })).toHaveLength(100);
});

describe('cycles in `requires`', () => {
  const gridOf = (requires: Record<string, string[]>): { arrows: GridArrow[] } & Record<string, unknown> => ({
    ...GOOD,
    arrows: Object.entries(requires).map(([id, r]) => arrow(id, { requires: r })),
  });

  test('a cycle is told with its arrows, where it closes', () => {
    expect(faultsIn(gridOf({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] }))).toEqual([{ path: 'grid.arrows[2].requires[0]', message: 'closes a cycle: a → b → c → a' }]);
  });

  test('each of several cycles is told; what only leads into one, or meets again without one, is good', () => {
    expect(faultsIn(gridOf({ x: ['a', 'c'], a: ['b'], b: ['a'], c: ['c'] })).map((f) => f.message)).toEqual(['closes a cycle: a → b → a', 'closes a cycle: c → c']);
    expect(faultsIn(gridOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });

  const chain = (n: number, last: string[]) => gridOf(Object.fromEntries(Array.from({ length: n }, (_, i) => [`a${i}`, i < n - 1 ? [`a${i + 1}`] : last])));

  test('a chain of 4,000 arrows is good; closed, it is one cycle, told in short', () => {
    expect(faultsIn(chain(4_000, []))).toEqual([]);
    const [fault, ...more] = faultsIn(chain(4_000, ['a0']));
    expect(fault!.path).toBe('grid.arrows[3999].requires[0]');
    expect(fault!.message).toMatch(/^closes a cycle: a0 → a1 → .* more … → a3999 → a0$/);
    expect(fault!.message.length).toBeLessThan(200);
    expect(more).toEqual([]);
  });

  test('arrows that all require one another are refused with a hundred cycles at most', () => {
    const ids = Array.from({ length: 300 }, (_, i) => `a${i}`);
    const found = faultsIn(gridOf(Object.fromEntries(ids.map((id) => [id, ids.filter((other) => other !== id)]))));
    expect(found).toHaveLength(100);
    expect(JSON.stringify(found).length).toBeLessThan(50_000);
  });
});
