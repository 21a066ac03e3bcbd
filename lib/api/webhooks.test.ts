/** Notices and webhooks over the API. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { petition } from '../collaboration/petition';
import type { Principal } from '../principals/record';
import { openApi, strict, type Api } from '../testing/api';
import * as shape from './shapes';

let api: Api;
let slug: string;
let lead: Principal;
beforeAll(async () => {
  api = await openApi();
  [slug, lead] = [await api.container(), await api.person()];
  await api.lead(slug, lead);
});
afterAll(() => api.close());

describe('notices', () => {
  it('are listed in pages, newest first, and marked as read up to an instant', async () => {
    for (const reason of ['One', 'Two', 'Three']) await petition(api.db, slug, (await api.person()).id, { reason });
    const first = await api.call('GET', '/notices?limit=2', { as: lead });
    expect(first.status).toBe(200);
    strict(shape.pageOf(shape.notice)).parse(first.body);
    const second = await api.call('GET', `/notices?limit=2&cursor=${encodeURIComponent(first.body.next)}`, { as: lead });
    const reasons = (body: { items: { details: { reason: string } }[] }) => body.items.map((n) => n.details.reason);
    expect([reasons(first.body), reasons(second.body), second.body.next]).toEqual([['Three', 'Two'], ['One'], null]);

    const through = first.body.items[1].at;
    expect((await api.call('POST', '/notices/read', { as: lead, body: { through } })).status).toBe(204);
    expect(reasons((await api.call('GET', '/notices?unread=true', { as: lead })).body)).toEqual(['Three']);
    expect(reasons((await api.call('GET', '/notices', { as: lead })).body)).toHaveLength(3);
  });

  it('are one’s own, a reader’s too, and nobody’s without a sign-in', async () => {
    expect((await api.call('GET', '/notices', { as: await api.person('reader') })).body).toEqual({ items: [], next: null });
    expect((await api.call('GET', '/notices')).status).toBe(401);
  });

  it.each([{}, { through: 'now' }, { through: '2026-13-41T00:00:00.000000Z' }, { through: '2026-11-30T00:00:00Z' }, { through: null }])('%j is not an instant to read up to', async (body) => {
    const reply = await api.call('POST', '/notices/read', { as: lead, body });
    expect([reply.status, reply.body.errors[0].path]).toEqual([422, 'through']);
  });
});

describe('webhooks', () => {
  it('are added with a secret that is shown once, changed, tested, looked at and removed', async () => {
    const as = api.operator;
    const made = await api.call('POST', `/containers/${slug}/webhooks`, { as, body: { url: 'http://127.0.0.1:1/hook', allowPrivate: true } });
    expect(made.status).toBe(201);
    strict(shape.webhookWithSecret).parse(made.body);
    const { id, secret } = made.body;
    const listed = await api.call('GET', `/containers/${slug}/webhooks`, { as });
    strict(shape.pageOf(shape.webhook)).parse(listed.body);
    const rotated = await api.call('POST', `/webhooks/${id}/secret`, { as });
    strict(shape.webhookWithSecret).parse(rotated.body);
    const changed = await api.call('PATCH', `/webhooks/${id}`, { as, body: { active: false } });
    expect([rotated.status, changed.status, changed.body.active]).toEqual([200, 200, false]);
    strict(shape.webhook).parse(changed.body);
    const tested = await api.call('POST', `/webhooks/${id}/test`, { as });
    expect([tested.status, tested.body.type, tested.body.state]).toEqual([202, 'ping', 'queued']);
    strict(shape.delivery).parse(tested.body);
    const again = await api.call('POST', `/deliveries/${tested.body.id}/retry`, { as });
    expect(again.status).toBe(202);
    const deliveries = await api.call('GET', `/webhooks/${id}/deliveries`, { as });
    strict(shape.pageOf(shape.delivery)).parse(deliveries.body);
    expect(deliveries.body.items).toHaveLength(1);
    for (const { text } of [listed, changed, tested, again, deliveries]) expect(text.includes(secret) || text.includes(rotated.body.secret)).toBe(false);
    expect((await api.call('DELETE', `/webhooks/${id}`, { as })).status).toBe(204);
    expect((await api.call('GET', `/webhooks/${id}/deliveries`, { as })).status).toBe(404);
  });

  it('are operators’ alone', async () => {
    const id = randomUUID();
    for (const [method, path, body] of [
      ['GET', `/containers/${slug}/webhooks`, undefined],
      ['POST', `/containers/${slug}/webhooks`, { url: 'https://example.com' }],
      ['PATCH', `/webhooks/${id}`, { active: false }],
      ['POST', `/webhooks/${id}/secret`, undefined],
      ['DELETE', `/webhooks/${id}`, undefined],
      ['GET', `/webhooks/${id}/deliveries`, undefined],
      ['POST', `/webhooks/${id}/test`, undefined],
      ['POST', `/deliveries/${id}/retry`, undefined],
    ] as const) {
      expect([method, path, (await api.call(method, path, { as: lead, body })).status]).toEqual([method, path, 403]);
      expect([method, path, (await api.call(method, path.replace(slug, 'no-such'), { as: api.operator, body })).status]).toEqual([method, path, 404]);
    }
  });

  it.each([
    [{}, 'url'],
    [{ url: '' }, 'url'],
    [{ url: 'x'.repeat(2001) }, 'url'],
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'http://10.0.0.1/' }, 'url'],
    [{ url: 'https://u:p@example.com/' }, 'url'],
    [{ url: 'https://example.com', allowPrivate: 'yes' }, 'allowPrivate'],
    [{ url: 'https://example.com', secret: 'mine' }, 'secret'],
  ])('%j is refused, and the field named', async (body, path) => {
    const reply = await api.call('POST', `/containers/${slug}/webhooks`, { as: api.operator, body });
    expect([reply.status, reply.body.code, reply.body.errors[0].path]).toEqual([422, 'invalid-input', path]);
  });
});
