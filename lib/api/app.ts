/**
 * The HTTP API (section 10): one Hono app, answered ahead of Next by `server.ts`, and mounted
 * in a catch-all route for hosts without it.
 */
import { randomUUID } from 'node:crypto';
import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { log } from '../log';
import { isProblem, notFound, Problem } from '../problems';
import { busyProblem } from '../db/errors';
import { statement, row } from '../db/pool';
import { runtime } from '../runtime';
import { collaborationCalls } from './calls/collaboration';
import { containerCalls } from './calls/containers';
import { eventCalls } from './calls/events';
import { lockCalls } from './calls/lock';
import { noticeCalls } from './calls/notices';
import { principalCalls } from './calls/principals';
import { registerCalls } from './calls/register';
import { webhookCalls } from './calls/webhooks';
import { workCalls } from './calls/work';
import { runningStep } from '../db/phase';

export const app = new OpenAPIHono();

app.use('*', async (c, next) => {
  await next();
  // W-2: only the badge's picture may be kept, and says so itself.
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
  c.header('X-Content-Type-Options', 'nosniff');
  c.header('Referrer-Policy', 'no-referrer');
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
});

function answerProblem(c: Context, problem: Problem): Response {
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' };
  if (problem.code === 'unauthenticated') headers['WWW-Authenticate'] = 'Bearer';
  const wait = problem.code === 'rate-limited' ? Number(problem.members.retryAfter ?? 1) : problem.status === 503 ? 1 : undefined;
  if (wait !== undefined) headers['Retry-After'] = String(wait);
  const { retryAfter: _asHeader, ...body } = problem.toJSON();
  return c.body(JSON.stringify(body), problem.status, headers);
}

app.onError((error, c) => {
  if (isProblem(error)) return answerProblem(c, error);
  const busy = busyProblem(error);
  if (busy) return answerProblem(c, busy);
  const id = randomUUID();
  log.error({ event: 'request-failed', id, method: c.req.method, path: c.req.path, error: error.message, stack: error.stack });
  return answerProblem(c, new Problem('internal', `This is a fault of Holdfast, not yours. Its id in the log is ${id}.`, { id }));
});
app.notFound((c) => answerProblem(c, notFound('call')));

const PING = statement('SELECT 1 AS one');

const health = (path: string, summary: string) =>
  app.openAPIRegistry.registerPath({
    method: 'get',
    path,
    summary,
    security: [],
    responses: { 200: { description: 'Yes', content: { 'application/json': { schema: z.object({ status: z.string() }) } } } },
  });

health('/healthz', 'Whether the process runs');
app.get('/healthz', (c) => c.json({ status: 'ok' }));
health('/readyz', 'Whether requests can be answered');
app.get('/readyz', async (c) => {
  try {
    await row(runtime().db, PING);
    const step = runningStep();
    return step ? c.json({ status: 'recovering', step }, 503) : c.json({ status: 'ready' });
  } catch (error) {
    log.warn({ event: 'not-ready', message: (error as Error).message });
    return c.json({ status: 'unready', reason: 'the database does not answer' }, 503);
  }
});

containerCalls(app);
lockCalls(app);
collaborationCalls(app);
registerCalls(app);
principalCalls(app);
workCalls(app);
eventCalls(app);
noticeCalls(app);
webhookCalls(app);

app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
app.doc31('/api/v1/openapi.json', {
  openapi: '3.1.0',
  info: { title: 'Holdfast', version: '1', description: 'Work under a coarse lock: acquire, heartbeat, push, release, hand over.' },
});
