import type { OpenAPIHono } from '@hono/zod-openapi';
import { readEntries, readEntry, readEntryRevisions } from '../../copy/read';
import { land } from '../../register/land';
import { readLanding, readLandings } from '../../register/read';
import { verifyRegister } from '../../register/verify';
import { landingInput } from '../../schemas/inputs';
import { pageQuery, searchQuery } from '../../schemas/queries';
import { LANDING_LIMIT, route } from '../route';
import * as shape from '../shapes';

const CONTAINER = '/containers/{slug}';

export function registerCalls(app: OpenAPIHono): void {
  route(
    app,
    {
      method: 'post',
      path: `${CONTAINER}/landings`,
      summary: 'Push a batch of entries',
      role: 'coworker',
      body: landingInput,
      bodyLimit: LANDING_LIMIT,
      idempotencyKey: true,
      status: 201,
      answer: shape.landing,
    },
    async (call) => ({ value: await land(call.runtime.db, call.segment('slug'), call.caller.id, call.key, call.body) }),
  );
  route(app, { method: 'get', path: `${CONTAINER}/landings`, summary: 'The register’s landings', query: pageQuery, status: 200, answer: shape.pageOf(shape.landing) }, async (call) => ({
    value: await readLandings(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/landings/{sequence}`, summary: 'One landing', status: 200, answer: shape.landing }, async (call) => ({
    value: await readLanding(call.runtime.db, call.segment('slug'), call.viewer, call.number('sequence')),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/register/verify`, summary: 'Verify the chain', status: 200, answer: shape.verification }, async (call) => ({
    value: await verifyRegister(call.runtime.db, call.segment('slug'), call.viewer),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/entries`, summary: 'The copy’s entries', query: searchQuery, status: 200, answer: shape.pageOf(shape.entrySummary) }, async (call) => ({
    value: await readEntries(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/entries/{identifier}`, summary: 'One entry', status: 200, answer: shape.entry }, async (call) => ({
    value: await readEntry(call.runtime.db, call.segment('slug'), call.viewer, call.segment('identifier')),
  }));
  route(
    app,
    { method: 'get', path: `${CONTAINER}/entries/{identifier}/revisions`, summary: 'An entry’s history', query: pageQuery, status: 200, answer: shape.entryHistory },
    async (call) => ({ value: await readEntryRevisions(call.runtime.db, call.segment('slug'), call.viewer, call.segment('identifier'), call.query) }),
  );
}
