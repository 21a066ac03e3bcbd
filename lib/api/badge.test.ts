/** GET /containers/{slug}/badge.svg (section 10, W-2, P-2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { petition } from '../collaboration/petition';
import { clear } from '../lock-page/clear';
import { openApi, type Api } from '../testing/api';
import { micros, SECOND } from '../time';

let api: Api;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

const badge = (slug: string, as?: { id: string }) => api.call('GET', `/containers/${slug}/badge.svg`, as ? { as } : {});
const shown = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

describe('the badge as a picture', () => {
  it('is each of the four, with the holder and the caution, for anybody where the container is public', async () => {
    const [slug, lea, ann] = [await api.container({ public: true, title: 'Charts' }), await api.person(), await api.person()];
    expect(shown((await badge(slug)).text)).toEqual(['lock', 'OPEN']);

    await petition(api.db, slug, ann.id, { reason: 'mine' });
    const handover = await badge(slug);
    expect(shown(handover.text)).toEqual(['lock', 'HANDOVER']);
    expect(handover.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate');

    const other = await api.container({ public: true });
    await api.lead(other, lea);
    expect(shown((await badge(other)).text)[1]).toMatch(/^HELD: Person/);
    await api.fallSilent(other);
    const silent = await badge(other);
    expect(shown(silent.text)).toEqual(['lock', expect.stringMatching(/^HOLDER SILENT: Person/), 'caution']);
    expect(silent.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate');

    await clear(api.db, other, api.operator.id, await api.revision(other), { grant: 1, reason: 'gone' });
    expect(shown((await badge(other)).text)).toEqual(['lock', 'OPEN', 'caution']);
  });

  it('is an image that runs and loads nothing, never answered by 304', async () => {
    const slug = await api.container({ public: true, title: '</title><script>alert(1)</script>' });
    const reply = await badge(slug);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(reply.headers.get('etag')).toBeNull();
    expect(reply.headers.get('last-modified')).toBeNull();
    expect(reply.text).not.toContain('<script');
    const again = await api.call('GET', `/containers/${slug}/badge.svg`, { headers: { 'if-none-match': '*', 'if-modified-since': new Date(0).toUTCString() } });
    expect(again.status).toBe(200);
  });

  it('is kept never past the expiry: under short terms a second less than is left, or not at all', async () => {
    const lea = await api.person();
    for (const termSeconds of [1, 2, 4, 60]) {
      const slug = await api.container({ public: true, termSeconds });
      const { expiresAt } = await api.lead(slug, lea);
      const { body } = await api.call('GET', `/containers/${slug}/badge`);
      const reply = await badge(slug);
      const kept = Number(/max-age=(\d+)/.exec(reply.headers.get('cache-control')!)![1]);
      const left = (micros(expiresAt!) - micros(body.now)) / SECOND;
      expect([termSeconds, kept <= Math.min(5, left)]).toEqual([termSeconds, true]);
      if (termSeconds === 60) expect(kept).toBe(5);
    }
  });

  it('asks for a sign-in where the container is not public, and is then kept by that reader alone', async () => {
    const [slug, ann] = [await api.container(), await api.person('reader')];
    const nobody = await badge(slug);
    expect(nobody).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(nobody.headers.get('cache-control')).toBe('no-store');
    expect(nobody.headers.get('content-type')).toBe('application/problem+json');
    const reply = await badge(slug, ann);
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'private, max-age=5, must-revalidate']);
    const missing = await badge('nowhere', ann);
    expect(missing).toMatchObject({ status: 404, body: { code: 'not-found' } });
    expect(missing.headers.get('cache-control')).toBe('no-store');
    expect(await badge('nowhere')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  });
});
