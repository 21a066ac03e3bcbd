/** Grids as people and agents give them: YAML, JSON text, objects; hostile ones refused with a path, in bounded time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../digest';
import { isProblem, type InputFault } from '../problems';
import type { Grid } from './document';
import { gridYaml, MAX_GRID_BYTES, MAX_YAML_BYTES, parseGrid, readYaml } from './parse';

/** The example of section 8. */
const YAML = `
contexts: [payments, ledger]
roles: [analyst, architect, implementer, integrator]
arrows:
  - id: payments-1
    from: analyst
    to: architect
    context: payments
    stratum: 1            # 1 to 6
    requires: []          # arrow ids
    dependencies: [{artifact: features/payments.feature, section: refunds}]
    clauses:
      - {id: C1, concept: compiles, type: machine, arguments: {scope: "src/**"}}
      - {id: C2, concept: residue-is-honest, type: attested}
`;
const GRID: Grid = {
  contexts: ['payments', 'ledger'],
  roles: ['analyst', 'architect', 'implementer', 'integrator'],
  arrows: [
    {
      id: 'payments-1',
      from: 'analyst',
      to: 'architect',
      context: 'payments',
      stratum: 1,
      requires: [],
      dependencies: [{ artifact: 'features/payments.feature', section: 'refunds' }],
      clauses: [
        { id: 'C1', concept: 'compiles', type: 'machine', arguments: { scope: 'src/**' } },
        { id: 'C2', concept: 'residue-is-honest', type: 'attested' },
      ],
    },
  ],
};

function faults(given: unknown, path?: string): InputFault[] {
  try {
    parseGrid(given, path);
  } catch (error) {
    if (isProblem(error) && error.code === 'invalid-input') return error.members.errors as InputFault[];
    throw error;
  }
  throw new Error('it was taken');
}

/** A grid whose one clause has these arguments, written in YAML. */
const withArguments = (yaml: string): string =>
  `contexts: [c]\nroles: [r]\narrows: [{id: a, from: r, to: r, context: c, stratum: 1, clauses: [{id: C, concept: x, type: machine, arguments: ${yaml}}]}]\n`;
const AT = 'grid.arrows[0].clauses[0].arguments';
const argumentsOf = (grid: Grid) => grid.arrows[0]!.clauses[0]!.arguments;

describe('what is taken', () => {
  test.each([
    ['YAML', YAML],
    ['YAML with a byte order mark and CRLF', `\ufeff${YAML.trimStart().replaceAll('\n', '\r\n')}`],
    ['JSON text', JSON.stringify(GRID)],
    ['JSON text indented with tabs', JSON.stringify(GRID, null, '\t')],
    ['an object', GRID],
  ])('%s', (_name, given) => {
    expect(parseGrid(given)).toEqual(GRID);
  });

  test('`requires` and `dependencies` may be left out: none', () => {
    const { requires: _r, dependencies: _d, ...arrow } = GRID.arrows[0]!;
    expect(parseGrid({ ...GRID, arrows: [arrow] }).arrows[0]).toMatchObject({ requires: [], dependencies: [] });
  });

  test('G-2: `section` and `arguments` are optional; `from` and `to` may be the same role', () => {
    const arrow = { ...GRID.arrows[0]!, to: 'analyst', dependencies: [{ artifact: 'a' }], clauses: [{ id: 'C', concept: 'x', type: 'machine' }] };
    expect(parseGrid({ ...GRID, arrows: [arrow] }).arrows).toEqual([arrow]);
  });

  test('an empty grid: no contexts, roles or arrows', () => {
    expect(parseGrid('contexts: []\nroles: []\narrows: []')).toEqual({ contexts: [], roles: [], arrows: [] });
  });

  test('names that JavaScript’s objects know are names', () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const arrows = names.map((id, i) => ({ ...GRID.arrows[0]!, id, from: names[i]!, to: names[i]!, context: id, requires: names.slice(0, i) }));
    expect(parseGrid({ contexts: names, roles: names, arrows }).arrows).toHaveLength(4);
    expect(faults({ contexts: [], roles: [], arrows: [arrows[3]] }).map((f) => f.path)).toEqual([
      'grid.arrows[0].from',
      'grid.arrows[0].to',
      'grid.arrows[0].context',
      ...[0, 1, 2].map((i) => `grid.arrows[0].requires[${i}]`),
    ]);
  });

  test('YAML 1.2: a date is text, `yes` is text, `<<` is a name, anchors are what they stand for', () => {
    expect(argumentsOf(parseGrid(withArguments('{d: 2001-01-01, y: yes, <<: {a: 1}, t: &t [1, 2], u: *t}')))).toEqual({ d: '2001-01-01', y: 'yes', '<<': { a: 1 }, t: [1, 2], u: [1, 2] });
  });

  test('numbers beyond 2^53 are the ones that JSON carries, and digest and YAML agree on them', () => {
    const grid = parseGrid(withArguments('{a: 123456789012345678901234567890, b: 0x1fffffffffffffffff, c: 1e300, d: -0.0, e: 5e-324}'));
    expect(argumentsOf(grid)).toEqual({ a: 1.2345678901234568e29, b: 590295810358705700000, c: 1e300, d: -0, e: 5e-324 });
    expect(digestOf(readYaml(gridYaml(grid)))).toBe(digestOf(JSON.parse(JSON.stringify(grid))));
  });
});

