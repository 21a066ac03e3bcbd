/**
 * What browser tests share: people with passwords, containers of their own, a browser for each
 * person, calls to the API, and the database beneath. Every page that it opens is watched: a
 * console error (a breach of the Content-Security-Policy is one) fails the test.
 */
import { randomUUID } from 'node:crypto';
import { expect, test as base, type BrowserContextOptions, type Page } from '@playwright/test';
import { createContainer, type NewContainer } from '../../lib/containers/create';
import type { Db } from '../../lib/db/pool';
import { createPrincipal } from '../../lib/principals/create';
import { HOST, type Principal } from '../../lib/principals/record';
import type { Role } from '../../lib/roles';
import { letTimePass } from '../../lib/testing/world';
import { openRuntime, type Runtime } from '../../lib/runtime';
import { signIn } from '../../lib/sign-in/sign-in';
import { issueToken } from '../../lib/tokens/issue';
import { testServer } from './server';

export { expect };

export const HOUR = 3600;
export const MINUTE = 60;

export type Person = Principal & { password: string };

/** An answer of the API; `body` is its JSON, where it has some. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Reply = { status: number; headers: Headers; body: any };
export type Call = (method: string, path: string, options?: { body?: unknown; base?: number; key?: string }) => Promise<Reply>;

export type Kit = {
  db: Db;
  address: string;
  /** A new person; its name begins with `name` and is like no other. */
  person(name: string, role?: Role): Promise<Person>;
  /** A new container, by its slug: readable by all who sign in, term 4 h, window 15 min, prefix `HF` unless told otherwise. */
  container(settings?: Partial<NewContainer>): Promise<string>;
  /** A browser of its own, signed in as `who` (without the form, which tests of signing in use) or as nobody. Closed when the test ends. */
  open(who?: Person, options?: BrowserContextOptions): Promise<Page>;
  /** Calls to the API with a token of `who`, or of nobody. Paths are under `/api/v1`. */
  api(who?: Pick<Principal, 'id'>): Promise<Call>;
  /** Rows of a statement. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  rows(sql: string, values?: unknown[]): Promise<any[]>;
  /** What a container has in a table, in the order of its columns `order`. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  stored(slug: string, table: string, columns: string, order?: string): Promise<any[]>;
  /** The stored lock page of a container, with what tests compare computed in SQL. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  lock(slug: string): Promise<any>;
  /** Moves a container's present into the future. */
  pass(slug: string, seconds: number): Promise<void>;
  /** Console errors that this test provokes and expects. */
  expectErrors(pattern: RegExp): void;
};

type Shared = { runtime: Runtime; keeper: Principal };

const LOCK = `
  SELECT l.*, p.name AS holder, l.expires_at = l.last_beat_at + make_interval(secs => l.grant_term_seconds) AS one_term,
    l.expires_at = l.granted_at + interval '24 hours' AS at_cap
  FROM lock_page l JOIN container c ON c.id = l.container_id LEFT JOIN principal p ON p.id = l.holder_id WHERE c.slug = $1`;

async function call(address: string, token: string | undefined, method: string, path: string, options: Parameters<Call>[2] = {}): Promise<Reply> {
  const headers = new Headers();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (options.base !== undefined) headers.set('if-match', `"${options.base}"`);
  if (options.key !== undefined) headers.set('idempotency-key', options.key);
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  const answer = await fetch(`${address}/api/v1${path}`, { method, headers, body: options.body === undefined ? undefined : JSON.stringify(options.body) });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** The cookie of a new session. */
async function sessionOf(runtime: Runtime, { name, password }: Person, url: string) {
  const { setCookie } = await signIn(runtime, { name, password }, { headers: new Headers() });
  return setCookie.map((line) => {
    const [, key, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    return { name: key!, value: value!, url, httpOnly: true, sameSite: 'Lax' as const };
  });
}

export const test = base.extend<{ kit: Kit }, { shared: Shared }>({
  shared: [
    async ({}, use) => {
      const runtime = openRuntime(testServer().databaseUrl, { max: 4 });
      const keeper = await createPrincipal(runtime.db, HOST, { name: `Keeper ${randomUUID().slice(0, 8)}`, role: 'operator' });
      await use({ runtime, keeper });
      await runtime.close();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({}, use) => use(testServer().address),
  kit: async ({ shared: { runtime, keeper }, browser, baseURL, contextOptions }, use) => {
    const { db } = runtime;
    const address = baseURL!;
    const opened: Page[] = [];
    const expected: RegExp[] = [];
    const troubles: string[] = [];

    const watch = (page: Page): void => {
      page.on('console', (message) => void (message.type() === 'error' && troubles.push(`${message.text()} (${message.location().url} on ${page.url()})`)));
      page.on('pageerror', (error) => void troubles.push(`${error.message} (${page.url()})`));
    };

    await use({
      db,
      address,
      async person(name, role = 'coworker') {
        const password = randomUUID();
        return { ...(await createPrincipal(db, HOST, { name: `${name} ${randomUUID().slice(0, 6)}`, role, password })), password };
      },
      async container(settings = {}) {
        const slug = settings.slug ?? `c-${randomUUID().slice(0, 12)}`;
        await createContainer(db, keeper.id, { title: `The handbook ${slug}`, prefix: 'HF', ...settings, slug });
        return slug;
      },
      async open(who, options = {}) {
        const context = await browser.newContext({ baseURL, locale: 'en-GB', timezoneId: 'UTC', ...contextOptions, ...options });
        if (who) await context.addCookies(await sessionOf(runtime, who, address));
        const page = await context.newPage();
        opened.push(page);
        watch(page);
        return page;
      },
      async api(who) {
        const token = who && (await issueToken(db, HOST, who.id, { label: 'test' })).token;
        return (method, path, given) => call(address, token, method, path, given);
      },
      rows: async (sql, values = []) => (await db.query(sql, values)).rows,
      stored: async (slug, table, columns, order = columns) =>
        (await db.query(`SELECT ${columns} FROM ${table} WHERE container_id = (SELECT id FROM container WHERE slug = $1) ORDER BY ${order}`, [slug])).rows,
      lock: async (slug) => (await db.query(LOCK, [slug])).rows[0],
      pass: (slug, seconds) => letTimePass(db, slug, seconds),
      expectErrors: (pattern) => void expected.push(pattern),
    });

    await Promise.all(opened.map((page) => page.context().close()));
    expect(troubles.filter((trouble) => !expected.some((pattern) => pattern.test(trouble))), 'console errors').toEqual([]);
  },
});
