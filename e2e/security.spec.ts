import type { Page } from '@playwright/test';
import { land } from '../lib/register/land';
import { lease } from '../lib/collaboration/lease';
import { expectNoOverflow, SMALL_PHONE } from './support/checks';
import { expect, test, type Kit, type Person } from './support/kit';
import { acquire, petition, signIn, told } from './support/steps';

test('every page carries a strict policy with a nonce of its own, and the usual headers', async ({ kit }) => {
  const page = await kit.open(await kit.person('Olga', 'operator'));
  const slug = await kit.container();
  const nonces = new Set<string>();
  const paths = ['/', '/sign-in', '/notices', '/admin', `/c/${slug}`, `/c/${slug}/lock`, '/nowhere'];
  kit.expectErrors(/404/);
  for (const path of paths) {
    const headers = (await page.goto(path))!.headers();
    const policy = headers['content-security-policy']!;
    nonces.add(/'nonce-([A-Za-z0-9+/=]{20,})'/.exec(policy)![1]!);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain('unsafe-');
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin', 'cross-origin-opener-policy': 'same-origin' });
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers['x-powered-by']).toBeUndefined();
  }
  expect(nonces.size).toBe(paths.length);
});

test('the session cookie is closed to scripts and to other sites', async ({ kit }) => {
  const page = await kit.open();
  await signIn(page, await kit.person('Ann'));
  const session = (await page.context().cookies()).find(({ name }) => name.endsWith('session_token'))!;
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  expect(await page.evaluate(() => document.cookie)).not.toContain('session');
});

test('a post from another site is refused and changes nothing', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  const form = await page.getByRole('form', { name: 'Acquire' }).evaluate((element: HTMLFormElement) => Object.fromEntries([...new FormData(element)].map(([name, value]) => [name, String(value)])));
  const elsewhere: Record<string, string>[] = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }];
  for (const headers of elsewhere) {
    const answer = await page.context().request.post(`/c/${slug}/lock`, { headers, multipart: form });
    expect(answer.status(), JSON.stringify(headers)).toBe(403);
    const call = await page.context().request.post(`/api/v1/containers/${slug}/petitions`, { headers, data: { reason: 'stolen' } });
    expect(call.status(), JSON.stringify(headers)).toBe(403);
  }
  expect(await kit.lock(slug)).toMatchObject({ holder: null, revision: 1 });
  expect(await kit.stored(slug, 'petition', 'state')).toEqual([]);
});

const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '<svg onload="window.hacked = 1"></svg><iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
  '[a link](javascript:window.hacked=1) [another](JaVaScRiPt&#58;window.hacked=1) [data](data:text/html,<script>parent.hacked=1</script>) <vbscript:x>',
  '![a picture](https://evil.example/spy.png) ![more](javascript:window.hacked=1)',
  '<a href="https://evil.example" style="position:fixed;inset:0">over all</a>',
  '<form action="https://evil.example"><input name="password"></form><base href="https://evil.example/"><style>*{display:none}</style>',
  '[leaves](https://evil.example/there)',
].join('\n\n');

const LONG = `\u202egnp.exe ${'w'.repeat(200)} 👩‍👩‍👧‍👦🏴‍☠️ ${'e\u0301\u0323'.repeat(40)} \u2066z\u0334`;

