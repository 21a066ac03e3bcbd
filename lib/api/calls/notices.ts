import type { OpenAPIHono } from '@hono/zod-openapi';
import { markNoticesRead, readNotices } from '../../notices/read';
import { readNoticesBody } from '../../schemas/notices';
import { noticesQuery } from '../../schemas/queries';
import { route } from '../route';
import * as shape from '../shapes';

export function noticeCalls(app: OpenAPIHono): void {
  route(app, { method: 'get', path: '/notices', summary: 'What you were told, newest first', role: 'reader', query: noticesQuery, status: 200, answer: shape.pageOf(shape.notice) }, async (call) => ({
    value: await readNotices(call.runtime.db, call.caller.id, call.query, { unread: call.query.unread }),
  }));
  route(app, { method: 'post', path: '/notices/read', summary: 'Mark as read what you were told up to an instant', role: 'reader', body: readNoticesBody, status: 204 }, async (call) => {
    await markNoticesRead(call.runtime.db, call.caller.id, call.body.through);
    return {};
  });
}