describe('what is refused, with its path', () => {
  test.each<[string, unknown, string, RegExp]>([
    ['nothing', undefined, 'grid', /is required/],
    ['null', null, 'grid', /must be an object/],
    ['a list', [], 'grid', /must be an object/],
    ['a number', 5, 'grid', /must be an object/],
    ['empty text', '', 'grid', /must be an object/],
    ['a comment alone', '# nothing', 'grid', /must be an object/],
    ['two documents', 'a: 1\n---\nb: 2\n', 'grid', /one YAML document/],
    ['tabs as indentation', 'contexts:\n\t- a\n', 'grid', /Tabs are not allowed.*line 2, column 1/],
    ['a bracket that stays open', 'contexts: [a\nroles: []\n', 'grid', /not plain YAML/],
    ['a member twice in YAML', `${YAML}roles: []\n`, 'grid.roles', /twice/],
    ['a member twice, deep in YAML', withArguments('{x: 1, "x": 2}'), `${AT}.x`, /twice/],
    ['a member twice in JSON text', '{"roles":[],"contexts":["a\\",{:"],"arrows":[{},{"id":"a","\\u0069d":"b"}]}', 'grid.arrows[1].id', /twice/],
    ['!!timestamp', withArguments('{x: !!timestamp 2001-01-01}'), 'grid', /tag.*timestamp/],
    ['!!binary', withArguments('{x: !!binary aGVsbG8=}'), 'grid', /tag.*binary/],
    ['!!set', withArguments('{x: !!set {a, b}}'), 'grid', /tag.*set/],
    ['!!omap', withArguments('{x: !!omap [a: 1]}'), 'grid', /tag.*omap/],
    ['a tag of a language', withArguments('{x: !!js/function "x"}'), 'grid', /tag.*js\/function/],
    ['a tag of its own', withArguments('{x: !secret y}'), 'grid', /tag.*!secret/],
    ['.nan', withArguments('{x: .nan}'), `${AT}.x`, /finite/],
    ['.inf', withArguments('{x: [1, -.inf]}'), `${AT}.x[1]`, /finite/],
    ['1e999 in YAML', withArguments('{x: 1e999}'), `${AT}.x`, /finite/],
    ['1e999 in JSON', JSON.parse('{"contexts":[],"roles":[],"arrows":[1e999]}'), 'grid.arrows[0]', /finite/],
    ['a number of 400 digits', withArguments(`{x: ${'9'.repeat(400)}}`), `${AT}.x`, /finite/],
    ['__proto__ at the top', JSON.parse('{"contexts":[],"roles":[],"arrows":[],"__proto__":{"contexts":["x"]}}'), 'grid.__proto__', /not known/],
    ['__proto__ as an argument', withArguments('{__proto__: {a: 1}}'), `${AT}.__proto__`, /not known/],
    ['__proto__ below', withArguments('{x: {__proto__: {a: 1}}}'), `${AT}.x.__proto__`, /not known/],
    ['U+0000', withArguments('{x: "a\\0b"}'), `${AT}.x`, /U\+0000/],
    ['U+0000 in a name', withArguments('{"a\\0b": 1}'), AT, /cannot be stored/],
    ['a lone surrogate', withArguments('{x: "\\ud800"}'), `${AT}.x`, /surrogate/],
    ['a lone surrogate in JSON text', '{"contexts":["\\udc00"],"roles":[],"arrows":[]}', 'grid.contexts[0]', /surrogate/],
    ['an alias without its anchor', 'contexts: *x\n', 'grid', /alias/],
    ['an anchor that holds itself', 'contexts: &a [*a]\n', `grid.contexts${'[0]'.repeat(100)}`, /deep/],
    ['an unknown member', { ...GRID, body: 1 }, 'grid.body', /not known/],
    ['an unknown member of an arrow', { ...GRID, arrows: [{ ...GRID.arrows[0], priority: 1 }] }, 'grid.arrows[0].priority', /not known/],
  ])('%s', (_name, given, path, message) => {
    const [fault, ...more] = faults(given);
    expect(fault).toEqual({ path: path.slice(0, 200), message: expect.stringMatching(message) });
    expect(more).toEqual([]);
  });

  test('faults name the input member that holds the grid', () => {
    expect(faults({ ...GRID, roles: 5 }, 'wanted')).toEqual([{ path: 'wanted.roles', message: 'must be a list' }]);
    expect(faults('a: [', 'wanted')[0]!.path).toBe('wanted');
  });

  test('more than 1 MiB, as text or as an object; more than 512 KiB of YAML', () => {
    const long = { ...GRID, arrows: Array.from({ length: 2_200 }, (_, i) => ({ ...GRID.arrows[0]!, id: `arrow-${i}`, dependencies: [{ artifact: 'x'.repeat(300) }] })) };
    expect(JSON.stringify(long).length).toBeGreaterThan(MAX_GRID_BYTES);
    for (const given of [long, JSON.stringify(long), `# ${'x'.repeat(MAX_GRID_BYTES)}`]) expect(faults(given)).toEqual([{ path: 'grid', message: `must have at most ${MAX_GRID_BYTES} bytes` }]);
    const shorter = { ...long, arrows: long.arrows.slice(0, 1_600) };
    expect(parseGrid(JSON.stringify(shorter)).arrows).toHaveLength(1_600);
    expect(faults(gridYaml(shorter))).toEqual([{ path: 'grid', message: expect.stringContaining(`${MAX_YAML_BYTES} bytes as YAML`) }]);
    // Bytes, not characters.
    expect(faults(`# ${'é'.repeat(MAX_GRID_BYTES / 2)}\n`)).toEqual([{ path: 'grid', message: `must have at most ${MAX_GRID_BYTES} bytes` }]);
  });
});

