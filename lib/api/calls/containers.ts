import type { OpenAPIHono } from '@hono/zod-openapi';
import { readAudit } from '../../audit/read';
import { archiveContainer, changeContainer } from '../../containers/change';
import { badgeCaching, badgeSvg } from '../../containers/badge-svg';
import { createContainer } from '../../containers/create';
import { readBadge, readBadgePicture, readContainer, readContainers } from '../../containers/read';
import { containerChange, newContainer } from '../../schemas/inputs';
import { containersQuery, pageQuery } from '../../schemas/queries';
import { route } from '../route';
import * as shape from '../shapes';

export function containerCalls(app: OpenAPIHono): void {
  route(app, { method: 'get', path: '/containers', summary: 'The containers that you may read', query: containersQuery, status: 200, answer: shape.pageOf(shape.container) }, async (call) => ({
    value: await readContainers(call.runtime.db, call.viewer, call.query, call.query),
  }));
  route(app, { method: 'post', path: '/containers', summary: 'Create a container', role: 'operator', body: newContainer, status: 201, answer: shape.container }, async (call) => {
    const value = await createContainer(call.runtime.db, call.caller.id, call.body);
    return { value, revision: value.revision };
  });
  route(app, { method: 'get', path: '/containers/{slug}', summary: 'A container with badge, caution and lock', status: 200, answer: shape.container }, async (call) => {
    const value = await readContainer(call.runtime.db, call.segment('slug'), call.viewer);
    return { value, revision: value.revision };
  });
  route(
    app,
    { method: 'patch', path: '/containers/{slug}', summary: 'Change a container', role: 'operator', body: containerChange, ifMatch: 'required', status: 200, answer: shape.container },
    async (call) => {
      const value = await changeContainer(call.runtime.db, call.segment('slug'), call.caller.id, call.base, call.body);
      return { value, revision: value.revision };
    },
  );
  route(app, { method: 'post', path: '/containers/{slug}/archive', summary: 'Archive a container that nobody holds', role: 'operator', status: 200, answer: shape.container }, async (call) => {
    const value = await archiveContainer(call.runtime.db, call.segment('slug'), call.caller.id);
    return { value, revision: value.revision };
  });
  route(app, { method: 'get', path: '/containers/{slug}/badge', summary: 'The badge alone', status: 200, answer: shape.badge }, async (call) => ({
    value: await readBadge(call.runtime.db, call.segment('slug'), call.viewer),
  }));
  // It needs no style, script or font: the policy of every answer lets it be shown as an image.
  route(app, { method: 'get', path: '/containers/{slug}/badge.svg', summary: 'The badge as a picture, for READMEs', status: 200, media: 'image/svg+xml' }, async (call) => {
    const { holder, changesAt, ...badge } = await readBadgePicture(call.runtime.db, call.segment('slug'), call.viewer);
    return { value: badgeSvg({ ...badge, holder: holder?.name ?? null }), caching: badgeCaching(badge.now, changesAt, badge.public) };
  });
  route(app, { method: 'get', path: '/containers/{slug}/audit', summary: 'Audit lines, newest first', query: pageQuery, status: 200, answer: shape.pageOf(shape.auditLine) }, async (call) => ({
    value: await readAudit(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
}
