import { petition } from '../lib/collaboration/petition';
import { acquire } from '../lib/lock-page/acquire';
import { expectNoOverflow, PHONE } from './support/checks';
import { expect, test } from './support/kit';

const PARTS = ['', '/lock', '/collaboration', '/register', '/drafts', '/grid', '/passes', '/amendments'];

test('a page that takes its time is announced by a sketch, without a jump, and typed text outlives one that fails', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  await expect(page.getByRole('button', { name: /^Go to/ })).toBeVisible();
  await page.getByLabel('Reason').fill('Still here');
  await page.evaluate(() => {
    const shifts: number[] = ((window as unknown as { shifts: number[] }).shifts = []);
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => !(entry as unknown as { hadRecentInput: boolean }).hadRecentInput && shifts.push((entry as unknown as { value: number }).value))).observe({ type: 'layout-shift' });
  });
  let answer = (): void => undefined;
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route(`**/c/${slug}/register?*`, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('navigation', { name: 'Container' }).getByRole('link', { name: 'Register' }).click();
  await expect(page.locator('[data-sketch]')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByLabel('Reason')).toBeHidden();
  answer();
  await page.waitForURL(`**/c/${slug}/register`);
  await expect(page.locator('[data-sketch]')).toHaveCount(0);
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.01);
});

test('an address with nothing behind it is 404 and leads on; a closed one sends to sign in, also without scripts', async ({ kit }) => {
  const slug = await kit.container();
  kit.expectErrors(/404/);
  const ann = await kit.person('Ann');
  const [page, unscripted] = [await kit.open(ann), await kit.open(ann, { javaScriptEnabled: false })];
  for (const path of ['/c/nowhere-at-all', '/c/nowhere-at-all/lock', `/c/${slug}/register/99`, '/nowhere']) {
    expect((await unscripted.goto(path))!.status(), path).toBe(404);
    expect((await page.goto(path))!.status(), path).toBe(404);
    await expect(page.getByRole('search', { name: 'Containers' })).toBeVisible();
  }
  await page.getByLabel('Search the board').fill(slug);
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByRole('table', { name: 'Containers' }).locator(`a[href="/c/${slug}"]`)).toBeVisible();
  const nobody = await kit.open(undefined, { javaScriptEnabled: false });
  await nobody.goto(`/c/${slug}/lock`);
  await expect(nobody).toHaveURL(`/sign-in?to=${encodeURIComponent(`/c/${slug}/lock`)}`);
});

for (const javaScriptEnabled of [true, false]) {
  test(`on a phone the current tab is in view, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async ({ kit }) => {
    const slug = await kit.container();
    const page = await kit.open(await kit.person('Ann'), { viewport: PHONE, javaScriptEnabled });
    for (const part of PARTS) {
      await page.goto(`/c/${slug}${part}`);
      await expect(page.getByRole('navigation', { name: 'Container' }).locator('[aria-current]')).toBeInViewport({ ratio: 1 });
    }
  });
}

test('text of twice the size fits 320 px, whatever its direction and however long its words', async ({ kit }) => {
  test.setTimeout(120_000);
  const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
  const slug = await kit.container({ title: `خرائط الميناء ${'x'.repeat(150)}`, description: `שלום ${'w'.repeat(500)}` });
  await acquire(kit.db, slug, lea.id, 1, { reason: `تجديد ${'r'.repeat(480)}` });
  await petition(kit.db, slug, ben.id, { reason: 'q'.repeat(500) });
  const page = await kit.open(lea, { viewport: { width: 320, height: 640 } });
  for (const path of [`/?q=${slug}`, '/notices', ...PARTS.map((part) => `/c/${slug}${part}`), `/c/${slug}/lock/history`]) {
    await page.goto(path);
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'));
    await expectNoOverflow(page);
  }
  await page.goto(`/c/${slug}`);
  expect(await page.getByRole('heading', { level: 1 }).evaluate((heading) => getComputedStyle(heading).direction)).toBe('rtl');
});

test('a browser that asks for an icon by itself gets one', async ({ request }) => {
  const answer = await request.get('/favicon.ico');
  expect(answer.status()).toBe(200);
  expect(answer.headers()['content-type']).toMatch(/^image\//);
});

test('on paper stand the facts, and nothing to press', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  await acquire(kit.db, slug, lea.id, 1, { reason: 'For the file' });
  const page = await kit.open(lea);
  await page.goto(`/c/${slug}/lock`);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByText('For the file')).toBeVisible();
  await expect(page.getByTestId('badge')).toBeVisible();
  await expect(page.getByRole('button').filter({ visible: true })).toHaveCount(0);
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe('rgb(255, 255, 255)');
});

test('every control shows the focus, also in colours of the reader’s own', async ({ kit }) => {
  const page = await kit.open(await kit.person('Olga', 'operator'), { forcedColors: 'active' });
  const slug = await kit.container();
  await page.goto(`/c/${slug}/lock`);
  await expect(page.getByRole('button', { name: /^Go to/ })).toBeVisible();
  for (let steps = 0; steps < 30; steps++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const [element, style] = [document.activeElement!, getComputedStyle(document.activeElement!)];
      return { what: element.outerHTML.slice(0, 80), shown: element === document.body || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1.5) };
    });
    expect(focused.shown, focused.what).toBe(true);
  }
});