describe('text that is made to hurt is refused in bounded time, and ends no process', () => {
  const many = (n: number, line: (i: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join('');
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`).join(',')}]`).join('\n')}`;

  test.each<[string, unknown, RegExp]>([
    ['a bomb of aliases', bomb, /too many aliases/],
    ['aliases one by one', `[${'&a b,*a,'.repeat(20_000)}]`, /too many aliases/],
    ['a long list, many times over', `a: &x [${'a,'.repeat(40_000)}]\nb: [${'*x,'.repeat(99)}]`, /at most 1048576 bytes/],
    ['brackets', '['.repeat(500_000), /deep/],
    ['braces', '{a: '.repeat(100_000), /deep/],
    ['dashes', '- '.repeat(250_000), /deep/],
    ['question marks', '? '.repeat(250_000), /deep/],
    ['indentation', many(900, (i) => `${' '.repeat(i)}a:\n`), /deep/],
    ['deep JSON text', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, /deep/],
    ['a deep object', JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), /deep/],
    ['twenty thousand members', many(20_000, (i) => `k${i}: 1\n`), /required|not known/],
    ['one member many times', many(20_000, () => 'a: 1\n'), /twice/],
    ['an error on every line', many(10_000, () => 'a: [}\n'), /not plain YAML/],
  ])('%s', (_name, given, message) => {
    const before = process.cpuUsage();
    const found = faults(given);
    const { user, system } = process.cpuUsage(before);
    expect(found[0]!.message).toMatch(message);
    expect(found.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(found).length).toBeLessThan(50_000);
    expect((user + system) / 1e6, 'seconds of processor time').toBeLessThan(3);
  });
});

describe('G-4: a grid as YAML', () => {
  const SEED = Number(process.env.PROPERTY_SEED ?? 20261130);
  const word = fc.oneof(
    fc.string({ unit: 'grapheme-composite', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...' \t\n\r:#-?[]{},&*!|>\'"%@`~\\=<\u0085\u2028\ufeff\u00a0\u007f\u001bax0.e+_'), maxLength: 12 }),
    fc.constantFrom('yes', 'null', '~', '.nan', '0x1F', '0o7', '1e3', '2001-01-01', '---', '...', '<<', 'a: b', '- a', '# c', 'x'.repeat(300), 'word '.repeat(60), '12', 'true'),
  );
  const text = word.filter((s) => s.isWellFormed() && !s.includes('\0'));
  const key = text.filter((s) => s !== '__proto__');
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).any;

  test('any arguments survive YAML and JSON with their digest, so that a mirror never diverges by itself', () => {
    fc.assert(
      fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), text, (given, section) => {
        const arrow = { ...GRID.arrows[0]!, dependencies: [{ artifact: `x${section}`, section: `${section}x` }], clauses: [{ id: 'C', concept: `${section}.`, type: 'machine' as const, arguments: given }] };
        const grid = parseGrid({ ...GRID, arrows: [arrow] });
        const stored = JSON.parse(JSON.stringify(grid)) as Grid;
        expect(digestOf(stored)).toBe(digestOf(grid));
        expect(digestOf(readYaml(gridYaml(stored)))).toBe(digestOf(grid));
        expect(digestOf(parseGrid(gridYaml(stored)))).toBe(digestOf(grid));
        expect(digestOf(parseGrid(JSON.stringify(stored)))).toBe(digestOf(grid));
      }),
      { seed: SEED, numRuns: 80 },
    );
  });

  test('the deepest grid that is taken can be mirrored', () => {
    const deep = (n: number): unknown => (n === 0 ? 1 : n % 2 ? [deep(n - 1)] : { a: deep(n - 1) });
    const withDeep = (n: number) => ({ ...GRID, arrows: [{ ...GRID.arrows[0]!, clauses: [{ id: 'C', concept: 'x', type: 'machine', arguments: { a: deep(n) } }] }] });
    const grid = parseGrid(withDeep(58));
    expect(digestOf(readYaml(gridYaml(grid)))).toBe(digestOf(grid));
    expect(faults(withDeep(60))[0]!.message).toMatch(/deep/);
  });

  test('a file that holds no YAML is an error', () => {
    for (const text of ['a: [', 'a: 1\n---\n', '!x y', 'a: 1\na: 2', '['.repeat(500)]) expect(() => readYaml(text)).toThrow();
  });
});
