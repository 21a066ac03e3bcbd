import type { Page } from '@playwright/test';
import { lease } from '../lib/collaboration/lease';
import { petition as petitionNow } from '../lib/collaboration/petition';
import { saveDraft } from '../lib/drafts/save';
import { acquire as acquireNow } from '../lib/lock-page/acquire';
import { land } from '../lib/register/land';
import { DESKTOP, expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, HOUR, test, type Kit, type Person } from './support/kit';

const BADGES = ['OPEN', 'HANDOVER', 'HELD', 'HOLDER SILENT'];

/** A container with something on every page, led by `lea`; another whose holder is silent. */
async function scene(kit: Kit, lea: Person, ben: Person): Promise<{ busy: string; silent: string }> {
  const [busy, silent] = [await kit.container({ title: 'Harbour charts', description: 'Every **sheet** of the harbour.' }), await kit.container()];
  for (const slug of [busy, silent]) await acquireNow(kit.db, slug, lea.id, 1, { reason: 'Renumbering the sheets' });
  await petitionNow(kit.db, busy, ben.id, { reason: 'Sheet 3 needs the new datum' });
  await lease(kit.db, busy, lea.id, { grant: 1, to: lea.id, count: 2 });
  await land(kit.db, busy, lea.id, 'one', { grant: 1, message: 'Sheet 1', entries: [{ identifier: 'HF-1', title: 'Sheet 1', body: '# The basin\n\n| depth | at |\n|--:|---|\n| 3 m | pier |\n\n- [x] done\n\n```\ncode\n```' }] });
  await land(kit.db, busy, lea.id, 'two', { grant: 1, message: 'Sheet 1 again', entries: [{ identifier: 'HF-1', title: 'Sheet 1', body: 'Shorter.' }] });
  await lease(kit.db, busy, lea.id, { grant: 1, to: lea.id, count: 2 });
  await saveDraft(kit.db, busy, lea.id, 'HF-2', 0, { grant: 1, title: 'Sheet 2', body: 'To come.' });
  await kit.pass(silent, 5 * HOUR);
  return { busy, silent };
}

const container = (slug: string): string[] =>
  ['', '/lock', '/lock/history', '/lock/history?revision=2', '/collaboration', '/collaboration/history', '/collaboration/history?revision=2', '/register', '/register?verify=1', '/register/1', '/entries/HF-1', '/entries/HF-1?from=1&to=2', '/settings/history'].map((path) => `/c/${slug}${path}`);

/** Whole at once, then in both themes on a phone and on a desktop. */
async function expectWhole(page: Page, path: string): Promise<void> {
  await page.setViewportSize(DESKTOP);
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 }), path).toHaveCount(1);
  await expect(page, path).toHaveTitle(/^.+ · Holdfast$/);
  for (const badge of await page.getByTestId('badge').all()) {
    await expect(badge).toHaveRole('status');
    expect(BADGES).toContain(await badge.textContent());
  }
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page, { where: `${path}, ${size.width} px, ${colorScheme}`, colours: colorScheme === 'dark' });
    }
  }
}

test.describe('every page is whole and accessible, in both themes, on a phone and on a desktop', () => {
  test.describe.configure({ mode: 'parallel', timeout: 180_000 });

  test('the pages of a container, for its lead', async ({ kit }) => {
    const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
    const { busy } = await scene(kit, lea, ben);
    const page = await kit.open(lea);
    for (const path of container(busy)) await expectWhole(page, path);
  });

  test('drafts and notices, and what others see', async ({ kit }) => {
    const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
    const { busy } = await scene(kit, lea, ben);
    const [lead, waiter, nobody] = [await kit.open(lea), await kit.open(ben), await kit.open()];
    for (const path of [`/c/${busy}/drafts`, `/c/${busy}/drafts?edit=HF-2&grant=1&revision=1`, '/notices']) await expectWhole(lead, path);
    for (const path of [`/c/${busy}/lock`, `/c/${busy}/drafts`]) await expectWhole(waiter, path);
    kit.expectErrors(/404/);
    for (const path of ['/sign-in', '/nowhere']) await expectWhole(nobody, path);
  });

  test('the pages of an operator, and a silent lock', async ({ kit }) => {
    const [lea, ben, olga] = [await kit.person('Lea'), await kit.person('Ben'), await kit.person('Olga', 'operator')];
    const { busy, silent } = await scene(kit, lea, ben);
    const page = await kit.open(olga);
    for (const path of [`/c/${silent}/lock`, `/c/${silent}`, `/?q=${busy}`, '/admin', `/admin/audit?container=${busy}`, '/admin/principals?q=Olga', `/admin/principals/${lea.id}`, '/new', `/c/${busy}/settings`, `/c/${busy}/settings/webhooks`, `/notices`])
      await expectWhole(page, path);
  });
});

