/** Notices as they come: on the page, by the browser, and never in the way. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, HOUR } from './support/kit';
import { badge, live } from './support/steps';

test('whoever waits, holds or operates is told on whatever page it is', async ({ kit }) => {
  const [ann, bea, op] = [await kit.person('Ann'), await kit.person('Bea'), await kit.person('Op', 'operator')];
  const slug = await kit.container({ title: 'Tide tables of the north' });
  const [lead, waiter] = [await kit.api(ann), await kit.api(bea)];
  const [holding, waiting, operating] = [await kit.open(ann), await kit.open(bea), await kit.open(op)];
  await Promise.all([holding.goto('/notices'), waiting.goto('/'), operating.goto('/admin/audit')]);
  await holding.goto(`/c/${slug}`);
  await lead('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  await expect(badge(holding)).toHaveText('HELD');

  await waiter('POST', `/containers/${slug}/petitions`, { body: { reason: 'The pilots ask' } });
  await expect(holding.getByTestId('toasts')).toContainText('The pilots ask');
  await expect(holding.getByRole('link', { name: 'Notices: 1 unread' })).toBeVisible();
  expect((await new AxeBuilder({ page: holding }).analyze()).violations).toEqual([]);

  await lead('POST', `/containers/${slug}/landings`, { key: 'k', body: { grant: 1, message: 'Nothing', entries: [] } });
  const { revision } = await kit.lock(slug);
  await lead('POST', `/containers/${slug}/lock/release`, { base: revision, body: { grant: 1 } });
  const toast = waiting.getByTestId('toasts');
  await expect(toast).toContainText('Your turn has begun');
  await toast.getByRole('link', { name: 'Lock page of Tide tables of the north' }).click();
  await waiting.getByRole('button', { name: 'Acquire the lock' }).click();
  await expect(badge(waiting)).toHaveText('HELD');

  await kit.pass(slug, 5 * HOUR);
  await expect(operating.getByTestId('toasts')).toContainText(bea.name, { timeout: 15_000 });
});

test('a notice that one closes, reads or has had for a while goes; the inbox keeps it', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const lead = await kit.api(ann);
  await lead('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  const page = await kit.open(bea);
  await page.goto(`/c/${slug}/register`);
  await live(page);
  for (const count of [1, 2, 3, 4]) await lead('POST', `/containers/${slug}/leases`, { body: { grant: 1, to: bea.id, count } });
  const toasts = page.getByTestId('toasts').getByRole('button', { name: 'Close this notice' });
  await expect(toasts).toHaveCount(3);
  await toasts.first().click();
  await expect(toasts).toHaveCount(2);
  await page.getByRole('link', { name: 'Notices: 4 unread' }).click();
  await expect(toasts).toHaveCount(0);
  await expect(page.getByRole('list', { name: 'Notices' }).getByRole('listitem')).toHaveCount(4);
});

test('where the viewer allows it, the browser tells while nobody looks', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const page = await kit.open(bea);
  await page.addInitScript(() => {
    const shown: { title: string; body?: string; tag?: string }[] = [];
    class Recorded {
      static permission = localStorage.getItem('allowed') ?? 'default';
      static async requestPermission() {
        localStorage.setItem('allowed', 'granted');
        return (Recorded.permission = 'granted');
      }
      onclick = null;
      constructor(title: string, options: { body?: string; tag?: string }) {
        shown.push({ title, ...options });
      }
      close() {}
    }
    Object.assign(window, { Notification: Recorded, shown });
  });
  await page.goto('/notices');
  const toggle = page.getByRole('switch', { name: 'Browser notifications' });
  await expect(toggle).not.toBeChecked();
  await toggle.click();
  await expect(toggle).toBeChecked();
  await page.goto(`/c/${slug}`);
  await live(page);
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true, configurable: true }));
  const lead = await kit.api(ann);
  await lead('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  await lead('POST', `/containers/${slug}/blocks`, { body: { grant: 1, title: 'Sheet two', assignee: bea.id } });
  const shown = () => page.evaluate(() => (window as unknown as { shown: { title: string; body: string }[] }).shown.map(({ title, body }) => `${title}: ${body}`).join());
  await expect.poll(shown).toContain('Sheet two');
});

test('a part that cannot be fetched any more costs that part, not the page', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const page = await kit.open(bea);
  kit.expectErrors(/ERR_FAILED|ChunkLoadError|Failed to load|error/i);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  await page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason').fill('Still here');
  await page.route('**/_next/static/**', (route) => route.abort());
  const lead = await kit.api(ann);
  await lead('POST', `/containers/${slug}/petitions`, { body: { reason: 'Mine first' } });
  await kit.rows(
    `INSERT INTO notice (principal_id, container_id, kind, details, at) SELECT $1, id, 'turn-begun', '{}', clock_timestamp() FROM container WHERE slug = $2`,
    [bea.id, slug],
  );
  await expect(page.getByTestId('toasts')).toContainText('could not be loaded', { timeout: 10_000 });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(badge(page)).toHaveText('HANDOVER');
});
