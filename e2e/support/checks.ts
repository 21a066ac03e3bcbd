/** What every page must be, asked of the page that is shown. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

export const PHONE = { width: 390, height: 844 };
export const SMALL_PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 900 };

/**
 * Accessible as far as a program can tell.
 * @param colours asks for contrast alone: the rest was asked in another theme
 */
export async function expectAccessible(page: Page, { where = page.url(), colours = false } = {}): Promise<void> {
  // Pages here have no frames, which is what the slower mode is for.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (colours ? axe.withRules('color-contrast') : axe).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} ${node.failureSummary?.split('\n')[1]?.trim() ?? ''}`).join(' | ')}`);
  expect(found, where).toEqual([]);
}

/** Nothing makes the page scroll sideways, or stands out of its card. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => {
    const beyond = (outer: Element) => {
      const edge = outer.getBoundingClientRect().left + outer.clientLeft + outer.clientWidth + 1;
      const wide = [...outer.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > edge);
      return `${outer.scrollWidth} > ${outer.clientWidth}: ${wide.slice(-3).map((element) => element.outerHTML.slice(0, 120)).join(' | ')}`;
    };
    const root = document.documentElement;
    const outgrown = [root, ...document.querySelectorAll('main .card')].filter((outer) => outer.scrollWidth > outer.clientWidth + (outer === root ? 0 : 1));
    return outgrown.map(beyond).join('\n');
  });
  expect(overflow, `sideways overflow of ${page.url()}`).toBe('');
}