/** A container that holds a text wherever people may write one, and the pages that show it. */
async function fill(kit: Kit, lea: Person, text: string): Promise<{ slug: string; paths: string[] }> {
  const slug = await kit.container({ title: text.slice(0, 200), description: text, public: true });
  const short = text.replaceAll('\n', ' ').slice(0, 200);
  const [lead, other] = [await kit.api(lea), await kit.api(await kit.person('Ben'))];
  const ok = async (answer: Promise<{ status: number; body: unknown }>) => expect((await answer).status, JSON.stringify((await answer).body)).toBeLessThan(300);
  await ok(lead('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: { reason: text.slice(0, 500) } }));
  await ok(lead('PUT', `/containers/${slug}/lock/notes`, { base: 2, body: { notes: text, summary: short } }));
  await ok(lead('PUT', `/containers/${slug}/collaboration/notes`, { base: 1, body: { notes: text, summary: short } }));
  await ok(other('POST', `/containers/${slug}/petitions`, { body: { reason: text.slice(0, 500) } }));
  await ok(lead('POST', `/containers/${slug}/blocks`, { body: { grant: 1, title: short, description: text, assignee: lea.id } }));
  await lease(kit.db, slug, lea.id, { grant: 1, to: lea.id, count: 3 });
  await land(kit.db, slug, lea.id, 'first', { grant: 1, message: text.slice(0, 2000), entries: [{ identifier: 'HF-1', title: short, body: text }] });
  await land(kit.db, slug, lea.id, 'second', { grant: 1, message: 'again', entries: [{ identifier: 'HF-1', title: short, body: `${text}\n\nmore` }] });
  const paths = ['', '/lock', '/lock/history', '/lock/history?revision=3', '/collaboration', '/collaboration/history?revision=2', '/register', '/register/1', '/entries/HF-1?from=1&to=2', '/drafts', '/settings/history?revision=1'];
  return { slug, paths: [`/?q=${slug}`, ...paths.map((path) => `/c/${slug}${path}`)] };
}

async function expectInert(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  const found = await page.evaluate(() => ({
    hacked: 'hacked' in window,
    elements: [...document.querySelectorAll('main :is(img:not([src^="/api/v1/containers/"]), iframe, svg[onload], base, style, script[src^="x"], form[action^="https:"], [onerror], [onload], [style*="fixed"])')].map((e) => e.outerHTML.slice(0, 80)),
    // Those within pictures too, which have no `protocol`.
    links: [...document.querySelectorAll('main a')].filter((a) => !/^(https?|mailto):$/.test(new URL(a.getAttribute('href') ?? 'none:', location.href).protocol)).map((a) => a.outerHTML),
    unmarked: [...document.querySelectorAll<HTMLAnchorElement>('main a[href^="https:"]')].filter((a) => !/noreferrer/.test(a.rel)).map((a) => a.outerHTML),
  }));
  expect(found, page.url()).toEqual({ hacked: false, elements: [], links: [], unmarked: [] });
}

test('hostile Markdown is inert wherever it is shown', async ({ kit }) => {
  test.setTimeout(120_000);
  const lea = await kit.person('Lea');
  const { paths } = await fill(kit, lea, HOSTILE);
  const page = await kit.open(lea);
  const outside: string[] = [];
  page.on('request', (request) => void (new URL(request.url()).origin !== kit.address && outside.push(request.url())));
  for (const path of paths) {
    await page.goto(path);
    await expectInert(page);
  }
  expect(outside).toEqual([]);
});

for (const javaScriptEnabled of [true, false]) {
  test(`hostile text breaks no layout at 360 px, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async ({ kit }) => {
    test.setTimeout(120_000);
    const lea = await kit.person('Lea');
    const { paths } = await fill(kit, lea, LONG);
    const page = await kit.open(lea, { viewport: SMALL_PHONE, javaScriptEnabled });
    for (const path of [...paths, '/notices']) {
      await page.goto(path);
      await expectNoOverflow(page);
    }
  });
}

test('hostile text typed into forms comes back as it was', async ({ kit }) => {
  const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
  const slug = await kit.container();
  const [lead, other] = [await kit.open(lea), await kit.open(ben)];
  await acquire(lead, slug, '</textarea><script>window.hacked = 1</script>');
  await petition(other, slug, `"><img src=x onerror=window.hacked=1> '; DROP TABLE petition; --`);
  await lead.reload();
  await expect(lead.getByRole('main')).toContainText(`"><img src=x onerror=window.hacked=1> '; DROP TABLE petition; --`);
  await expectInert(lead);
  await expectInert(other);
  await lead.goto(`/c/${slug}/drafts`);
  const form = lead.getByRole('form', { name: 'New draft' });
  await form.getByLabel('Identifier').fill(`HF-1'; DROP TABLE draft; --`);
  await form.getByLabel('Title').fill('<b>bold</b>');
  await form.getByLabel('Body').fill(HOSTILE);
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(form.getByRole('alert')).toContainText('Identifier');
  await expect(form.getByLabel('Body')).toHaveValue(HOSTILE);
  await expect(told(lead).getByRole('paragraph')).toBeHidden();
});
