import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { assignBlock } from '../lib/collaboration/block';
import { lease } from '../lib/collaboration/lease';
import { petition } from '../lib/collaboration/petition';
import { acquire } from '../lib/lock-page/acquire';
import { createPrincipal } from '../lib/principals/create';
import { HOST } from '../lib/principals/record';
import { land } from '../lib/register/land';
import type { Role } from '../lib/roles';
import { PHONE } from './support/checks';
import { expect, HOUR, test, type Kit, type Person } from './support/kit';
import { layoutChanges, layoutOf, readLayouts, writeLayouts } from './support/layout';
import { waitForLetters } from './support/letters';

const FOLDER = join(import.meta.dirname, 'screenshots');
const LAYOUTS = join(FOLDER, 'layout.json');
const SIZES = { phone: PHONE, desktop: { width: 1440, height: 900 } };
/** Of the pixels of a picture, as many may differ: what edges of letters come to. */
const PIXELS = { maxDiffPixelRatio: 0.002, threshold: 0.15 };

/** Somebody whose name is the same in every run. */
async function named(kit: Kit, name: string, role: Role = 'coworker'): Promise<Person> {
  const password = `the password of ${name}`;
  return { ...(await createPrincipal(kit.db, HOST, { name, role, password })), password };
}

/** Two containers with the same words in every run: one that Marta holds, one whose holder is silent. */
async function scene(kit: Kit): Promise<{ marta: Person; oda: Person }> {
  // A try before this one had the same words.
  await kit.rows(`UPDATE principal SET name = 'Old ' || id, name_key = 'old ' || id WHERE name IN ('Marta', 'Nils', 'Oda')`);
  await kit.rows(`UPDATE container SET slug = 'old-' || left(id::text, 8), title = 'Old', description = '' WHERE slug LIKE 'breakwater-%'`);
  const [marta, nils, oda] = [await named(kit, 'Marta'), await named(kit, 'Nils'), await named(kit, 'Oda', 'operator')];
  const held = await kit.container({ slug: 'breakwater-charts', title: 'Breakwater charts', description: 'Every **sheet** of the breakwater, by its number.' });
  const silent = await kit.container({ slug: 'breakwater-lights', title: 'Breakwater lights' });
  for (const slug of [held, silent]) await acquire(kit.db, slug, marta.id, 1, { reason: 'Renumbering the sheets' });
  await petition(kit.db, held, nils.id, { reason: 'Sheet 3 needs the new datum' });
  await petition(kit.db, held, oda.id, { reason: 'A correction that came in from the harbour office this morning' });
  await petition(kit.db, silent, nils.id, { reason: 'The lamp at the head was changed' });
  await lease(kit.db, held, marta.id, { grant: 1, to: marta.id, count: 3 });
  await land(kit.db, held, marta.id, 'one', { grant: 1, message: 'Sheets 1 and 2', entries: ['1', '2'].map((n) => ({ identifier: `HF-${n}`, title: `Sheet ${n}`, body: 'The basin.' })) });
  await lease(kit.db, held, marta.id, { grant: 1, to: nils.id, count: 10 });
  await assignBlock(kit.db, held, marta.id, { grant: 1, title: 'Soundings off the pier', assignee: nils.id });
  await kit.pass(silent, 5 * HOUR);
  return { marta, oda };
}

/** Puts the same text wherever time or chance decides: times, digests, and what other tests’ silent holders tell an operator. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    for (const time of document.querySelectorAll('time')) time.textContent = time.getAttribute('role') === 'timer' ? '3 h 59 min' : '1 Jun, 12:00 UTC';
    for (const told of document.querySelectorAll('header a[href="/notices"] > span[aria-hidden], [data-testid=toasts] > *')) (told as HTMLElement).hidden = true;
    for (const code of document.querySelectorAll('main code')) code.textContent = '0'.repeat(Math.min(code.textContent.length, 64));
  });
}

/**
 * Decision 11. The layout of the whole page is compared wherever the test runs; the pixels of its first screenful where the very browser
 * runs that made the pictures, for another draws letters in another way.
 */
test('the main pages look as they did, in both themes, on a phone and on a desktop', async ({ kit, browser }, info) => {
  test.setTimeout(240_000);
  const { marta, oda } = await scene(kit);
  const pages: [string, string, Page][] = [
    ['board', '/?q=breakwater', await kit.open(marta, { locale: 'en-GB' })],
    ['overview', '/c/breakwater-charts', await kit.open(marta)],
    ['lock', '/c/breakwater-charts/lock', await kit.open(marta)],
    ['silent', '/c/breakwater-lights/lock', await kit.open(oda)],
    ['collaboration', '/c/breakwater-charts/collaboration', await kit.open(oda)],
    ['register', '/c/breakwater-charts/register', await kit.open(oda)],
  ];
  // Nothing comes in between: what a page asks stays unanswered, so that it neither follows nor says that it does not.
  await Promise.all(pages.map(([, , page]) => page.route(/\/api\/v1\/(events|state)\?/, () => undefined)));
  const update = ['all', 'changed'].includes(info.config.updateSnapshots);
  const drawnBy = `${process.platform}-${process.arch}-${browser.version()}`;
  const comparesPixels = update || existsSync(join(FOLDER, drawnBy));
  if (!comparesPixels) info.annotations.push({ type: 'layout alone', description: `no pictures of ${drawnBy} are kept` });
  const layouts = readLayouts(LAYOUTS);

  for (const [name, path, page] of pages) {
    await waitForLetters(page);
    for (const [size, viewport] of Object.entries(SIZES)) {
      // Loaded anew: a page that was resized is laid out a moment later.
      await page.setViewportSize(viewport);
      await page.goto(path);
      await expect(page.getByRole('button', { name: /^Go to/ })).toBeVisible();
      await settle(page);
      const key = `${name}, ${size}`;
      const layout = await layoutOf(page);
      if (update) layouts[key] = layout;
      expect.soft(layoutChanges(layouts[key], layout), `the layout of ${key}`).toEqual([]);
      if (!comparesPixels) continue;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await settle(page);
        await expect.soft(page).toHaveScreenshot([drawnBy, `${name}-${size}-${colorScheme}.png`], PIXELS);
      }
    }
  }
  if (update) writeLayouts(LAYOUTS, layouts);
});
