import type { OpenAPIHono } from '@hono/zod-openapi';
import { acquire } from '../../lock-page/acquire';
import { clear } from '../../lock-page/clear';
import { heartbeat } from '../../lock-page/heartbeat';
import { editLockNotes } from '../../lock-page/notes';
import { readLock, type LockView } from '../../lock-page/read';
import { release } from '../../lock-page/release';
import { reopen } from '../../lock-page/reopen';
import { readLockRevisions } from '../../lock-page/revisions';
import { acquireInput, clearInput, grantInput, notesInput, reopenInput } from '../../schemas/inputs';
import { historyQuery } from '../../schemas/queries';
import { route, type Answer } from '../route';
import * as shape from '../shapes';

const answer = (value: LockView): Answer => ({ value, revision: value.revision });
const LOCK = '/containers/{slug}/lock';

export function lockCalls(app: OpenAPIHono): void {
  route(app, { method: 'get', path: LOCK, summary: 'The lock page', status: 200, answer: shape.lock }, async (call) =>
    answer(await readLock(call.runtime.db, call.segment('slug'), call.viewer)),
  );
  route(app, { method: 'get', path: `${LOCK}/revisions`, summary: 'The lock page’s history', query: historyQuery, status: 200, answer: shape.pageOf(shape.lockRevision) }, async (call) => ({
    value: await readLockRevisions(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(app, { method: 'post', path: `${LOCK}/acquire`, summary: 'Acquire the lock', role: 'coworker', body: acquireInput, ifMatch: 'required', status: 200, answer: shape.lock }, async (call) =>
    answer(await acquire(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body)),
  );
  route(app, { method: 'post', path: `${LOCK}/heartbeat`, summary: 'Extend the grant', role: 'coworker', body: grantInput, ifMatch: 'required', status: 200, answer: shape.heartbeat }, async (call) =>
    answer(await heartbeat(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body)),
  );
  route(app, { method: 'post', path: `${LOCK}/release`, summary: 'Release the lock after a push', role: 'coworker', body: grantInput, ifMatch: 'required', status: 200, answer: shape.lock }, async (call) =>
    answer(await release(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body)),
  );
  route(app, { method: 'post', path: `${LOCK}/clear`, summary: 'Clear a silent holder', role: 'operator', body: clearInput, ifMatch: 'required', status: 200, answer: shape.lock }, async (call) =>
    answer(await clear(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body)),
  );
  route(app, { method: 'post', path: `${LOCK}/reopen`, summary: 'Lift the next grant', role: 'operator', body: reopenInput, ifMatch: 'required', status: 200, answer: shape.lock }, async (call) =>
    answer(await reopen(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body)),
  );
  route(app, { method: 'put', path: `${LOCK}/notes`, summary: 'Edit the lock page’s notes', role: 'coworker', body: notesInput, ifMatch: 'required', status: 200, answer: shape.lock }, async (call) =>
    answer(await editLockNotes(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body)),
  );
}
