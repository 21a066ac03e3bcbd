import type { Page } from '@playwright/test';

/**
 * Has pages wait for our own letters. They are `font-display: optional`: on a busy machine they may come too late for a first view, which
 * then does without, and is as wide as other letters are.
 */
export const waitForLetters = (page: Page): Promise<unknown> =>
  page.route('**/*.css', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('font-display:optional', 'font-display:block') });
  });
