import type { Locator, Page } from '@playwright/test';
import { acquire as acquireNow } from '../lib/lock-page/acquire';
import { expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, test } from './support/kit';
import { openAccount, signOut, told } from './support/steps';

const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Command palette' });
const sheet = (page: Page): Locator => page.getByRole('dialog', { name: 'Keyboard shortcuts' });
const at = (path: string) => (url: URL) => url.pathname === path;

/** Goes there and waits until the page's scripts listen. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('button', { name: /^Go to/ })).toBeVisible();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(palette(page).getByRole('combobox')).toBeFocused();
}

/** The option that Enter would take. */
const chosen = (page: Page): Locator => palette(page).locator('[role=option][data-highlighted]');

test('the palette goes to another container by its name, and the focus returns when it is left', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const word = `tide${ann.id.slice(0, 6)}`;
  const [here, there] = [await kit.container(), await kit.container({ title: `The ${word} tables` })];
  const page = await kit.open(ann);
  await visit(page, `/c/${here}/register`);
  const link = page.getByRole('link', { name: 'Board', exact: true }).first();
  await link.focus();
  await openPalette(page);
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
  await expect(link).toBeFocused();

  await openPalette(page);
  await page.keyboard.type(word);
  await expect(palette(page).getByRole('option')).toHaveText([/The tide.* tablesOPEN/]);
  await expect(chosen(page)).toContainText(word);
  await page.keyboard.press('Enter');
  await page.waitForURL(at(`/c/${there}/lock`));
  await expect(palette(page)).toHaveCount(0);
});

test('arrows choose, and what is typed at once after the chord is not lost', async ({ kit }) => {
  const page = await kit.open(await kit.person('Olga', 'operator'));
  await visit(page, '/');
  // Before the palette has been fetched.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('admin');
  await expect(palette(page).getByRole('combobox')).toHaveValue('admin');
  await expect(chosen(page)).toHaveText('Admin: silent locks');
  await page.keyboard.press('ArrowDown');
  await expect(chosen(page)).toHaveText('Admin: audit log');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(at('/admin/audit'));
});

test('the palette runs what can be done on the page: at once, or from its first field', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await visit(page, `/c/${slug}/lock`);
  await openPalette(page);
  await page.keyboard.type('acquire');
  await expect(chosen(page)).toHaveText('Acquire the lock');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason')).toBeFocused();
  await page.keyboard.type('By the palette');
  await page.keyboard.press('Enter');
  await expect(told(page)).toContainText('You hold the lock');

  await openPalette(page);
  await page.keyboard.type('heart');
  await expect(chosen(page)).toHaveText('Heartbeat');
  await page.keyboard.press('Enter');
  await expect(told(page)).toContainText('the grant is extended');
  expect(await kit.stored(slug, 'lock_revision', 'kind', 'revision')).toEqual([{ kind: 'create' }, { kind: 'acquire' }, { kind: 'heartbeat' }]);
});

