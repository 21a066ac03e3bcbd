import type { Page } from '@playwright/test';
import { petition } from '../lib/collaboration/petition';
import { acquire } from '../lib/lock-page/acquire';
import { DESKTOP, expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, HOUR, test } from './support/kit';
import { past, type PastGrant } from './support/past';
import { section } from './support/steps';

const MINUTES = 1 / 60;

async function expectWhole(page: Page): Promise<void> {
  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page, { where: `${page.url()}, ${size.width} px, ${colorScheme}` });
    }
  }
}

test('the life of a lock marks the state that it is in, on a desktop and on a phone, in the picture and in words', async ({ kit }) => {
  test.setTimeout(120_000);
  const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
  const [open, handover, held, silent] = [await kit.container(), await kit.container(), await kit.container(), await kit.container()];
  await petition(kit.db, handover, ben.id, { reason: 'Mine' });
  for (const slug of [held, silent]) await acquire(kit.db, slug, lea.id, 1, {});
  await kit.pass(silent, 5 * HOUR);
  const page = await kit.open(ben);
  for (const [slug, badge] of [[open, 'OPEN'], [handover, 'HANDOVER'], [held, 'HELD'], [silent, 'HOLDER SILENT']] as const) {
    await page.goto(`/c/${slug}/lock`);
    const life = section(page, 'The life of a lock');
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size);
      const picture = life.getByRole('img', { name: `The life of a lock. It is ${badge} now.` });
      await expect(picture).toHaveCount(1); // the other layout is not there for anybody
      await expect(picture).toHaveAccessibleDescription(/HELD, expiry passes: HOLDER SILENT\./);
      await expect(picture.locator('[data-now]')).toHaveText(`${badge}now`);
    }
    await life.getByText('In words').click();
    await expect(life.locator('dt').filter({ hasText: 'now' })).toHaveText(`${badge}now`);
    await expect(life).toContainText('expiry passes: it becomes HOLDER SILENT');
  }
  await expectWhole(page);
});

