/**
 * What users of other systems suffer in their browsers, one test for each: here it is
 * impossible, or clear. The others of the list are in `lib/api/symptoms.test.ts`.
 */
import type { Page } from '@playwright/test';
import { expect, HOUR, test } from './support/kit';
import { acquire, fact, hearNothing, leaseNext, live, refusal, section, told } from './support/steps';

const beatsOf = async (kit: { stored(slug: string, table: string, columns: string, order?: string): Promise<{ kind: string }[]> }, slug: string) =>
  (await kit.stored(slug, 'lock_revision', 'kind', 'revision')).filter((r) => r.kind === 'heartbeat').length;

test('9. what the server says of a lock is shown: who, why, since and until, in the refusal itself', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const page = await kit.open(bea);
  await hearNothing(page);
  await page.goto(`/c/${slug}/lock`);
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: { reason: 'To chart the coast' } });
  await page.getByRole('button', { name: 'Acquire the lock' }).click();
  await expect(page.getByRole('main')).toContainText(ann.name);
  await expect(fact(page, 'Holder')).toContainText(ann.name);
  await expect(fact(page, 'Reason')).toHaveText('To chart the coast');
  await expect(fact(page, 'Since')).toContainText('UTC');
  await expect(fact(page, 'Until')).toContainText('UTC');
});

test('14. a laptop that sleeps through the end of its grant throws no work away', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.clock.install();
  await acquire(page, slug, 'To chart');
  await leaseNext(page, slug, 3);
  await page.goto(`/c/${slug}/drafts`);
  await live(page);
  await page.getByRole('form', { name: 'New draft' }).getByLabel('Body').fill('An afternoon’s work.');
  await kit.pass(slug, 6 * HOUR);
  await page.clock.fastForward(6 * HOUR * 1_000);
  await expect(page.getByTestId('grant-ended')).toContainText('Your grant 1 has ended');
  await expect(section(page, 'Text that is not saved').getByLabel('Body')).toHaveValue('An afternoon’s work.');
  await expect(page.getByTestId('grant-ended')).toContainText('ask for the lock again');
});

test('15. a tab in the background that the browser slows down keeps its grant', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container({ termSeconds: 6 });
  const page = await kit.open(ann);
  await page.clock.install();
  await acquire(page, slug, 'To chart');
  await expect(section(page, 'Heartbeats')).toContainText('Heartbeats are on');
  // The page's own timers stand still, as they nearly do in the background; the worker's do not.
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.clock.pauseAt(Date.now() + 1_000);
  const before = await beatsOf(kit, slug);
  await expect.poll(() => beatsOf(kit, slug), { timeout: 20_000 }).toBeGreaterThanOrEqual(before + 3);
  expect((await kit.rows('SELECT expires_at > clock_timestamp() AS held FROM lock_page l JOIN container c ON c.id = l.container_id WHERE c.slug = $1', [slug]))[0]).toEqual({ held: true });
});

test('18. nothing about a lock swallows typing: notices, warnings and changes come while one goes on', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ termSeconds: HOUR });
  const page = await kit.open(ann);
  await acquire(page, slug, 'To chart');
  await live(page);
  const notes = page.getByRole('form', { name: 'Notes', exact: true }).or(page.getByRole('form', { name: 'Lock notes' })).first();
  await page.getByText('Edit the notes').first().click();
  const area = notes.getByRole('textbox').first();
  await area.click();
  await page.keyboard.type('The chart ');
  // Somebody waits: the holder is told, in the middle of a word.
  await (await kit.api(bea))('POST', `/containers/${slug}/petitions`, { body: { reason: 'To check' } });
  await expect(page.getByTestId('toasts')).toContainText('To check', { timeout: 10_000 });
  await page.keyboard.type('of the northern ');
  // The holder falls silent by itself: the form may go, the typing goes on.
  await kit.pass(slug, HOUR - 2);
  await (await kit.api(bea))('PUT', `/containers/${slug}/collaboration/notes`, { base: 2, body: { notes: 'A nudge' } });
  await page.keyboard.type('coast');
  await expect(area).toHaveValue('The chart of the northern coast');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('19. a co-author who saved first costs nobody a word', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const [one, two] = [await kit.open(ann), await kit.open(bea)];
  const open = async (page: Page, text: string) => {
    await page.goto(`/c/${slug}/collaboration`);
    await page.getByText('Edit the notes').first().click();
    const area = page.getByRole('form', { name: 'Notes', exact: true }).getByRole('textbox').first();
    await area.fill(text);
    return area;
  };
  await open(one, 'Top line of Ann');
  const area = await open(two, 'Top line of Bea');
  await one.getByRole('form', { name: 'Notes', exact: true }).getByRole('button', { name: 'Save' }).click();
  await expect(told(one)).toContainText('saved');
  await two.getByRole('form', { name: 'Notes', exact: true }).getByRole('button', { name: 'Save' }).click();
  await expect(refusal(two, 'Notes')).toContainText('Top line of Ann');
  await expect(refusal(two, 'Notes')).toContainText('Top line of Bea');
  await expect(area).toHaveValue('Top line of Bea');
  await two.getByRole('button', { name: /^Put both together/ }).click();
  await expect(area).toHaveValue(/Top line of Ann[\s\S]*Top line of Bea|Top line of Bea[\s\S]*Top line of Ann/);
});

test('20. saving while offline loses nothing: the text is there after a reload, and is saved once online', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  kit.expectErrors(/ERR_INTERNET_DISCONNECTED|net::ERR/);
  await page.goto(`/c/${slug}/collaboration`);
  await page.getByText('Edit the notes').first().click();
  const form = page.getByRole('form', { name: 'Notes', exact: true });
  await form.getByRole('textbox').first().fill('Written at sea');
  await page.context().setOffline(true);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(refusal(page, 'Notes')).toContainText('The server could not be reached');
  await page.context().setOffline(false);
  await page.reload();
  await page.getByText('Edit the notes').first().click();
  await expect(form.getByRole('textbox').first()).toHaveValue('Written at sea');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect.poll(async () => (await kit.stored(slug, 'collaboration_page', 'notes'))[0].notes).toBe('Written at sea');
});

test('21. a displaced editor who comes back to a stale screen overwrites nothing, and is told who holds now', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ windowSeconds: 1 });
  const page = await kit.open(ann);
  await acquire(page, slug, 'To chart');
  await leaseNext(page, slug, 3);
  await hearNothing(page);
  await page.goto(`/c/${slug}/drafts`);
  const form = page.getByRole('form', { name: 'New draft' });
  await form.getByLabel('Title').fill('Old news');
  await form.getByLabel('Body').fill('From a screen that was left open.');
  await kit.pass(slug, 6 * HOUR);
  const { revision } = await kit.lock(slug);
  await (await kit.api(bea))('POST', `/containers/${slug}/lock/acquire`, { base: revision, body: {} });
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(page.getByRole('main')).toContainText(bea.name);
  await expect(page.getByRole('main')).toContainText('From a screen that was left open.');
  expect(await kit.stored(slug, 'draft', 'title')).toEqual([]);
});

test('25. an expiry is shown in the viewer’s own zone, with the zone’s name, and in UTC', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  const page = await kit.open(bea, { timezoneId: 'Asia/Tokyo' });
  await page.goto(`/c/${slug}/lock`);
  await expect(fact(page, 'Until')).toContainText(/GMT\+9|JST/);
  await expect(fact(page, 'Until').locator('time').first()).toHaveAttribute('title', /UTC$/);
});
