/** The API's own description: a sound OpenAPI 3.1 document that tells of every route, and of no other. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApi, type Api } from '../testing/api';
import { app } from './app';

type Schema = { $ref?: string; [key: string]: unknown };
type Operation = {
  summary: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
};
type Document = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, Schema> };
};

let api: Api;
let document: Document;
const operations = () => Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })));

beforeAll(async () => {
  api = await openApi();
  document = (await api.call('GET', '/openapi.json')).body;
});
afterAll(() => api.close());

/** The calls of section 10's table that are there, and those of notices and webhooks, with the status of their success. */
const TABLE = `
GET /healthz 200
GET /readyz 200
GET /api/v1/me 200
GET /api/v1/containers 200
POST /api/v1/containers 201
GET /api/v1/containers/{slug} 200
PATCH /api/v1/containers/{slug} 200
POST /api/v1/containers/{slug}/archive 200
GET /api/v1/containers/{slug}/lock 200
GET /api/v1/containers/{slug}/lock/revisions 200
POST /api/v1/containers/{slug}/lock/acquire 200
POST /api/v1/containers/{slug}/lock/heartbeat 200
POST /api/v1/containers/{slug}/lock/release 200
POST /api/v1/containers/{slug}/lock/clear 200
POST /api/v1/containers/{slug}/lock/reopen 200
PUT /api/v1/containers/{slug}/lock/notes 200
GET /api/v1/containers/{slug}/collaboration 200
GET /api/v1/containers/{slug}/collaboration/revisions 200
PUT /api/v1/containers/{slug}/collaboration/notes 200
POST /api/v1/containers/{slug}/petitions 201
DELETE /api/v1/containers/{slug}/petitions/{id} 204
POST /api/v1/containers/{slug}/blocks 201
PATCH /api/v1/containers/{slug}/blocks/{id} 200
POST /api/v1/containers/{slug}/leases 201
GET /api/v1/containers/{slug}/drafts 200
PUT /api/v1/containers/{slug}/drafts/{identifier} 200
DELETE /api/v1/containers/{slug}/drafts/{identifier} 204
POST /api/v1/containers/{slug}/landings 201
GET /api/v1/containers/{slug}/landings 200
GET /api/v1/containers/{slug}/landings/{sequence} 200
GET /api/v1/containers/{slug}/register/verify 200
GET /api/v1/containers/{slug}/entries 200
GET /api/v1/containers/{slug}/entries/{identifier} 200
GET /api/v1/containers/{slug}/entries/{identifier}/revisions 200
GET /api/v1/containers/{slug}/badge 200
GET /api/v1/containers/{slug}/badge.svg 200
GET /api/v1/containers/{slug}/events 200
GET /api/v1/events 200
GET /api/v1/state 200
GET /api/v1/containers/{slug}/audit 200
POST /api/v1/containers/{slug}/grid/init 201
GET /api/v1/containers/{slug}/grid 200
GET /api/v1/containers/{slug}/grid/versions/{version} 200
POST /api/v1/containers/{slug}/grid/mirror/rebuild 200
POST /api/v1/containers/{slug}/checkpoints/acknowledge 200
POST /api/v1/containers/{slug}/amendments 202
GET /api/v1/containers/{slug}/amendments 200
POST /api/v1/containers/{slug}/amendments/{id}/resubmit 202
POST /api/v1/containers/{slug}/passes 201
GET /api/v1/containers/{slug}/passes 200
GET /api/v1/containers/{slug}/passes/{id} 200
POST /api/v1/containers/{slug}/passes/{id}/complete 200
POST /api/v1/containers/{slug}/passes/{id}/abort 200
POST /api/v1/containers/{slug}/passes/{id}/clauses/{clause}/transitions 200
GET /api/v1/recovery 200
GET /api/v1/principals 200
POST /api/v1/principals 201
PATCH /api/v1/principals/{id} 200
GET /api/v1/principals/{id}/tokens 200
POST /api/v1/principals/{id}/tokens 201
DELETE /api/v1/tokens/{id} 204
GET /api/v1/notices 200
POST /api/v1/notices/read 204
GET /api/v1/containers/{slug}/webhooks 200
POST /api/v1/containers/{slug}/webhooks 201
PATCH /api/v1/webhooks/{id} 200
POST /api/v1/webhooks/{id}/secret 200
DELETE /api/v1/webhooks/{id} 204
GET /api/v1/webhooks/{id}/deliveries 200
POST /api/v1/webhooks/{id}/test 202
POST /api/v1/deliveries/{id}/retry 202`
  .trim()
  .split('\n');

