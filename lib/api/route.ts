/**
 * One way to declare a call: its checks run in the order of section 10 (sign-in, body, role,
 * idempotency key, `If-Match`), then one function of `lib` decides the rest.
 */
import { type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { forbidden } from '../db/state';
import { hasRole, type Role } from '../roles';
import { invalidInput, notFound, Problem } from '../problems';
import { limitWrites } from '../rate-limit/limit';
import { runtime, type Runtime } from '../runtime';
import { parseInput } from '../schemas/parse';
import { unstorable } from '../schemas/text';
import type { Caller } from '../principals/record';
import { isHolding } from '../lock-page/holding';
import { readJson } from './body';
import { callerOf } from './caller';
import { readIdempotencyKey, readIfMatch } from './headers';

const MIB = 1024 * 1024;
/** A landing's body. */
export const LANDING_LIMIT = 8 * MIB;
const BODY_LIMIT = 2 * MIB;

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

type Declaration<B extends z.ZodType, Q extends z.ZodType> = {
  method: Method;
  /** With `{name}` for segments; under `/api/v1`. */
  path: string;
  summary: string;
  /** The role asked for; none for reading, where the container decides who may (P-2). */
  role?: Role;
  body?: B;
  bodyLimit?: number;
  query?: Q;
  ifMatch?: 'required' | 'optional';
  idempotencyKey?: true;
  /** The status of success; its answer's schema where it has one. */
  status: 200 | 201 | 202 | 204;
  answer?: z.ZodType;
  /** Where the answer is no JSON: its media type. The handler's value is then the text. */
  media?: 'image/svg+xml';
};

export type Call<B, Q> = {
  runtime: Runtime;
  /** Who calls; undefined only for reading without a sign-in. */
  viewer: Caller | undefined;
  /** Who calls, where a role is asked for. */
  caller: Caller;
  /** A path segment. */
  segment: (name: string) => string;
  /** A path segment that is a UUID. @throws Problem `not-found` */
  id: (name: string) => string;
  /** A path segment that is a positive integer; 0, which names nothing, for any other. */
  number: (name: string) => number;
  body: B;
  query: Q;
  /** The base of `If-Match`; NaN where it is optional and absent. */
  base: number;
  key: string;
};

/** What a handler answers: a value, the revision that becomes its ETag, and its `Cache-Control` where it may be kept. */
export type Answer = { value?: unknown; revision?: number; caching?: string };

export const problemShape = z
  .looseObject({ type: z.string(), title: z.string(), status: z.number(), detail: z.string(), code: z.string() })
  .openapi('Problem');

/** Declares a call on the app, and in its OpenAPI document. */
export function route<B extends z.ZodType = z.ZodUndefined, Q extends z.ZodType = z.ZodUndefined>(
  app: OpenAPIHono,
  declaration: Declaration<B, Q>,
  handle: (call: Call<z.output<B>, z.output<Q>>) => Promise<Answer>,
): void {
  describe(app, declaration);
  const path = `/api/v1${declaration.path.replace(/\{(\w+)\}/g, ':$1')}`;
  app.on(declaration.method.toUpperCase(), path, async (c) => {
    const call = await prepare(c, declaration);
    const { value, revision, caching } = await handle(call as Call<z.output<B>, z.output<Q>>);
    if (revision !== undefined) c.header('ETag', `"${revision}"`);
    if (caching !== undefined) c.header('Cache-Control', caching);
    if (declaration.media) return c.body(value as string, 200, { 'Content-Type': `${declaration.media}; charset=utf-8` });
    return declaration.status === 204 ? c.body(null, 204) : c.json(value as object, declaration.status);
  });
}

async function prepare<B extends z.ZodType, Q extends z.ZodType>(c: Context, declaration: Declaration<B, Q>): Promise<Call<unknown, unknown>> {
  const shared = runtime();
  const segment = (name: string): string => segmentOf(c, name);
  const viewer = await callerOf(shared, c.req.raw);
  if (declaration.role && !viewer) throw new Problem('unauthenticated', 'Send a bearer token, or sign in.');
  if (declaration.method !== 'get' && viewer) {
    await limitWrites(shared, viewer.id, () => isHolding(shared.db, viewer.id, declaration.path.includes('{slug}') ? segment('slug') : undefined));
  }
  const body = declaration.body ? parseInput(declaration.body, await readJson(c.req.raw, declaration.bodyLimit ?? BODY_LIMIT)) : undefined;
  if (declaration.role && viewer && !hasRole(viewer.role, declaration.role)) throw forbidden(declaration.role);
  const key = declaration.idempotencyKey ? readIdempotencyKey(c.req.header('idempotency-key')) : '';
  const tag = c.req.header('if-match');
  const base = declaration.ifMatch === 'required' || (declaration.ifMatch === 'optional' && tag !== undefined) ? readIfMatch(tag) : NaN;
  const query = declaration.query ? parseInput(declaration.query, queryOf(c), 'query') : undefined;
  return {
    runtime: shared,
    viewer,
    caller: viewer as Caller,
    segment,
    id: (name) => uuidOf(segment(name)),
    number: (name) => positiveOf(segment(name)),
    body,
    query,
    base,
    key,
  };
}

/** The parameters of the query string, the first of each name. @throws Problem `invalid-input` (what is not UTF-8) */
function queryOf(c: Context): Record<string, string> {
  const given = new Map<string, string>();
  for (const part of new URL(c.req.url).search.slice(1).split('&').filter(Boolean)) {
    const at = part.indexOf('=');
    const name = decoded(at < 0 ? part : part.slice(0, at));
    const value = decoded(at < 0 ? '' : part.slice(at + 1));
    if (name === undefined || value === undefined) throw invalidInput({ path: name ?? 'query', message: 'is not percent-encoded UTF-8' });
    if (!given.has(name)) given.set(name, value);
  }
  return Object.fromEntries(given);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function segmentOf(c: Context, name: string): string {
  const raw = c.req.param(name) ?? '';
  if (unstorable(raw)) throw notFound('address');
  return raw;
}

function uuidOf(value: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) throw notFound('id');
  return value.toLowerCase();
}

function positiveOf(value: string): number {
  const number = /^[1-9]\d{0,15}$/.test(value) ? Number(value) : NaN;
  return Number.isSafeInteger(number) ? number : 0;
}

function describe<B extends z.ZodType, Q extends z.ZodType>(app: OpenAPIHono, d: Declaration<B, Q>): void {
  const segments = [...d.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const headers = {
    ...(d.ifMatch ? { 'If-Match': d.ifMatch === 'required' ? z.string() : z.string().optional() } : {}),
    ...(d.idempotencyKey ? { 'Idempotency-Key': z.string().min(1).max(200) } : {}),
  };
  app.openAPIRegistry.registerPath({
    method: d.method,
    path: `/api/v1${d.path}`,
    summary: d.summary,
    security: d.role ? [{ bearer: [] }] : [{ bearer: [] }, {}],
    request: {
      ...(segments.length > 0 ? { params: z.object(Object.fromEntries(segments.map((s) => [s, z.string()]))) } : {}),
      ...(d.query ? { query: d.query as unknown as z.ZodObject } : {}),
      ...(Object.keys(headers).length > 0 ? { headers: z.object(headers) } : {}),
      ...(d.body ? { body: { required: true, content: { 'application/json': { schema: d.body } } } } : {}),
    },
    responses: {
      [d.status]: d.status === 204 ? { description: 'Done' } : { description: 'Success', content: { [d.media ?? 'application/json']: { schema: d.answer ?? (d.media ? z.string() : z.looseObject({})) } } },
      default: { description: 'A refusal', content: { 'application/problem+json': { schema: problemShape } } },
    },
  });
}