test('the last 30 days: picture and table agree with the database, and a keyboard is enough', async ({ kit }) => {
  test.setTimeout(120_000);
  const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
  const slug = await kit.container();
  await past(kit.db, slug, [
    { who: lea.id, daysAgo: 35, heldHours: 2, end: 'release' },
    { who: lea.id, daysAgo: 20, heldHours: 4 * MINUTES, end: 'release', pushes: 3 },
    { who: ben.id, daysAgo: 12, heldHours: 4, silentHours: 30, end: 'clear' },
    { who: ben.id, daysAgo: 6, heldHours: 9, silentHours: 8, end: 'silence' },
  ]);
  await acquire(kit.db, slug, lea.id, 5, { reason: 'Sheet 9' });
  const page = await kit.open(ben);
  await page.goto(`/c/${slug}/lock`);
  const days = section(page, 'The last 30 days');

  await test.step('the table is what is stored', async () => {
    const stored = await kit.stored(slug, 'lock_grant', 'number, granted_at, ended_at, ended_by, pushes', 'number DESC');
    await days.getByText('In words').click();
    const rows = days.getByRole('table', { name: 'Grants of the last 30 days' }).locator('tbody tr');
    await expect(rows).toHaveCount(4); // the one of 35 days ago is over
    for (const [i, grant] of stored.slice(0, 4).entries()) {
      const cells = rows.nth(i).getByRole('cell');
      await expect(cells.nth(0)).toHaveText(String(grant.number));
      await expect(cells.nth(2).locator('time')).toHaveAttribute('datetime', grant.granted_at);
      if (grant.ended_at) await expect(cells.nth(3).locator('time')).toHaveAttribute('datetime', grant.ended_at);
      else await expect(cells.nth(3)).toHaveText('now');
      await expect(cells.nth(6)).toHaveText(String(grant.pushes));
    }
    await expect(rows.getByRole('cell').nth(5)).toHaveText('held now');
    await expect(rows.nth(1)).toContainText('fell silent, superseded');
    await expect(rows.nth(2)).toContainText('fell silent, cleared by an operator');
    await expect(rows.nth(3)).toContainText('4 min 00 s');
    await expect(days).toContainText('4 grants, held for 13 h 04 min in all, silent for 1 d 14 h: 1 released; 1 fell silent, cleared by an operator; 1 fell silent, superseded; 1 held now.');
  });

  await test.step('the picture is one stop for the Tab key, and arrow keys go from grant to grant', async () => {
    const picture = days.getByRole('group', { name: `Grants of the last 30 days of ${slug}` });
    const bars = picture.getByRole('link');
    await expect(bars).toHaveCount(4);
    await expect(picture.locator('a[tabindex="0"]')).toHaveCount(1);
    await expect(bars.nth(0)).toHaveAccessibleName(new RegExp(`^Grant 2, ${lea.name}, from .+ to .+, 4 min 00 s, released, 3 pushes$`));
    const short = await bars.nth(0).locator('rect.fill-held').last().boundingBox();
    expect(short!.width, 'a grant of 4 minutes is seen').toBeGreaterThanOrEqual(3);

    await bars.nth(3).focus();
    await expect(days.getByTestId('grant-details')).toContainText('Sheet 9');
    await page.keyboard.press('ArrowLeft');
    await expect(bars.nth(2)).toBeFocused();
    await expect(days.getByTestId('grant-details')).toContainText('fell silent, superseded');
    await page.keyboard.press('Home');
    await expect(bars.nth(0)).toBeFocused();
    await page.keyboard.press('ArrowLeft');
    await expect(bars.nth(0)).toBeFocused();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect(picture.locator('a[tabindex="0"]')).toHaveCount(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/c/${slug}/lock/history?grant=3`);
    await expect(section(page, /^Revision 4/)).toContainText('Acquired the lock with grant 3');
  });

  await page.goto(`/c/${slug}/lock`);
  await expectWhole(page);
  await page.goto(`/c/${slug}`);
  await expect(section(page, 'The last 30 days').getByRole('link', { name: /^Grant 5/ })).toBeVisible();
  await expectWhole(page);
});

test('no grants teach what will be there; hundreds are summed by day and never flood the page', async ({ kit }) => {
  test.setTimeout(120_000);
  const lea = await kit.person('Lea');
  const [none, many] = [await kit.container(), await kit.container()];
  const often: PastGrant[] = Array.from({ length: 400 }, (_, i) => ({ who: lea.id, daysAgo: 29.5 - i * 0.07, heldHours: 0.5, silentHours: i % 50 === 0 ? 0.5 : 0, end: i % 50 === 0 ? 'clear' : 'release' }));
  await past(kit.db, many, often);
  const page = await kit.open(lea);
  await page.goto(`/c/${none}/lock`);
  await expect(section(page, 'The last 30 days')).toContainText('Nobody has held this lock in the last 30 days');

  await page.goto(`/c/${many}/lock`);
  const days = section(page, 'The last 30 days');
  await expect(days).toContainText('400 grants, held for 8 d 8 h in all, silent for 4 h 00 min: 392 released; 8 fell silent, cleared by an operator.');
  const columns = days.getByRole('group').getByRole('link');
  expect(await columns.count()).toBeLessThanOrEqual(31);
  await columns.last().focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft');
  await expect(days.getByTestId('grant-details')).toContainText(/\d+ grants, held for \d+ h \d\d min/);
  await days.getByText('In words').click();
  await expect(days.getByRole('table').locator('tbody tr')).toHaveCount(100);
  await days.getByRole('link', { name: 'Show all, in the history' }).focus();
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = false)));
  await expectWhole(page);
});

test('the badge for a README is shown as an image, and its snippets name it', async ({ kit }) => {
  const [lea, rea] = [await kit.person('Lea'), await kit.person('Rea', 'reader')];
  const [open, closed] = [await kit.container({ public: true, title: 'Charts & <b>more</b> "quoted"' }), await kit.container()];
  for (const slug of [open, closed]) await acquire(kit.db, slug, lea.id, 1, {});
  const [nobody, reader] = [await kit.open(), await kit.open(rea)];
  for (const [page, slug] of [[nobody, open], [reader, open], [reader, closed]] as const) {
    await page.goto(`/c/${slug}`);
    const badge = section(page, 'Badge for your README');
    await expect.poll(() => badge.getByRole('img').evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth)).toBeGreaterThan(60);
    const picture = `${kit.address}/api/v1/containers/${slug}/badge.svg`;
    await expect(badge).toContainText(`[![Lock of ${slug}](${picture})](${kit.address}/c/${slug})`);
    await expect(badge).toContainText(`<a href="${kit.address}/c/${slug}"><img src="${picture}" alt="Lock of ${slug}" height="22"></a>`);
    await expect(badge).toContainText(slug === open ? 'This container is public' : 'only who is signed in here sees the picture');
    await expect(badge.getByRole('button', { name: 'Copy Markdown' })).toBeVisible();
  }
  // By itself, too, it is a whole picture, and nothing in it runs.
  const answer = await nobody.goto(`/api/v1/containers/${open}/badge.svg`);
  expect(answer!.headers()['content-type']).toBe('image/svg+xml; charset=utf-8');
  await expect(nobody.locator('svg')).toHaveAttribute('aria-label', `Charts & <b>more</b> "quoted", lock: HELD: ${lea.name}`);
  await expect(nobody.locator('svg')).toContainText('HELD');
});
