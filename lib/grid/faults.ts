/** G-2: what the names of a grid come to; each fault is listed with its path. Pure. */
import type { InputFault } from '../problems';
import { MAX_NAME } from './document';

/** A grid that may be malformed: what is no list or no text is left to the check of its form. */
type Loose = {
  contexts: Name[] | undefined;
  roles: Name[] | undefined;
  arrows: { id: Name; from: Name; to: Name; context: Name; requires: Name[]; clauses: Name[] }[];
};
/** Undefined: not a name. */
type Name = string | undefined;

const member = (value: unknown, key: string): unknown => (value && typeof value === 'object' ? (value as Record<string, unknown>)[key] : undefined);
const name = (value: unknown): Name => (typeof value === 'string' && value.length <= MAX_NAME ? value : undefined);
const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const names = (value: unknown): Name[] | undefined => (Array.isArray(value) ? value.map(name) : undefined);

const looseOf = (grid: unknown): Loose => ({
  contexts: names(member(grid, 'contexts')),
  roles: names(member(grid, 'roles')),
  arrows: listed(member(grid, 'arrows')).map((a) => ({
    id: name(member(a, 'id')),
    from: name(member(a, 'from')),
    to: name(member(a, 'to')),
    context: name(member(a, 'context')),
    requires: names(member(a, 'requires')) ?? [],
    clauses: listed(member(a, 'clauses')).map((c) => name(member(c, 'id'))),
  })),
});

function duplicates(values: Name[], path: string, what: string, at: (i: number) => string = (i) => `${path}[${i}]`): InputFault[] {
  const seen = new Set<string>();
  return values.flatMap((value, i) => {
    if (value === undefined) return [];
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ path: at(i), message: `${what} ${value} stands here twice` }];
  });
}

/** So many cycles are told, and of a long one so many arrows. */
const MAX_CYCLES = 100;
const MAX_TOLD = 10;

/** Arrows that can never start, because they require one another: each with the cycle that it closes. */
function cycles(arrows: Loose['arrows']): InputFault[] {
  const at = new Map(arrows.map((arrow, i) => [arrow.id, i] as const).reverse()); // of an id that stands there twice, the first
  const state = new Uint8Array(arrows.length); // 0 new, 1 open, 2 done
  const faults: InputFault[] = [];
  for (let root = 0; root < arrows.length; root++) {
    if (state[root] !== 0) continue;
    // Iterative, so that a long chain of requirements cannot exhaust the stack.
    const path: { arrow: number; next: number }[] = [{ arrow: root, next: 0 }];
    state[root] = 1;
    while (path.length > 0 && faults.length < MAX_CYCLES) {
      const top = path[path.length - 1]!;
      const { requires } = arrows[top.arrow]!;
      if (top.next >= requires.length) {
        state[top.arrow] = 2;
        path.pop();
        continue;
      }
      const required = requires[top.next++];
      const index = required === undefined ? undefined : at.get(required);
      if (index === undefined || state[index] === 2) continue;
      if (state[index] === 1) {
        const from = path.findIndex((p) => p.arrow === index);
        faults.push({ path: `arrows[${top.arrow}].requires[${top.next - 1}]`, message: `closes a cycle: ${told([...path.slice(from).map((p) => arrows[p.arrow]!.id!), required!])}` });
      } else {
        state[index] = 1;
        path.push({ arrow: index, next: 0 });
      }
    }
  }
  return faults;
}

const told = (ids: string[]): string =>
  ids.length <= MAX_TOLD ? ids.join(' → ') : [...ids.slice(0, MAX_TOLD - 2), `… ${ids.length - MAX_TOLD} more …`, ...ids.slice(-2)].join(' → ');

/** What is wrong with the names of a grid: unknown ones, duplicates, cycles in `requires`. Empty for a good grid. */
export function faultsOf(grid: unknown): InputFault[] {
  const { contexts, roles, arrows } = looseOf(grid);
  const [knownContexts, knownRoles, knownArrows] = [contexts && new Set(contexts), roles && new Set(roles), new Set(arrows.map((a) => a.id))];
  const unknown = (known: Set<Name> | undefined, value: Name, path: string, what: string): InputFault[] =>
    !known || value === undefined || known.has(value) ? [] : [{ path, message: `there is no ${what} ${value}` }];
  return [
    ...duplicates(contexts ?? [], 'contexts', 'context'),
    ...duplicates(roles ?? [], 'roles', 'role'),
    ...duplicates(arrows.map((a) => a.id), 'arrows', 'arrow', (i) => `arrows[${i}].id`),
    ...arrows.flatMap((arrow, i) => [
      ...unknown(knownRoles, arrow.from, `arrows[${i}].from`, 'role'),
      ...unknown(knownRoles, arrow.to, `arrows[${i}].to`, 'role'),
      ...unknown(knownContexts, arrow.context, `arrows[${i}].context`, 'context'),
      ...arrow.requires.flatMap((required, k) => unknown(knownArrows, required, `arrows[${i}].requires[${k}]`, 'arrow')),
      ...duplicates(arrow.requires, `arrows[${i}].requires`, 'arrow'),
      ...duplicates(arrow.clauses, `arrows[${i}].clauses`, 'clause', (k) => `arrows[${i}].clauses[${k}].id`),
    ]),
    ...cycles(arrows),
  ];
}
