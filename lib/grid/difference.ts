/** what is committed is the difference between an amendment's base and its grid, applied to the current grid. Pure. */
import canonicalize from 'canonicalize';
import type { Dependency, Grid, GridArrow } from './document';

/** Arrow by arrow: new or changed ones whole, and the ids of those that went; likewise contexts and roles. */
export type Difference = {
  set: GridArrow[];
  gone: string[];
  contexts: { added: string[]; gone: string[] };
  roles: { added: string[]; gone: string[] };
};

const same = (a: unknown, b: unknown): boolean => canonicalize(a) === canonicalize(b);

function names(base: string[], grid: string[]): { added: string[]; gone: string[] } {
  const [before, after] = [new Set(base), new Set(grid)];
  return { added: grid.filter((n) => !before.has(n)), gone: base.filter((n) => !after.has(n)) };
}

export function differenceOf(base: Grid, grid: Grid): Difference {
  const before = new Map(base.arrows.map((a) => [a.id, a]));
  const after = new Set(grid.arrows.map((a) => a.id));
  return {
    set: grid.arrows.filter((a) => !same(before.get(a.id), a)),
    gone: base.arrows.filter((a) => !after.has(a.id)).map((a) => a.id),
    contexts: names(base.contexts, grid.contexts),
    roles: names(base.roles, grid.roles),
  };
}

/** The ids of the arrows in a difference. */
export const arrowsOf = (difference: Difference): string[] => [...difference.set.map((a) => a.id), ...difference.gone];

/** A difference applied to a grid: changed arrows keep their place, new ones come last. */
export function applyDifference(current: Grid, difference: Difference): Grid {
  const set = new Map(difference.set.map((a) => [a.id, a]));
  const gone = new Set(difference.gone);
  const kept = current.arrows.filter((a) => !gone.has(a.id)).map((a) => set.get(a.id) ?? a);
  const present = new Set(current.arrows.map((a) => a.id));
  const merge = (list: string[], change: { added: string[]; gone: string[] }) => [...list.filter((n) => !change.gone.includes(n)), ...change.added.filter((n) => !list.includes(n))];
  return {
    contexts: merge(current.contexts, difference.contexts),
    roles: merge(current.roles, difference.roles),
    arrows: [...kept, ...difference.set.filter((a) => !present.has(a.id))],
  };
}

/** Whether two artifacts are about the same thing: no section means the whole of it (G-2). */
export const overlaps = (a: Dependency, b: Dependency): boolean =>
  a.artifact === b.artifact && (a.section === undefined || b.section === undefined || a.section === b.section);

export type Affected = { id: string; conservative: boolean };

/**
 * the arrows that an amendment affects: that declared a changed artifact, that themselves
 * changed or went, or that declared no dependencies at all (`conservative`).
 */
export function affectedBy(current: Grid, difference: Difference, changes: Dependency[]): Affected[] {
  const touched = new Set(arrowsOf(difference));
  const affected: Affected[] = [];
  for (const arrow of current.arrows) {
    if (touched.has(arrow.id) || arrow.dependencies.some((d) => changes.some((c) => overlaps(c, d)))) affected.push({ id: arrow.id, conservative: false });
    else if (arrow.dependencies.length === 0) affected.push({ id: arrow.id, conservative: true });
  }
  return affected;
}
