/* eslint-disable no-restricted-syntax -- this file names what it forbids */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PROBLEM_CODES, RECEIPT_CODES, Problem } from './problems';

const ROOT = new URL('..', import.meta.url);
const FOLDERS = ['lib', 'app', 'components', 'scripts', 'e2e', 'bench'];

type Source = { path: string; text: string };

/** Every source file of ours, by its path from the root: no generated code, no packages, no tests, and not the linter's settings, which name what they forbid. */
const SOURCES: Source[] = readdirSync(ROOT, { withFileTypes: true })
  .flatMap((entry) =>
    entry.isDirectory()
      ? FOLDERS.includes(entry.name)
        ? readdirSync(new URL(`${entry.name}/`, ROOT), { recursive: true, encoding: 'utf8' }).map((p) => `${entry.name}/${p}`)
        : []
      : [entry.name],
  )
  .map((path) => path.replaceAll('\\', '/'))
  .filter(
    (path) => /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/.test(path) && !/^lib\/generated\/|^bench\/node_modules\/|\.(test|spec)\.tsx?$|^eslint\.config\.mjs$/.test(path),
  )
  .map((path) => ({ path, text: readFileSync(fileURLToPath(new URL(path, ROOT)), 'utf8') }));
const MIGRATIONS: Source[] = readdirSync(new URL('prisma/migrations/', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.sql'))
  .map((path) => ({ path, text: readFileSync(new URL(`prisma/migrations/${path.replaceAll('\\', '/')}`, ROOT), 'utf8') }));

const importsOf = ({ text }: Source): string[] =>
  [
    ...text.matchAll(
      /(?:^|[\s;])(?:import|export)\s[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"]([^'"]+)['"]/g,
    ),
  ].map((m) => (m[1] ?? m[2] ?? m[3])!);

describe('section 8: locks', () => {
  /** The gate’s file, and the three owners’. The runner’s lock is a row of its own: it takes no primitive. */
  const OWNERS = ['lib/db/gate.ts', 'lib/engine/clause-lock.ts', 'lib/runner/role-lock.ts', 'lib/amendment/write-lock.ts'];
  const PRIMITIVES: [string, RegExp][] = [
    ['a row lock', /\bFOR\s+(NO\s+KEY\s+UPDATE|KEY\s+SHARE|UPDATE|SHARE)\b/i],
    ['an advisory lock', /\bpg_(try_)?advisory_/i],
    ['a table lock', /\bLOCK\s+TABLE\b/i],
    ['a mutex or semaphore', /\b(mutex|semaphore)\b/i],
    ['a lock of the platform', /\bnavigator\.locks\b|\bAtomics\.(wait|compareExchange)\b/],
  ];
  const taking = (sources: Source[]) =>
    sources.flatMap(({ path, text }) => PRIMITIVES.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${path}: ${what}`));

  test('the search sees the sources', () => {
    const paths = SOURCES.map((s) => s.path);
    expect(paths).toEqual(
      expect.arrayContaining(['server.ts', 'proxy.ts', ...OWNERS, 'lib/lock-page/acquire.ts', 'scripts/start.mjs']),
    );
    expect(paths.some((p) => p.startsWith('components/'))).toBe(true);
    for (const text of [
      'SELECT 1 for update',
      'SELECT 1 FOR NO KEY UPDATE',
      'SELECT 1 FOR\n SHARE',
      'SELECT 1 FOR KEY SHARE',
      'SELECT pg_try_advisory_lock(1)',
      'LOCK TABLE entry',
      'new Mutex()',
    ]) {
      expect(taking([{ path: 'x', text }])).toHaveLength(1);
    }
  });

  test('no source file outside the three owners’ and the gate’s takes a lock', () => {
    expect(taking(SOURCES.filter(({ path }) => !OWNERS.includes(path)))).toEqual([]);
    expect(taking(MIGRATIONS)).toEqual([]);
  });

  test('the gate and the grid write-lock take transaction-level advisory locks, in classes of their own, the clause lock rows, the role lock nothing', () => {
    expect(taking(SOURCES.filter(({ path }) => OWNERS.includes(path))).sort()).toEqual([
      'lib/amendment/write-lock.ts: an advisory lock',
      'lib/db/gate.ts: an advisory lock',
      'lib/engine/clause-lock.ts: a row lock',
    ]);
    const classes = ['lib/db/gate.ts', 'lib/amendment/write-lock.ts'].map((owner) => {
      const { text } = SOURCES.find(({ path }) => path === owner)!;
      expect([...text.matchAll(/\bpg_\w*advisory\w*/g)].map((m) => m[0]).sort()).toEqual(['pg_advisory_xact_lock', 'pg_advisory_xact_lock_shared']);
      return /\bCLASS = (0x[0-9a-f]{8});/.exec(text)![1];
    });
    expect(new Set(classes).size).toBe(2);
  });

  test('no dependency is a lock library', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    expect(
      Object.keys({ ...dependencies, ...devDependencies }).filter((name) =>
        /mutex|semaphore|lockfile|redlock|async-lock|(^|-)lock(s|er)?$/.test(name),
      ),
    ).toEqual([]);
  });
});

describe('architecture: dependencies point one way', () => {
  const within = (folder: string) => SOURCES.filter(({ path }) => path.startsWith(`${folder}/`));

  test('lib imports nothing of Next, React, app or components', () => {
    const wrong = within('lib').flatMap((source) =>
      importsOf(source)
        .filter(
          (name) =>
            /^(next|react|react-dom)(\/|$)/.test(name) || /^@\/(app|components)\//.test(name) || /^(\.\.\/)+(app|components)\//.test(name),
        )
        .map((name) => `${source.path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('lib/db imports no feature', () => {
    const wrong = within('lib/db').flatMap((source) =>
      importsOf(source)
        .filter((name) => /^\.\.\/.*\//.test(name) && !name.startsWith('../generated/'))
        .map((name) => `${source.path}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  /** What is inside an owner: a module of its folder, but its index. */
  const inside = (path: string) => /^lib\/(engine|runner|amendment)\/(?!index$).+/.exec(path)?.[1];
  const targetOf = (source: Source, name: string) =>
    (name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? posix.join(posix.dirname(source.path), name) : name).replace(/\.tsx?$/, '');
  const reachingIn = (sources: Source[]) =>
    sources.flatMap((source) =>
      importsOf(source)
        .map((name) => targetOf(source, name))
        .filter((target) => {
          const owner = inside(target);
          if (!owner || source.path.startsWith(`lib/${owner}/`) || source.path.startsWith('lib/testing/')) return false;
          if (/^lib\/engine\/(moves|status)$/.test(target)) return !/^(components|lib\/schemas)\//.test(source.path);
          return !(target === 'lib/amendment/write-lock' && source.path.startsWith('lib/runner/') && /import \{ pinGrid \} from '\.\.\/amendment\/write-lock'/.test(source.text));
        })
        .map((target) => `${source.path}: ${target}`),
    );

  test('section 8: nobody reaches past the public functions of the engine, the runner and the amendment component', () => {
    expect(reachingIn(SOURCES)).toEqual([]);
    const found = (path: string, name: string, what = 'x') => reachingIn([{ path, text: `import { ${what} } from '${name}';` }]);
    for (const [path, name] of [
      ['lib/recovery/run.ts', '../engine/clause-lock'],
      ['lib/recovery/run.ts', '../runner/role-lock.ts'],
      ['lib/engine/propose.ts', '../runner/end'],
      ['lib/project/read.ts', '../engine/status'],
      ['lib/runner/start.ts', '../amendment/write-lock'],
      ['lib/recovery/run.ts', '../amendment/write-lock'],
      ['app/c/page.tsx', '@/lib/runner/start'],
      ['components/x.tsx', '../lib/engine/read'],
      ['server.ts', './lib/amendment/decider'],
    ] as const) {
      expect([path, name, found(path, name).length]).toEqual([path, name, 1]);
    }
    for (const [path, name] of [
      ['lib/recovery/run.ts', '../engine'],
      ['lib/recovery/run.ts', '../amendment/index'],
      ['lib/engine/propose.ts', './clause-lock'],
      ['components/x.tsx', '../lib/engine/status'],
      ['lib/schemas/work.ts', '../engine/moves'],
    ] as const) {
      expect([path, name, found(path, name)]).toEqual([path, name, []]);
    }
    expect(found('lib/runner/start.ts', '../amendment/write-lock', 'pinGrid')).toEqual([]);
  });

  test('T-1: no rule reads the app’s clock', () => {
    const RULES = ['db', 'lock-page', 'collaboration', 'drafts', 'register', 'copy', 'containers', 'engine', 'runner', 'amendment', 'grid', 'project', 'recovery'].map((f) => `lib/${f}`);
    const wrong = RULES.flatMap(within)
      .filter(({ text }) => /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(|\bnow\(\)|\bCURRENT_TIMESTAMP\b/.test(text))
      .map((s) => s.path);
    expect(wrong).toEqual([]);
  });
});

describe('section 10: the error codes', () => {
  /** The table of section 10, without what belongs to R-9. */
  const TABLE: Record<number, string[]> = {
    400: ['malformed-json', 'idempotency-key-required'],
    401: ['unauthenticated'],
    403: ['forbidden', 'producer-cannot-attest'],
    404: ['not-found', 'unknown-clause'],
    409: [
      ...['lock-held', 'not-your-turn', 'push-required', 'not-silent', 'grant-moved', 'container-closed', 'archived'],
      ...['grant-unknown', 'grant-superseded', 'grant-cleared', 'grant-released', 'not-holder', 'grant-expired'],
      ...['already-waiting', 'already-holder', 'range-taken', 'wrong-state', 'slug-taken', 'name-taken', 'last-operator'],
      ...['grid-missing', 'grid-exists', 'illegal-transition', 'pass-not-running', 'clauses-open', 'transition-refused', 'transition-refused-invalidated'],
      ...['single-active-role-violation', 'amendment-queue-full'],
    ],
    412: ['edit-conflict'],
    413: ['too-large'],
    422: ['invalid-input', 'landing-invalid', 'idempotency-mismatch'],
    428: ['precondition-required'],
    429: ['rate-limited'],
    503: ['recovering'],
  };
  /** What is no refusal by a rule: a fault of ours, and a database that does not answer. */
  const FAULTS: Record<number, string[]> = { 500: ['internal'], 503: ['busy'] };

  test('lib/problems.ts has the codes of section 10, each with its status, and no other', () => {
    const expected = [TABLE, FAULTS].flatMap((table) =>
      Object.entries(table).flatMap(([status, codes]) => codes.map((code) => `${status} ${code}`)),
    );
    expect(PROBLEM_CODES.map((code) => `${new Problem(code, '').status} ${code}`).sort()).toEqual(expected.sort());
  });

  test('the receipts are the codes of R-2, in its order', () => {
    expect(RECEIPT_CODES).toEqual(['grant-unknown', 'grant-superseded', 'grant-cleared', 'grant-released', 'not-holder', 'grant-expired']);
  });

  test('a refusal in its RFC 9457 form has type, title, status, detail, code and its members', () => {
    expect(new Problem('grant-moved', 'It moved.', { currentGrant: 4 }).toJSON()).toEqual({
      type: 'urn:holdfast:problem:grant-moved',
      title: 'The grant has moved on',
      status: 409,
      detail: 'It moved.',
      code: 'grant-moved',
      currentGrant: 4,
    });
  });
});