test('single keys go to the pages of the site and of the container', async ({ kit }) => {
  const page = await kit.open(await kit.person('Ann'));
  const slug = await kit.container();
  await visit(page, `/c/${slug}`);
  for (const [key, path] of [
    ['l', `/c/${slug}/lock`],
    ['c', `/c/${slug}/collaboration`],
    ['r', `/c/${slug}/register`],
    ['d', `/c/${slug}/drafts`],
    ['g', `/c/${slug}/grid`],
    ['p', `/c/${slug}/passes`],
    ['a', `/c/${slug}/amendments`],
    ['o', `/c/${slug}`],
    ['n', '/notices'],
    ['b', '/'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.waitForURL(at(path));
  }
  await expect(page.getByRole('heading', { level: 1, name: 'Board' })).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search', { exact: true })).toBeFocused();
  await expect(page.getByLabel('Search', { exact: true })).toHaveValue('');
});

test('typing in a field is never captured, and stays when the palette opens', async ({ kit }) => {
  const [lea, ann] = [await kit.person('Lea'), await kit.person('Ann')];
  const slug = await kit.container();
  await acquireNow(kit.db, slug, lea.id, 1, {});
  const page = await kit.open(ann);
  await visit(page, `/c/${slug}/lock`);
  const reason = page.getByRole('form', { name: 'Petition', exact: true }).getByLabel('Reason');
  await reason.focus();
  await page.keyboard.type('gb gl ? / why');
  await expect(reason).toHaveValue('gb gl ? / why');
  await expect(page).toHaveURL(new RegExp(`/c/${slug}/lock$`));
  await openPalette(page);
  await page.keyboard.type('elsewhere');
  await page.keyboard.press('Escape');
  await expect(reason).toBeFocused();
  await page.keyboard.type('!');
  await expect(reason).toHaveValue('gb gl ? / why!');
  await expect(sheet(page)).toHaveCount(0);
});

test('the sheet lists the keys, and switches single keys off; the palette keeps its chord', async ({ kit }) => {
  const page = await kit.open(await kit.person('Ann'));
  const slug = await kit.container();
  await visit(page, `/c/${slug}/lock`);
  await page.keyboard.press('?');
  await expect(sheet(page)).toContainText('Collaboration');
  // No key of the page works in a dialog.
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(sheet(page)).toBeVisible();
  await sheet(page).getByRole('checkbox', { name: /Single keys/ }).uncheck();
  await page.keyboard.press('Escape');
  await expect(sheet(page)).toHaveCount(0);

  await page.reload();
  await expect(page.getByRole('button', { name: /^Go to/ })).toBeVisible();
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await openPalette(page);
  await expect(page).toHaveURL(new RegExp(`/c/${slug}/lock$`));
  await page.keyboard.type('shortcuts');
  await page.keyboard.press('Enter');
  await sheet(page).getByRole('checkbox', { name: /Single keys/ }).check();
  await sheet(page).getByRole('button', { name: 'Close' }).click();
  await expect(sheet(page)).toHaveCount(0);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.waitForURL(at(`/c/${slug}`));
});

test('the account menu: theme, notices and signing out, by keyboard', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const page = await kit.open(ann, { colorScheme: 'light' });
  await visit(page, '/');
  const button = page.getByRole('button', { name: `Account: ${ann.name}` });
  await button.focus();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('menu');
  await expect(menu).toContainText('coworker');
  await menu.getByRole('menuitemradio', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(menu.getByRole('menuitemradio', { name: 'Dark theme' })).toBeChecked();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await openAccount(page);
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await page.waitForURL(at('/notices'));
  await signOut(page);
  await expect(told(page)).toContainText('Signed out.');
});

test('without a connection the menu unfolds in place', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const page = await kit.open(ann);
  kit.expectErrors(/Failed to load resource|ChunkLoadError|Loading chunk/i);
  await visit(page, '/');
  await page.route('**/_next/static/**', (route) => route.abort());
  await page.getByRole('button', { name: `Account: ${ann.name}` }).click();
  await expect(page.locator('details.account summary')).toBeVisible();
  await page.locator('details.account summary').click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
});

test('palette, sheet and menu are accessible in both themes, and fit a phone', async ({ kit }) => {
  test.setTimeout(120_000);
  const page = await kit.open(await kit.person('Olga', 'operator'));
  const slug = await kit.container();
  await visit(page, `/c/${slug}/lock`);
  const closed = page.locator('[role=dialog], [role=menu]');
  for (const open of [() => openPalette(page), () => page.keyboard.press('?'), () => openAccount(page)]) {
    await open();
    await expect(closed).toBeVisible();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page, { where: `overlay, ${colorScheme}` });
    }
    await page.setViewportSize(PHONE);
    await expect(() => expectNoOverflow(page)).toPass({ timeout: 5_000 });
    expect(await closed.evaluate((element) => element.getBoundingClientRect().right <= innerWidth && element.getBoundingClientRect().left >= 0)).toBe(true);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.keyboard.press('Escape');
    await expect(closed).toHaveCount(0);
  }
});

test('signed out: the palette finds public containers and the way in', async ({ kit }) => {
  const slug = await kit.container({ public: true });
  const page = await kit.open();
  await visit(page, `/c/${slug}/lock`);
  await openPalette(page);
  await page.keyboard.type('sign in');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.pathname === '/sign-in' && url.searchParams.get('to') === `/c/${slug}/lock`);
});
