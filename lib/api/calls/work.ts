import type { OpenAPIHono } from '@hono/zod-openapi';
import { initGrid, readAmendments, rebuildGridMirror, requestAmendment, resubmitAmendment } from '../../amendment';
import { propose } from '../../engine';
import { parseGrid } from '../../grid/parse';
import { readGrid, readGridVersion } from '../../project/read';
import { acknowledgeCheckpoints } from '../../recovery/acknowledge';
import { readRecovery } from '../../recovery/run';
import { abortPass, completePass, readPass, readPasses, startPass } from '../../runner';
import { grantInput } from '../../schemas/inputs';
import { pageQuery } from '../../schemas/queries';
import { abortInput, acknowledgeInput, amendmentInput, gridInput, passInput, transitionInput } from '../../schemas/work';
import { route } from '../route';
import * as shape from '../shapes';

const CONTAINER = '/containers/{slug}';

export function workCalls(app: OpenAPIHono): void {
  route(app, { method: 'post', path: `${CONTAINER}/grid/init`, summary: 'Write the grid’s first version', role: 'operator', body: gridInput, status: 201, answer: shape.grid }, async (call) => {
    const grid = parseGrid(call.body.grid);
    await initGrid(call.runtime.db, call.segment('slug'), call.caller.id, grid);
    return { value: await readGrid(call.runtime.db, call.segment('slug'), call.viewer) };
  });
  route(app, { method: 'get', path: `${CONTAINER}/grid`, summary: 'The current grid, each arrow’s status, and the project’s', status: 200, answer: shape.grid }, async (call) => ({
    value: await readGrid(call.runtime.db, call.segment('slug'), call.viewer),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/grid/versions/{version}`, summary: 'A version of the grid', status: 200, answer: shape.gridVersion }, async (call) => ({
    value: await readGridVersion(call.runtime.db, call.segment('slug'), call.viewer, call.number('version')),
  }));
  route(app, { method: 'post', path: `${CONTAINER}/grid/mirror/rebuild`, summary: 'Rebuild the mirror from the record', role: 'operator', status: 200, answer: shape.gridPointer }, async (call) => ({
    value: await rebuildGridMirror(call.runtime.db, call.segment('slug'), call.caller.id),
  }));
  route(app, { method: 'post', path: `${CONTAINER}/checkpoints/acknowledge`, summary: 'Take a broken checkpoint chain as it stands', role: 'operator', body: acknowledgeInput, status: 200 }, async (call) => ({
    value: await acknowledgeCheckpoints(call.runtime.db, call.segment('slug'), call.caller.id, call.body),
  }));

  route(app, { method: 'post', path: `${CONTAINER}/amendments`, summary: 'Ask for an amendment of the grid', role: 'coworker', body: amendmentInput, status: 202, answer: shape.amendment }, async (call) => ({
    value: await requestAmendment(call.runtime.db, call.segment('slug'), call.caller.id, { ...call.body, grid: parseGrid(call.body.grid) }),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/amendments`, summary: 'The amendments, the latest asked first', query: pageQuery, status: 200, answer: shape.pageOf(shape.amendment) }, async (call) => ({
    value: await readAmendments(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(
    app,
    { method: 'post', path: `${CONTAINER}/amendments/{id}/resubmit`, summary: 'Submit an amendment that was set aside again', role: 'coworker', body: amendmentInput, status: 202, answer: shape.amendment },
    async (call) => ({
      value: await resubmitAmendment(call.runtime.db, call.segment('slug'), call.caller.id, call.id('id'), { ...call.body, grid: parseGrid(call.body.grid) }),
    }),
  );

  route(app, { method: 'post', path: `${CONTAINER}/passes`, summary: 'Start a pass', role: 'coworker', body: passInput, status: 201, answer: shape.pass }, async (call) => ({
    value: await startPass(call.runtime.db, call.segment('slug'), call.caller.id, call.body),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/passes`, summary: 'The passes, the latest started first', query: pageQuery, status: 200, answer: shape.pageOf(shape.pass) }, async (call) => ({
    value: await readPasses(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/passes/{id}`, summary: 'One pass', status: 200, answer: shape.pass }, async (call) => ({
    value: await readPass(call.runtime.db, call.segment('slug'), call.viewer, call.segment('id')),
  }));
  route(app, { method: 'post', path: `${CONTAINER}/passes/{id}/complete`, summary: 'Complete a pass', role: 'coworker', body: grantInput, status: 200, answer: shape.pass }, async (call) => ({
    value: await completePass(call.runtime.db, call.segment('slug'), call.caller.id, call.id('id'), call.body),
  }));
  route(app, { method: 'post', path: `${CONTAINER}/passes/{id}/abort`, summary: 'Abort a pass', role: 'coworker', body: abortInput, status: 200, answer: shape.pass }, async (call) => ({
    value: await abortPass(call.runtime.db, call.segment('slug'), call.caller.id, call.id('id'), call.body),
  }));
  route(
    app,
    { method: 'post', path: `${CONTAINER}/passes/{id}/clauses/{clause}/transitions`, summary: 'Move a clause', role: 'coworker', body: transitionInput, status: 200, answer: shape.transition },
    async (call) => ({ value: await propose(call.runtime.db, call.segment('slug'), call.caller.id, call.id('id'), call.segment('clause'), call.body) }),
  );

  route(app, { method: 'get', path: '/recovery', summary: 'What the latest recovery found, and the open alerts', role: 'operator', status: 200, answer: shape.recovery }, async (call) => ({
    value: await readRecovery(call.runtime.db, call.viewer),
  }));
}
