/** G-2: a grid is validated whole; each fault is listed with its path. Pure. */
import type { InputFault } from '../problems';
import type { Grid } from './document';

function duplicates(values: string[], path: string, what: string): InputFault[] {
  const seen = new Set<string>();
  return values.flatMap((value, i) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ path: `${path}[${i}]`, message: `${what} ${value} stands here twice` }];
  });
}

/** Arrows that can never start, because they require one another: each with the cycle that it closes. */
function cycles(grid: Grid): InputFault[] {
  const at = new Map(grid.arrows.map((arrow, i) => [arrow.id, i]));
  const state = new Uint8Array(grid.arrows.length); // 0 new, 1 open, 2 done
  const faults: InputFault[] = [];
  for (let root = 0; root < grid.arrows.length; root++) {
    if (state[root] !== 0) continue;
    // Iterative, so that a long chain of requirements cannot exhaust the stack.
    const path: { arrow: number; next: number }[] = [{ arrow: root, next: 0 }];
    state[root] = 1;
    while (path.length > 0) {
      const top = path[path.length - 1]!;
      const required = grid.arrows[top.arrow]!.requires[top.next++];
      if (required === undefined) {
        state[top.arrow] = 2;
        path.pop();
        continue;
      }
      const index = at.get(required);
      if (index === undefined || state[index] === 2) continue;
      if (state[index] === 1) {
        const from = path.findIndex((p) => p.arrow === index);
        const names = [...path.slice(from).map((p) => grid.arrows[p.arrow]!.id), required];
        faults.push({ path: `arrows[${top.arrow}].requires[${top.next - 1}]`, message: `closes a cycle: ${names.join(' → ')}` });
      } else {
        state[index] = 1;
        path.push({ arrow: index, next: 0 });
      }
    }
  }
  return faults;
}

/** What is wrong with the names of a grid: unknown ones, duplicates, cycles in `requires`. Empty for a good grid. */
export function faultsOf(grid: Grid): InputFault[] {
  const [contexts, roles, arrows] = [new Set(grid.contexts), new Set(grid.roles), new Set(grid.arrows.map((a) => a.id))];
  const unknown = (known: Set<string>, value: string, path: string, what: string): InputFault[] => (known.has(value) ? [] : [{ path, message: `there is no ${what} ${value}` }]);
  return [
    ...duplicates(grid.contexts, 'contexts', 'context'),
    ...duplicates(grid.roles, 'roles', 'role'),
    ...duplicates(grid.arrows.map((a) => a.id), 'arrows', 'arrow'),
    ...grid.arrows.flatMap((arrow, i) => [
      ...unknown(roles, arrow.from, `arrows[${i}].from`, 'role'),
      ...unknown(roles, arrow.to, `arrows[${i}].to`, 'role'),
      ...unknown(contexts, arrow.context, `arrows[${i}].context`, 'context'),
      ...arrow.requires.flatMap((required, k) => unknown(arrows, required, `arrows[${i}].requires[${k}]`, 'arrow')),
      ...duplicates(arrow.requires, `arrows[${i}].requires`, 'arrow'),
      ...duplicates(arrow.clauses.map((c) => c.id), `arrows[${i}].clauses`, 'clause'),
    ]),
    ...cycles(grid),
  ];
}
