/** Nothing moves under a reader’s eyes while a page loads: what scripts put in has had its place before. */
import type { Page } from '@playwright/test';
import { petition } from '../lib/collaboration/petition';
import { acquire } from '../lib/lock-page/acquire';
import { expect, HOUR, test } from './support/kit';
import { waitForLetters } from './support/letters';

/** Where everything with words of its own that is shown stands, in whole pixels; digits that count on are not told apart. */
const places = (page: Page) =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.querySelectorAll('main :is(h1, h2, th, td, dt, dd, p, section, time, code)')]
      .filter((part) => part.checkVisibility())
      .map((part) => {
        const { left, top } = part.getBoundingClientRect();
        return `${part.tagName} ${part.textContent.slice(0, 20).replace(/\d+/g, '0')} ${Math.round(left)} ${Math.round(top)}`.replace(/^(TIME) .* (\d+ \d+)$/, '$1 $2');
      });
  });

test('times, buttons and letters that come with scripts move nothing', async ({ kit }) => {
  const [lead, waiter] = [await kit.person('Lead'), await kit.person('Waiter')];
  const slug = await kit.container({ public: true });
  await acquire(kit.db, slug, lead.id, 1, { reason: 'To chart the coast' });
  await petition(kit.db, slug, waiter.id, { reason: 'To check the soundings' });
  // Whole hours ago: what is just now is soon a minute ago, which is wider.
  await kit.pass(slug, 1.5 * HOUR);

  const [before, after] = [await kit.open(undefined, { javaScriptEnabled: false }), await kit.open()];
  await Promise.all([before, after].map(waitForLetters));
  for (const viewport of [{ width: 390, height: 844 }, { width: 1440, height: 900 }]) {
    for (const path of [`/?q=${slug}`, `/c/${slug}`, `/c/${slug}/lock`, `/c/${slug}/collaboration`]) {
      for (const page of [before, after]) {
        await page.setViewportSize(viewport);
        await page.goto(path);
      }
      await expect(after.getByRole('button', { name: /^Go to/ })).toBeVisible();
      expect(await places(after), `${path} at ${viewport.width}`).toEqual(await places(before));
    }
  }
});
