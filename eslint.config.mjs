import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

// Architecture is a lint error (docs/ARCHITECTURE.md): app → components, lib; components →
// types of lib; inside lib: api → features → db.
const forbid = (patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });
const FRAMEWORK = { regex: '^(next|react|react-dom)(/|$)', message: 'lib holds the rules and knows nothing of Next or React. Put this into app/ or components/.' };
const PAGES = { regex: '(^|/)(app|components)/', message: 'lib must not reach into pages or components: dependencies point from app to lib.' };

// Section 8: three locks, three owners, each behind its index. Tests may look inside.
const inside = (allowed) => ({
  regex: `(^|/)(engine|runner|amendment)/(?!${['index', ...allowed].join('$|')}$)`,
  message: 'A lock belongs to its owner: import what lib/engine, lib/runner or lib/amendment offers in its index, not a module behind it.',
});
const OWNERS = inside([]);
const PURE = ['moves', 'status']; // the engine's pure rules

const API = { regex: '^(\\.\\./)+api/', message: 'The API calls the features, not the other way round.' };

const LOCKS = {
  selector: 'Literal[value=/FOR (NO KEY )?(UPDATE|SHARE)|FOR KEY SHARE|pg_(try_)?advisory|LOCK TABLE/i], TemplateElement[value.raw=/FOR (NO KEY )?(UPDATE|SHARE)|FOR KEY SHARE|pg_(try_)?advisory|LOCK TABLE/i]',
  message: 'Only lib/db/gate.ts and the three owners (lib/engine/clause-lock.ts, lib/runner/role-lock.ts, lib/amendment/write-lock.ts) take locks (section 8 of the specification). Take the gate, or let a unique index or a checked UPDATE decide.',
};
const CLOCKS = {
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'All time of rules is the database’s (T-1). Use the write’s instant.',
};

export default tseslint.config(
  { ignores: ['node_modules', 'bench/node_modules', 'bench/.bare', '.next', '.holdfast', 'lib/generated', 'next-env.d.ts', 'test-results', 'playwright-report', '.test-reports'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  { files: ['**/*.ts', '**/*.tsx'], languageOptions: { parserOptions: { projectService: true } }, rules: { '@typescript-eslint/no-floating-promises': 'error', '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] } },
  { files: ['**/*.tsx', 'components/**/*.ts'], plugins: { 'react-hooks': hooks }, rules: { ...hooks.configs.recommended.rules } },
  { files: ['lib/**/*.ts'], rules: { ...forbid([FRAMEWORK, PAGES]), 'no-restricted-syntax': ['error', LOCKS, CLOCKS] } },
  { files: ['lib/db/gate.ts', 'lib/engine/clause-lock.ts', 'lib/runner/role-lock.ts', 'lib/amendment/write-lock.ts'], rules: { 'no-restricted-syntax': ['error', CLOCKS] } },
  {
    files: ['lib/db/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: forbid([FRAMEWORK, PAGES, { regex: '^\\.\\./(?!problems|time|roles|generated|log)', message: 'lib/db is the ground: it knows no feature. Only problems, time, roles and log stand below it.' }]),
  },
  {
    files: ['lib/**/*.ts'],
    ignores: ['lib/api/**', 'lib/db/**', 'lib/testing/**', '**/*.test.ts'],
    rules: forbid([FRAMEWORK, PAGES, OWNERS, API]),
  },
  { files: ['lib/api/**/*.ts'], ignores: ['**/*.test.ts'], rules: forbid([FRAMEWORK, PAGES, OWNERS]) },
  { files: ['server.ts', 'instrumentation.ts', 'proxy.ts', 'scripts/**/*.ts'], ignores: ['**/*.test.ts'], rules: forbid([OWNERS]) },
  { files: ['lib/schemas/**/*.ts'], ignores: ['**/*.test.ts'], rules: forbid([FRAMEWORK, PAGES, inside(PURE), API]) },
  {
    files: ['lib/runner/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: forbid([
      FRAMEWORK,
      PAGES,
      inside(['write-lock']),
      API,
      { regex: '(^|/)amendment/write-lock$', allowImportNames: ['pinGrid'], message: 'The runner pins the grid; the rest of the write-lock is the amendment component’s own.' },
    ]),
  },
  {
    files: ['components/**/*.{ts,tsx}'],
    ignores: ['**/*.test.{ts,tsx}'],
    rules: {
      ...forbid([inside(PURE)]),
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '(^|/)lib/(?!time$|lock-page/badge$|engine/(moves|status)$)', allowTypeImports: true, message: 'A component takes its data as props: it may import types of lib, not its functions.' },
            { regex: '(^|/)app/', message: 'Components know no page. Pass what they need as props.' },
          ],
        },
      ],
    },
  },
  {
    files: ['app/**/*.{ts,tsx}'],
    rules: forbid([{ regex: '(^|/)lib/(db|generated)/', message: 'Pages and actions call a feature of lib; rules and queries never live in app/.' }, OWNERS]),
  },
  { files: ['server.ts', 'scripts/**', 'bench/**', 'e2e/**', '**/*.test.{ts,tsx}', 'lib/testing/**'], rules: { 'no-console': 'off' } },
);
