import type { OpenAPIHono } from '@hono/zod-openapi';
import { assignBlock, markBlock } from '../../collaboration/block';
import { lease } from '../../collaboration/lease';
import { editCollaborationNotes } from '../../collaboration/notes';
import { petition } from '../../collaboration/petition';
import { readCollaboration, readCollaborationRevisions } from '../../collaboration/read';
import { withdraw } from '../../collaboration/withdraw';
import { readDrafts } from '../../drafts/read';
import { removeDraft } from '../../drafts/remove';
import { saveDraft } from '../../drafts/save';
import { isProblem, notFound, type InputFault } from '../../problems';
import { blockInput, blockMark, draftInput, leaseInput, notesInput, petitionInput } from '../../schemas/inputs';
import { historyQuery, pageQuery } from '../../schemas/queries';
import { route } from '../route';
import * as shape from '../shapes';

const CONTAINER = '/containers/{slug}';

/** A malformed identifier in an address names nothing (section 10); in a form it is a field to be corrected. */
const namesNothing = (error: unknown): never => {
  const faults = isProblem(error) && error.code === 'invalid-input' ? (error.members.errors as InputFault[]) : [];
  throw faults[0]?.path === 'identifier' ? notFound('identifier') : error;
};

export function collaborationCalls(app: OpenAPIHono): void {
  route(app, { method: 'get', path: `${CONTAINER}/collaboration`, summary: 'The collaboration page', status: 200, answer: shape.collaboration }, async (call) => {
    const value = await readCollaboration(call.runtime.db, call.segment('slug'), call.viewer);
    return { value, revision: value.revision };
  });
  route(
    app,
    { method: 'get', path: `${CONTAINER}/collaboration/revisions`, summary: 'The collaboration page’s history', query: historyQuery, status: 200, answer: shape.pageOf(shape.collaborationRevision) },
    async (call) => ({ value: await readCollaborationRevisions(call.runtime.db, call.segment('slug'), call.viewer, call.query) }),
  );
  route(
    app,
    { method: 'put', path: `${CONTAINER}/collaboration/notes`, summary: 'Edit the collaboration page’s notes', role: 'coworker', body: notesInput, ifMatch: 'required', status: 200, answer: shape.collaboration },
    async (call) => {
      const value = await editCollaborationNotes(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body);
      return { value, revision: value.revision };
    },
  );
  route(app, { method: 'post', path: `${CONTAINER}/petitions`, summary: 'Ask for the lock', role: 'coworker', body: petitionInput, status: 201, answer: shape.petition }, async (call) => ({
    value: await petition(call.runtime.db, call.segment('slug'), call.caller.id, call.body),
  }));
  route(app, { method: 'delete', path: `${CONTAINER}/petitions/{id}`, summary: 'Withdraw a petition', role: 'coworker', status: 204 }, async (call) => {
    await withdraw(call.runtime.db, call.segment('slug'), call.caller.id, call.id('id'));
    return {};
  });
  route(app, { method: 'post', path: `${CONTAINER}/blocks`, summary: 'Assign a block of work', role: 'coworker', body: blockInput, status: 201, answer: shape.block }, async (call) => ({
    value: await assignBlock(call.runtime.db, call.segment('slug'), call.caller.id, call.body),
  }));
  route(app, { method: 'patch', path: `${CONTAINER}/blocks/{id}`, summary: 'Mark a block done or returned', role: 'coworker', body: blockMark, status: 200, answer: shape.block }, async (call) => ({
    value: await markBlock(call.runtime.db, call.segment('slug'), call.caller.id, call.id('id'), call.body),
  }));
  route(app, { method: 'post', path: `${CONTAINER}/leases`, summary: 'Lease identifiers', role: 'coworker', body: leaseInput, status: 201, answer: shape.lease }, async (call) => ({
    value: await lease(call.runtime.db, call.segment('slug'), call.caller.id, call.body),
  }));
  route(app, { method: 'get', path: `${CONTAINER}/drafts`, summary: 'Your open drafts', role: 'reader', query: pageQuery, status: 200, answer: shape.pageOf(shape.draft) }, async (call) => ({
    value: await readDrafts(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(
    app,
    { method: 'put', path: `${CONTAINER}/drafts/{identifier}`, summary: 'Save a draft', role: 'coworker', body: draftInput, ifMatch: 'required', status: 200, answer: shape.draft },
    async (call) => {
      const value = await saveDraft(call.runtime.db, call.segment('slug'), call.caller.id, call.segment('identifier'), call.base, call.body).catch(namesNothing);
      return { value, revision: value.revision };
    },
  );
  route(app, { method: 'delete', path: `${CONTAINER}/drafts/{identifier}`, summary: 'Delete a draft', role: 'coworker', ifMatch: 'optional', status: 204 }, async (call) => {
    await removeDraft(call.runtime.db, call.segment('slug'), call.caller.id, call.segment('identifier'), Number.isNaN(call.base) ? {} : { base: call.base });
    return {};
  });
}
