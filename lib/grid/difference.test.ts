/** what differs, what it comes to on another grid, and whom it affects. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arrow, gridOf } from '../testing/work';
import { affectedBy, applyDifference, arrowsOf, differenceOf, overlaps, type Difference } from './difference';
import type { Dependency, Grid, GridArrow } from './document';

const SEED = Number(process.env.PROPERTY_SEED ?? 20261130);
const dependency: fc.Arbitrary<Dependency> = fc
  .record({ artifact: fc.constantFrom('a', 'b', 'c'), section: fc.constantFrom(undefined, 's', 't') })
  .map(({ artifact, section }) => (section ? { artifact, section } : { artifact }));
const names = fc.uniqueArray(fc.constantFrom('n1', 'n2', 'n3', 'n4', 'n5'), { minLength: 1 });
/** Grids over few names, so that any two share some. They need not be valid: differences are about form. */
const grid: fc.Arbitrary<Grid> = fc.record({
  contexts: names,
  roles: names,
  arrows: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('p', 'q', 'r', 's', 't'),
      stratum: fc.integer({ min: 1, max: 2 }),
      requires: fc.constantFrom<string[]>([], ['p']),
      dependencies: fc.array(dependency, { maxLength: 2 }),
    }),
    { selector: (a) => a.id },
  ),
}).map(({ contexts, roles, arrows }) => ({ contexts, roles, arrows: arrows.map(({ id, ...more }) => arrow(id, more)) }));

const sorted = ({ contexts, roles, arrows }: Grid) => ({ contexts: contexts.toSorted(), roles: roles.toSorted(), arrows: arrows.toSorted((a, b) => (a.id < b.id ? -1 : 1)) });
const isEmpty = (d: Difference) => [d.set, d.gone, d.contexts.added, d.contexts.gone, d.roles.added, d.roles.gone].every((list) => list.length === 0);
const check = <T>(property: fc.IProperty<T>) => fc.assert(property, { seed: SEED, numRuns: 300 });
/** What becomes of a base when only the picked names go the way of another grid. */
const partly = (base: Grid, wanted: Grid, picked: (name: string) => boolean): Grid => {
  const mix = (from: string[], to: string[]) => [...from.filter((n) => !picked(n)), ...to.filter(picked)];
  return { contexts: mix(base.contexts, wanted.contexts), roles: mix(base.roles, wanted.roles), arrows: [...base.arrows.filter((a) => !picked(a.id)), ...wanted.arrows.filter((a) => picked(a.id))] };
};

describe('difference and its application', () => {
  test('applied to its own base it gives the grid, up to order', () => {
    check(fc.property(grid, grid, (base, wanted) => void expect(sorted(applyDifference(base, differenceOf(base, wanted)))).toEqual(sorted(wanted))));
  });

  test('it is empty exactly when the grids are equal up to order, and then changes nothing', () => {
    check(fc.property(grid, grid, (base, wanted) => void expect(isEmpty(differenceOf(base, wanted))).toBe(JSON.stringify(sorted(base)) === JSON.stringify(sorted(wanted)))));
    check(fc.property(grid, grid, (base, other) => void expect(applyDifference(other, differenceOf(base, base))).toEqual(other)));
  });

  test('two differences of one base that share no arrow and no name give the same in either order', () => {
    const picks = fc.subarray(['n1', 'n2', 'n3', 'n4', 'n5', 'p', 'q', 'r', 's', 't']);
    check(
      fc.property(grid, grid, grid, picks, (base, one, two, names) => {
        const first = differenceOf(base, partly(base, one, (n) => names.includes(n)));
        const second = differenceOf(base, partly(base, two, (n) => !names.includes(n)));
        const [ab, ba] = [applyDifference(applyDifference(base, first), second), applyDifference(applyDifference(base, second), first)];
        expect(sorted(ab)).toEqual(sorted(ba));
        expect(sorted(ab)).toEqual(sorted(partly(partly(base, one, (n) => names.includes(n)), two, (n) => !names.includes(n))));
      }),
    );
  });

  test('nothing that it is given is changed', () => {
    check(
      fc.property(grid, grid, grid, (base, wanted, current) => {
        const before = JSON.stringify([base, wanted, current]);
        const difference = differenceOf(base, wanted);
        applyDifference(current, difference);
        affectedBy(current, difference, [{ artifact: 'a' }]);
        expect(JSON.stringify([base, wanted, current])).toBe(before);
      }),
    );
  });

  test('changed arrows keep their place and new ones come last; the order of members does not matter, that of lists does', () => {
    const base = gridOf([arrow('a'), arrow('b'), arrow('c')]);
    const wanted = gridOf([arrow('n'), arrow('c'), arrow('b', { stratum: 2 })]);
    const difference = differenceOf(base, wanted);
    expect(arrowsOf(difference)).toEqual(['n', 'b', 'a']);
    expect(applyDifference(base, difference).arrows.map((a) => [a.id, a.stratum])).toEqual([['b', 2], ['c', 1], ['n', 1]]);
    const turned = { ...base, arrows: base.arrows.map((a) => Object.fromEntries(Object.entries(a).reverse()) as GridArrow) };
    expect(arrowsOf(differenceOf(base, turned))).toEqual([]);
    const [one, two] = [{ artifact: 'x' }, { artifact: 'y' }];
    expect(arrowsOf(differenceOf(gridOf([arrow('a', { dependencies: [one, two] })]), gridOf([arrow('a', { dependencies: [two, one] })])))).toEqual(['a']);
  });
});

