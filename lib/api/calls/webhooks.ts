import type { OpenAPIHono } from '@hono/zod-openapi';
import { pageQuery } from '../../schemas/queries';
import { changeWebhookBody, newWebhookBody } from '../../schemas/webhooks';
import { changeWebhook, removeWebhook, rotateSecret } from '../../webhooks/change';
import { createWebhook } from '../../webhooks/create';
import { readDeliveries, readWebhooks } from '../../webhooks/read';
import { pingWebhook, retryDelivery } from '../../webhooks/retry';
import { route } from '../route';
import * as shape from '../shapes';

export function webhookCalls(app: OpenAPIHono): void {
  const role = 'operator';
  route(app, { method: 'get', path: '/containers/{slug}/webhooks', summary: 'A container’s webhooks', role, query: pageQuery, status: 200, answer: shape.pageOf(shape.webhook) }, async (call) => ({
    value: await readWebhooks(call.runtime.db, call.segment('slug'), call.viewer, call.query),
  }));
  route(
    app,
    { method: 'post', path: '/containers/{slug}/webhooks', summary: 'Add a webhook; its secret is shown once', role, body: newWebhookBody, status: 201, answer: shape.webhookWithSecret },
    async (call) => ({ value: await createWebhook(call.runtime.db, call.segment('slug'), call.caller.id, call.body) }),
  );
  route(app, { method: 'patch', path: '/webhooks/{id}', summary: 'Change a webhook, or switch it off or on', role, body: changeWebhookBody, status: 200, answer: shape.webhook }, async (call) => ({
    value: await changeWebhook(call.runtime.db, call.caller.id, call.id('id'), call.body),
  }));
  route(app, { method: 'post', path: '/webhooks/{id}/secret', summary: 'Give a webhook a new secret, shown once', role, status: 200, answer: shape.webhookWithSecret }, async (call) => ({
    value: await rotateSecret(call.runtime.db, call.caller.id, call.id('id')),
  }));
  route(app, { method: 'delete', path: '/webhooks/{id}', summary: 'Remove a webhook with its log', role, status: 204 }, async (call) => {
    await removeWebhook(call.runtime.db, call.caller.id, call.id('id'));
    return {};
  });
  route(app, { method: 'get', path: '/webhooks/{id}/deliveries', summary: 'What was sent to a webhook, and how it went', role, query: pageQuery, status: 200, answer: shape.pageOf(shape.delivery) }, async (call) => ({
    value: await readDeliveries(call.runtime.db, call.id('id'), call.viewer, call.query),
  }));
  route(app, { method: 'post', path: '/webhooks/{id}/test', summary: 'Send a ping to a webhook', role, status: 202, answer: shape.delivery }, async (call) => ({
    value: await pingWebhook(call.runtime.db, call.caller.id, call.id('id')),
  }));
  route(app, { method: 'post', path: '/deliveries/{id}/retry', summary: 'Send a delivery again now', role, status: 202, answer: shape.delivery }, async (call) => ({
    value: await retryDelivery(call.runtime.db, call.caller.id, call.id('id')),
  }));
}
