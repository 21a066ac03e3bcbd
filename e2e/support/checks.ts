/** What every page must be, asked of the page that is shown. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export const PHONE = { width: 390, height: 844 };
export const SMALL_PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/** Accessible as far as a program can tell. */
export async function expectAccessible(page: Page, where = page.url()): Promise<void> {
  // Pages here have no frames, which is what the slower mode is for.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary?.split('\n')[1]?.trim() ?? ''}`).join(' | ')}`), where).toEqual([]);
}

/** Nothing makes the page scroll sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return '';
    const wide = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > clientWidth + 0.5);
    return `${scrollWidth} > ${clientWidth}: ${wide.map((e) => `${e.tagName}.${e.className}`.slice(0, 90)).slice(-4).join(' | ')}`;
  });
  expect(overflow, `sideways overflow of ${page.url()}`).toBe('');
}
