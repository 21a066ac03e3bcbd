import type { OpenAPIHono } from '@hono/zod-openapi';
import { changePrincipal } from '../../principals/change';
import { createPrincipal } from '../../principals/create';
import { listPrincipals } from '../../principals/list';
import { changePrincipalBody, createPrincipalBody, issueTokenBody } from '../../schemas/principals';
import { pageQuery, searchQuery } from '../../schemas/queries';
import { issueToken } from '../../tokens/issue';
import { listTokens } from '../../tokens/list';
import { revokeToken } from '../../tokens/revoke';
import { route } from '../route';
import * as shape from '../shapes';

export function principalCalls(app: OpenAPIHono): void {
  route(app, { method: 'get', path: '/me', summary: 'Who you are', role: 'reader', status: 200, answer: shape.me }, async (call) => ({ value: call.caller }));
  route(app, { method: 'get', path: '/principals', summary: 'The principals', role: 'operator', query: searchQuery, status: 200, answer: shape.pageOf(shape.fullPrincipal) }, async (call) => ({
    value: await listPrincipals(call.runtime.db, call.caller, { q: call.query.q }, call.query),
  }));
  route(app, { method: 'post', path: '/principals', summary: 'Create a principal', role: 'operator', body: createPrincipalBody, status: 201, answer: shape.fullPrincipal }, async (call) => ({
    value: await createPrincipal(call.runtime.db, call.caller.id, call.body),
  }));
  route(app, { method: 'patch', path: '/principals/{id}', summary: 'Change a principal', role: 'operator', body: changePrincipalBody, status: 200, answer: shape.fullPrincipal }, async (call) => ({
    value: await changePrincipal(call.runtime.db, call.caller.id, call.id('id'), call.body),
  }));
  route(app, { method: 'get', path: '/principals/{id}/tokens', summary: 'A principal’s tokens', role: 'operator', query: pageQuery, status: 200, answer: shape.pageOf(shape.token) }, async (call) => ({
    value: await listTokens(call.runtime.db, call.caller, call.id('id'), call.query),
  }));
  route(app, { method: 'post', path: '/principals/{id}/tokens', summary: 'Issue a token, shown once', role: 'operator', body: issueTokenBody, status: 201, answer: shape.issuedToken }, async (call) => ({
    value: await issueToken(call.runtime.db, call.caller.id, call.id('id'), call.body),
  }));
  route(app, { method: 'delete', path: '/tokens/{id}', summary: 'Revoke a token', role: 'operator', status: 204 }, async (call) => {
    await revokeToken(call.runtime.db, call.caller.id, call.id('id'));
    return {};
  });
}