describe('the document', () => {
  it('has the form of OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: 'Holdfast', version: expect.stringMatching(/\S/) });
    expect(document.components.securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer' });
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`;
      expect([where, path.startsWith('/'), /^(get|put|post|delete|patch)$/.test(method)]).toEqual([where, true, true]);
      expect([where, operation.summary]).toEqual([where, expect.stringMatching(/\S/)]);
      const parameters = operation.parameters ?? [];
      expect([where, new Set(parameters.map((p) => `${p.in} ${p.name}`)).size]).toEqual([where, parameters.length]);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect([where, parameters.filter((p) => p.in === 'path').map((p) => p.name)]).toEqual([where, named]);
      for (const parameter of parameters) {
        expect(['path', 'query', 'header']).toContain(parameter.in);
        expect([where, parameter.name, typeof parameter.schema]).toEqual([where, parameter.name, 'object']);
        if (parameter.in === 'path') expect(parameter.required).toBe(true);
      }
      for (const [status, response] of Object.entries(operation.responses)) {
        expect([where, status]).toEqual([where, expect.stringMatching(/^(2\d\d|default)$/)]);
        expect(response.description).toMatch(/\S/);
      }
    }
  });

  it('has every schema that it refers to, and none that it does not', () => {
    const refs = new Set<string>();
    const walk = (value: unknown): void => {
      if (!value || typeof value !== 'object') return;
      const { $ref } = value as Schema;
      if (typeof $ref === 'string') refs.add($ref);
      Object.values(value).forEach(walk);
    };
    walk(document);
    expect([...refs].sort()).toEqual(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`).sort());
  });

  it('tells of each call in section 10’s table, with the status of its success, and of no other', () => {
    const told = operations().map(({ path, method, operation }) => `${method.toUpperCase()} ${path} ${Object.keys(operation.responses).find((s) => s !== 'default')}`);
    expect(told.sort()).toEqual([...TABLE].sort());
  });

  it('tells of every route of the app', () => {
    const routes = app.routes.filter((r) => r.method !== 'ALL').map((r) => `${r.method} ${r.path.replace(/:(\w+)/g, '{$1}')}`);
    const told = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect([...new Set(routes)].sort()).toEqual([...told, 'GET /api/v1/openapi.json'].sort());
  });

  it('says what each call takes: bodies of known members alone, If-Match, Idempotency-Key, limit and cursor', () => {
    const headersOf = (o: Operation) => (o.parameters ?? []).filter((p) => p.in === 'header').map((p) => `${p.name}${p.required ? '' : '?'}`);
    const queryOf = (o: Operation) => (o.parameters ?? []).filter((p) => p.in === 'query').map((p) => p.name);
    const LOCK_EDITS = /\/(lock\/(acquire|heartbeat|release|clear|reopen|notes)|collaboration\/notes)$/;
    for (const { path, method, operation } of operations()) {
      const where = `${method} ${path}`;
      const edit = method !== 'get' && (LOCK_EDITS.test(path) || where === 'patch /api/v1/containers/{slug}' || where.startsWith('put '));
      const expected = edit ? ['If-Match'] : where.endsWith('delete /api/v1/containers/{slug}/drafts/{identifier}') ? ['If-Match?'] : where === 'post /api/v1/containers/{slug}/landings' ? ['Idempotency-Key'] : [];
      expect([where, headersOf(operation)]).toEqual([where, expected]);
      const schema = operation.responses['200']?.content?.['application/json']?.schema as { properties?: object } | undefined;
      if (schema?.properties && 'next' in schema.properties) {
        expect([where, queryOf(operation)]).toEqual([where, expect.arrayContaining(['limit', /\/(lock|collaboration)\/revisions$/.test(path) ? 'before' : 'cursor'])]);
      }
      const body = operation.requestBody?.content['application/json']?.schema;
      if (body) expect([where, body.type, body.additionalProperties]).toEqual([where, 'object', false]);
      expect([where, operation.requestBody !== undefined]).toEqual([where, ['post', 'put', 'patch'].includes(method) && !/\/(archive|mirror\/rebuild|secret|test|retry)$/.test(path)]);
    }
  });

  it('is reached: no call that it tells of is unknown to the app', async () => {
    for (const { path, method, operation } of operations()) {
      const reply = await api.call(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'));
      const open = operation.security.length === 0 || ['/api/v1/containers', '/api/v1/state'].includes(path);
      // No hub runs here that could stream.
      const expected = path === '/api/v1/events' ? 503 : open && method === 'get' ? 200 : 401;
      expect([method, path, reply.status]).toEqual([method, path, expected]);
    }
  });
});
