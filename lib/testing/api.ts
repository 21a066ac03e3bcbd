/**
 * What tests of the HTTP API share: a world, the process's runtime on its database, tokens,
 * and calls that go through the app itself, without a socket.
 */
import { z } from '@hono/zod-openapi';
import { app } from '../api/app';
import type { Db } from '../db/pool';
import type { Principal } from '../principals/record';
import { HOST } from '../principals/record';
import { openRuntime, setRuntime, type Runtime } from '../runtime';
import { issueToken } from '../tokens/issue';
import { openWorld, type World } from './world';

/** Where the tests' requests say that they go to. */
export const ORIGIN = 'http://holdfast.test';

/** An answer, read whole. `body` is its JSON, where it is JSON. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Reply = { status: number; headers: Headers; text: string; body: any };

export type CallOptions = {
  /** Who calls: a principal, or a bearer token as it stands. Nobody when left out. */
  as?: Pick<Principal, 'id'> | string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it stands, in the place of `body`. */
  raw?: string | Uint8Array | ReadableStream<Uint8Array>;
  /** The revision that `If-Match` names. */
  base?: number;
  /** The `Idempotency-Key`. */
  key?: string;
  headers?: Record<string, string>;
};

export type Api = World & {
  runtime: Runtime;
  /** A principal's bearer token; issued once. */
  tokenOf(who: Pick<Principal, 'id'>): Promise<string>;
  /** A request; the path is under `/api/v1` unless it is `/healthz` or `/readyz`. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Acquires, and gives the new grant. */
  grantTo(slug: string, who: Pick<Principal, 'id'>): Promise<number>;
};

const urlOf = (path: string): string => `${ORIGIN}${/^\/(healthz|readyz|metrics|api)\b/.test(path) ? '' : '/api/v1'}${path}`;

/** Reads an answer whole. */
export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}

/** A world behind the API. Write limits are off unless told otherwise. Close it in `afterAll`. */
export async function openApi({ rateLimit = false, recovered = true }: { rateLimit?: boolean; recovered?: boolean } = {}): Promise<Api> {
  const before = process.env.HOLDFAST_RATE_LIMIT;
  if (rateLimit) delete process.env.HOLDFAST_RATE_LIMIT;
  else process.env.HOLDFAST_RATE_LIMIT = 'off';
  const world = await openWorld({ size: 10, recovered });
  const runtime = setRuntime(openRuntime(world.url, { max: 10 }));
  const tokens = new Map<string, Promise<string>>();

  const tokenOf = (who: Pick<Principal, 'id'>): Promise<string> => {
    let token = tokens.get(who.id);
    if (!token) {
      token = issueToken(runtime.db, HOST, who.id, { label: 'test' }).then((issued) => issued.token);
      tokens.set(who.id, token);
    }
    return token;
  };

  return {
    ...world,
    runtime,
    tokenOf,
    async call(method, path, { as, body, raw, base, key, headers = {} } = {}) {
      const sent = new Headers(headers);
      if (as !== undefined) sent.set('authorization', `Bearer ${typeof as === 'string' ? as : await tokenOf(as)}`);
      if (base !== undefined) sent.set('if-match', `"${base}"`);
      if (key !== undefined) sent.set('idempotency-key', key);
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      if (content !== undefined && !sent.has('content-type')) sent.set('content-type', 'application/json');
      const init = { method, headers: sent, body: content as BodyInit | undefined, duplex: 'half' };
      return readReply(await app.fetch(new Request(urlOf(path), init as RequestInit)));
    },
    grantTo: async (slug, who) => (await world.lead(slug, who)).grant,
    async close() {
      await runtime.close();
      await world.close();
      if (before === undefined) delete process.env.HOLDFAST_RATE_LIMIT;
      else process.env.HOLDFAST_RATE_LIMIT = before;
    },
  };
}

/** Counters of the rate limiter, when a token was last used, and how far a chain was checked are no content. */
const NO_CONTENT = `to_jsonb(t) - 'last_used_at' - 'verified' - 'verified_digest'`;

/**
 * A digest of what is stored, by table: equal before and after exactly when nothing was written.
 * @param only these tables; all, where left out
 */
export async function contentOf(db: Db, only?: string[]): Promise<Record<string, string>> {
  const { rows: tables } = await db.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('rate_limit') AND ($1::text[] IS NULL OR tablename = ANY ($1)) ORDER BY 1`,
    [only ?? null],
  );
  const parts = tables.map(
    ({ tablename }) =>
      `SELECT '${tablename}' AS name, count(*) || ' rows, ' || coalesce(md5(string_agg((${NO_CONTENT})::text, ',' ORDER BY (${NO_CONTENT})::text)), '') AS content FROM "${tablename}" t`,
  );
  const { rows } = await db.query(parts.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]));
}

/** A refusal's form (section 10), exactly: with `members` and no others. Comparable with `toEqual`. */
export const problemBody = (code: string, status: number, title: unknown, detail: unknown, members: Record<string, unknown> = {}) => ({
  type: `urn:holdfast:problem:${code}`,
  title,
  status,
  detail,
  code,
  ...members,
});

/** A schema that refuses members that it does not know, at every depth. Loose objects stay loose. */
export function strict(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    if (schema.def.catchall) return schema;
    return z.strictObject(Object.fromEntries(Object.entries(schema.shape).map(([name, inner]) => [name, strict(inner as z.ZodType)])));
  }
  if (schema instanceof z.ZodArray) return z.array(strict(schema.element as z.ZodType));
  if (schema instanceof z.ZodNullable) return strict(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodOptional) return strict(schema.unwrap() as z.ZodType).optional();
  return schema;
}