test('the theme can be chosen, and stays', async ({ kit }) => {
  const page = await kit.open(undefined, { colorScheme: 'light' });
  await page.goto('/');
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Theme: system. Change to light' }).click();
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
  await expect(page.getByRole('button', { name: 'Theme: dark. Change to system' })).toBeVisible();
  await expect.poll(ground).not.toBe(light);
  await page.reload();
  expect(await ground()).not.toBe(light);
});

test('a keyboard is enough: skip to the content, and petition', async ({ kit }) => {
  const [lea, ann] = [await kit.person('Lea'), await kit.person('Ann')];
  const slug = await kit.container();
  await acquireNow(kit.db, slug, lea.id, 1, {});
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  const press = async (key: string) => page.keyboard.press(key);

  await press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  const reason = page.getByRole('form', { name: 'Petition', exact: true }).getByLabel('Reason');
  for (let steps = 0; steps < 40 && !(await reason.evaluate((element) => element === document.activeElement)); steps++) await press('Tab');
  await expect(reason).toBeFocused();
  await page.keyboard.type('By keyboard alone');
  await press('Tab');
  await expect(page.getByRole('button', { name: 'Ask for the lock' })).toBeFocused();
  await press('Enter');
  await expect(page.getByTestId('live-region')).toContainText('You are in the queue.');
  expect(await kit.stored(slug, 'petition', 'reason, state')).toEqual([{ reason: 'By keyboard alone', state: 'waiting' }]);
});

test('the board filters by text and by badge, and pages', async ({ kit }) => {
  const [ann, lea] = [await kit.person('Ann'), await kit.person('Lea')];
  const word = `w${ann.id.slice(0, 8)}`;
  const [open, held] = [await kit.container({ title: `Open ${word}` }), await kit.container({ title: `Held ${word}` })];
  await acquireNow(kit.db, held, lea.id, 1, { reason: 'Busy' });
  const page = await kit.open(ann);
  await page.goto('/');
  const form = page.getByRole('search', { name: 'Containers' });
  await form.getByLabel('Search').fill(word);
  await form.getByRole('button', { name: 'Filter' }).click();
  const table = page.getByRole('table', { name: 'Containers' });
  await expect(table.locator('tbody tr')).toHaveCount(2);
  const row = table.getByRole('row').filter({ has: page.locator(`a[href="/c/${held}"]`) });
  await expect(row).toContainText(lea.name);
  await expect(row).toContainText('Busy');
  await form.getByLabel('Lock').selectOption('OPEN');
  await form.getByRole('button', { name: 'Filter' }).click();
  await expect(table.locator('tbody tr')).toHaveCount(1);
  await expect(table.locator(`a[href="/c/${open}"]`)).toBeVisible();
  await form.getByLabel('Search').fill(`${word}-none`);
  await form.getByRole('button', { name: 'Filter' }).click();
  await expect(page.getByRole('main')).toContainText('No container matches');
});

test('an operator makes a container, changes it, and archives it', async ({ kit }) => {
  const olga = await kit.person('Olga', 'operator');
  const page = await kit.open(olga);
  const slug = `made-${olga.id.slice(0, 8)}`;
  await page.goto('/');
  await page.getByRole('link', { name: 'New container' }).click();
  const form = page.getByRole('form', { name: 'New container' });
  await form.getByLabel('Title').fill('Made by hand');
  await form.getByLabel('Slug').fill('Not A Slug');
  await form.getByRole('button', { name: 'Make the container' }).click();
  await expect(form.getByRole('alert')).toContainText('Slug');
  await expect(form.getByLabel('Title')).toHaveValue('Made by hand');
  await form.getByLabel('Slug').fill(slug);
  await form.getByLabel('Term, in seconds').fill('7200');
  await form.getByRole('button', { name: 'Make the container' }).click();
  await page.waitForURL(`**/c/${slug}`);
  await page.getByRole('link', { name: 'Settings' }).click();
  const settings = page.getByRole('form', { name: 'Settings' });
  await settings.getByLabel('Title').fill('Made by many hands');
  await settings.getByRole('checkbox', { name: 'Public' }).check();
  await settings.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByTestId('live-region')).toContainText('The container is changed.');
  expect(await kit.rows('SELECT title, term_seconds, public, revision FROM container WHERE slug = $1', [slug])).toEqual([{ title: 'Made by many hands', term_seconds: 7200, public: true, revision: 2 }]);

  await page.goto(`/c/${slug}/settings/history?revision=2`);
  await expect(page.getByRole('region', { name: 'Settings', exact: true })).toContainText('added: Title: Made by many hands');
  await page.goto(`/c/${slug}/settings`);
  await page.getByRole('button', { name: 'Archive this container' }).click();
  await page.waitForURL(`**/c/${slug}`);
  await expect(page.getByRole('main')).toContainText('This container is archived');
  await page.goto(`/c/${slug}/lock`);
  await expect(page.getByRole('button', { name: 'Acquire the lock' })).toHaveCount(0);
});