describe('overlap', () => {
  test.each<[Dependency, Dependency, boolean]>([
    [{ artifact: 'a' }, { artifact: 'a' }, true],
    [{ artifact: 'a' }, { artifact: 'b' }, false],
    [{ artifact: 'a', section: 's' }, { artifact: 'a' }, true],
    [{ artifact: 'a' }, { artifact: 'a', section: 's' }, true],
    [{ artifact: 'a', section: 's' }, { artifact: 'a', section: 's' }, true],
    [{ artifact: 'a', section: 's' }, { artifact: 'a', section: 't' }, false],
    [{ artifact: 'a', section: 's' }, { artifact: 'b', section: 's' }, false],
    [{ artifact: 'a' }, { artifact: 'A' }, false],
    [{ artifact: 'a' }, { artifact: 'a/b' }, false],
  ])('%j and %j: %s', (one, two, expected) => {
    expect(overlaps(one, two)).toBe(expected);
  });
});

describe('affected', () => {
  const base = gridOf([
    arrow('whole', { dependencies: [{ artifact: 'x' }] }),
    arrow('part', { dependencies: [{ artifact: 'y' }, { artifact: 'x', section: 's' }] }),
    arrow('other', { dependencies: [{ artifact: 'z' }] }),
    arrow('none', { dependencies: [] }),
  ]);
  const affected = (wanted: Grid, changes: Dependency[]) => Object.fromEntries(affectedBy(base, differenceOf(base, wanted), changes).map((a) => [a.id, a.conservative]));

  test('whoever declared a changed artifact, by section; one without dependencies always, as conservative', () => {
    expect(affected(base, [{ artifact: 'x' }])).toEqual({ whole: false, part: false, none: true });
    expect(affected(base, [{ artifact: 'x', section: 's' }])).toEqual({ whole: false, part: false, none: true });
    expect(affected(base, [{ artifact: 'x', section: 't' }])).toEqual({ whole: false, none: true });
    expect(affected(base, [{ artifact: 'unheard-of' }])).toEqual({ none: true });
    expect(affected(base, [])).toEqual({ none: true });
  });

  test('whoever itself changed or went; a new one is not there to be affected', () => {
    const wanted = gridOf([base.arrows[0]!, arrow('other', { stratum: 3, dependencies: [{ artifact: 'z' }] }), arrow('none', { dependencies: [], stratum: 2 }), arrow('new', { dependencies: [] })]);
    expect(affected(wanted, [])).toEqual({ part: false, other: false, none: false });
  });

  test('a changed arrow is affected by what it declared, not by what it declares from now on', () => {
    const wanted = gridOf(base.arrows.map((a) => (a.id === 'other' ? { ...a, dependencies: [{ artifact: 'x' }] } : a)));
    expect(affected(wanted, [{ artifact: 'z' }])).toEqual({ other: false, none: true });
  });
});
