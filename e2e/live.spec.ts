/** Pages follow by themselves: events, time, lost connections, sleep. Two and three people at once. */
import type { Page } from '@playwright/test';
import { expect, test, HOUR } from './support/kit';
import { acquire, badge, boardRow, fact, live, release, section, signIn, signOut } from './support/steps';

/** Within a second, as a person sees it. */
const SOON = { timeout: 2_000 };

/** The machine sleeps: the page's clocks stand still, and then it is later. Call `canSleep` before the page is loaded. */
const canSleep = (page: Page) => page.clock.install();
const sleepFor = (page: Page, seconds: number) => page.clock.fastForward(seconds * 1_000);

test('an acquisition, a petition, a push and a release show in three browsers without a reload', async ({ kit }) => {
  const [ann, bea, cay] = [await kit.person('Ann'), await kit.person('Bea'), await kit.person('Cay', 'reader')];
  const slug = await kit.container();
  const [lead, waiter, reader] = [await kit.open(ann), await kit.open(bea), await kit.open(cay)];
  await waiter.goto(`/c/${slug}/lock`);
  await reader.goto(`/?q=${slug}`);
  await Promise.all([live(waiter), live(reader)]);

  await acquire(lead, slug, 'To chart the coast');
  await Promise.all([waiter, reader].map((page) => expect(badge(page)).toHaveText('HELD', SOON)));
  await expect(fact(waiter, 'Reason')).toHaveText('To chart the coast', SOON);
  await expect(reader.getByRole('row', { name: new RegExp(slug) })).toContainText(ann.name, SOON);

  await waiter.getByRole('form', { name: 'Petition', exact: true }).getByLabel('Reason').fill('To check the soundings');
  await waiter.getByRole('button', { name: 'Ask for the lock' }).click();
  await expect(section(lead, 'Queue')).toContainText('To check the soundings', SOON);
  await expect(section(lead, 'You hold this lock')).toContainText(bea.name, SOON);

  const api = await kit.api(ann);
  await api('POST', `/containers/${slug}/landings`, { key: 'k', body: { grant: 1, message: 'Nothing', entries: [] } });
  await expect(fact(waiter, 'Pushes under this grant')).toHaveText('1', SOON);
  await release(lead, slug);
  await Promise.all([waiter, reader].map((page) => expect(badge(page)).toHaveText('HANDOVER', SOON)));
  await expect(waiter.getByRole('button', { name: 'Acquire the lock' })).toBeVisible(SOON);
});

test('leases, blocks, landings, passes and the grid follow in another’s browser', async ({ kit }) => {
  const [ann, bea, op] = [await kit.person('Ann'), await kit.person('Bea'), await kit.person('Op', 'operator')];
  const slug = await kit.container();
  const [lead, operator] = [await kit.api(ann), await kit.api(op)];
  await lead('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  const page = await kit.open(bea);

  await page.goto(`/c/${slug}/collaboration`);
  await live(page);
  await lead('POST', `/containers/${slug}/leases`, { body: { grant: 1, to: bea.id, count: 3 } });
  await expect(page.getByRole('main')).toContainText('HF-1', SOON);
  await lead('POST', `/containers/${slug}/blocks`, { body: { grant: 1, title: 'Sheet two', assignee: bea.id } });
  await expect(page.getByRole('main')).toContainText('Sheet two', SOON);

  await page.goto(`/c/${slug}/register`);
  await live(page);
  await lead('POST', `/containers/${slug}/landings`, { key: 'k', body: { grant: 1, message: 'The first sheet', entries: [] } });
  await expect(page.getByRole('main')).toContainText('The first sheet', SOON);

  await page.goto(`/c/${slug}/grid`);
  await live(page);
  const clauses = [{ id: 'C1', concept: 'compiles', type: 'machine' }];
  const grid = { contexts: ['ledger'], roles: ['analyst'], arrows: [{ id: 'ledger-1', from: 'analyst', to: 'analyst', context: 'ledger', stratum: 1, requires: [], dependencies: [], clauses }] };
  await operator('POST', `/containers/${slug}/grid/init`, { body: { grid } });
  await expect(page.getByRole('main')).toContainText('ledger-1', SOON);

  await page.goto(`/c/${slug}/passes`);
  await live(page);
  const { body: pass } = await lead('POST', `/containers/${slug}/passes`, { body: { grant: 1, arrow: 'ledger-1' } });
  await expect(page.getByRole('main')).toContainText('running', SOON);
  await lead('POST', `/containers/${slug}/passes/${pass.id}/clauses/C1/transitions`, { body: { to: 'fail' } });
  await expect(page.getByRole('main')).toContainText('fail', SOON);
});

test('T-3: a holder falls silent, and a turn begins, at the right second with no event at all', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ termSeconds: 12, windowSeconds: 3 });
  const waiter = await kit.api(bea);
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  await waiter('POST', `/containers/${slug}/petitions`, { body: { reason: 'To check' } });
  const page = await kit.open(await kit.person('Cay'));
  // It hears what time it is, and nothing else.
  await page.route('**/api/v1/events?*', async (route) => {
    const [{ now }] = await kit.rows(`SELECT to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now`);
    await route.fulfill({ contentType: 'text/event-stream', body: `retry: 60000\n\nevent: now\ndata: ${JSON.stringify({ now })}\n\n` });
  });
  await page.goto(`/c/${slug}/lock`);
  await expect(badge(page)).toHaveText('HELD');
  const { expires_at: expires } = await kit.lock(slug);
  // Database and browser share this machine's clock.
  const shown = await badge(page).evaluate(
    (element) =>
      new Promise<number>((changed) => {
        const { parentElement: place } = element;
        const look = () => void (place!.textContent.includes('HOLDER SILENT') && changed(Date.now()));
        new MutationObserver(look).observe(place!, { subtree: true, childList: true, characterData: true });
      }),
  );
  await expect(badge(page)).toHaveText('HOLDER SILENT');
  expect(shown - Date.parse(expires)).toBeGreaterThan(-300);
  expect(shown - Date.parse(expires)).toBeLessThan(1_000);
  await expect(page.getByTestId('caution')).toBeVisible();
  // The stranger's own turn comes a window after the expiry.
  await expect(page.getByRole('button', { name: 'Acquire the lock' })).toBeVisible({ timeout: 6_000 });
});

test('a page that is offline says so and claims no state; back online it is right again', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const page = await kit.open(bea);
  kit.expectErrors(/ERR_INTERNET_DISCONNECTED|net::ERR/);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  await expect(badge(page)).toHaveText('OPEN');

  await page.context().setOffline(true);
  await expect(page.getByTestId('connection')).toContainText('This page may be out of date', SOON);
  await expect(page.getByTestId('badge')).toHaveCount(0);
  await expect(page.getByTestId('badge-unknown').first()).toContainText('last OPEN');
  await page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason').fill('Typed while offline');
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });

  await page.context().setOffline(false);
  await expect(badge(page)).toHaveText('HELD', { timeout: 8_000 });
  await expect(page.getByTestId('connection')).toBeEmpty();
  // What was typed in a form that is gone is still there to be copied.
  await expect(section(page, 'Text that is not saved').getByLabel('Reason')).toHaveValue('Typed while offline');
});

test('a stream that is killed again and again leaves no page wrong', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ termSeconds: HOUR });
  const page = await kit.open(bea);
  await page.goto(`/c/${slug}/lock`);
  const api = await kit.api(ann);
  const listening = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast hints'`;
  for (let round = 0, revision = 1; round < 3; round++) {
    await live(page);
    await kit.rows(listening);
    const held = await api('POST', `/containers/${slug}/lock/acquire`, { base: revision, body: { reason: `Round ${round}` } });
    expect(held.status).toBe(200);
    // At most the polling period, and a second to show it.
    await expect(fact(page, 'Reason')).toHaveText(`Round ${round}`, { timeout: 6_000 });
    await kit.rows(listening);
    await api('POST', `/containers/${slug}/landings`, { key: `k${round}`, body: { grant: held.body.grant, message: 'Nothing', entries: [] } });
    const released = await api('POST', `/containers/${slug}/lock/release`, { base: held.body.revision, body: { grant: held.body.grant } });
    await expect(badge(page)).toHaveText('OPEN', { timeout: 6_000 });
    revision = released.body.revision;
  }
});

test('a laptop that slept asks before it writes, says that the grant has ended, and keeps the work', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ windowSeconds: 1 });
  const lead = await kit.open(ann);
  await canSleep(lead);
  await acquire(lead, slug, 'To chart');
  const api = await kit.api(ann);
  await api('POST', `/containers/${slug}/leases`, { body: { grant: 1, to: ann.id, count: 3 } });
  await lead.goto(`/c/${slug}/drafts`);
  await live(lead);
  const form = lead.getByRole('form', { name: 'New draft' });
  await form.getByLabel('Title').fill('A sheet of soundings');
  await form.getByLabel('Body').fill('Seven fathoms by the point.');

  await kit.pass(slug, 5 * HOUR);
  const { revision } = await kit.lock(slug);
  expect((await (await kit.api(bea))('POST', `/containers/${slug}/lock/acquire`, { base: revision, body: {} })).status).toBe(200);

  // The server is slow to answer the one who wakes: until then nothing can be sent.
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((done) => (answer = done));
  await lead.route('**/api/v1/state?*', async (route) => {
    await asked;
    await route.continue();
  });
  await sleepFor(lead, 5 * HOUR);
  await expect(lead.getByTestId('connection')).toContainText('Looking whether your grant is still current');
  answer();
  await expect(lead.getByTestId('grant-ended')).toContainText('Your grant 1 has ended');
  await expect(lead.getByTestId('grant-ended')).toContainText(`${bea.name} holds the lock now`);
  await expect(lead.getByTestId('grant-ended').getByRole('link', { name: 'ask for the lock again' })).toBeVisible();
  await expect(section(lead, 'Text that is not saved').getByLabel('Body')).toHaveValue('Seven fathoms by the point.');
  expect(await kit.stored(slug, 'draft', 'title')).toEqual([]);
});

test('a lead that slept but is still current goes on', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const lead = await kit.open(ann);
  await canSleep(lead);
  await acquire(lead, slug, 'To chart');
  await live(lead);
  const asked = lead.waitForResponse(/\/api\/v1\/state/);
  await sleepFor(lead, HOUR);
  await asked;
  await expect(lead.getByTestId('connection')).toBeEmpty();
  await lead.getByRole('form', { name: 'Heartbeat' }).getByRole('button', { name: 'Heartbeat' }).click();
  await expect.poll(async () => (await kit.lock(slug)).revision).toBe(3);
  await expect(lead.getByTestId('grant-ended')).toBeEmpty();
});

test('W-3: whoever types while the form goes away goes on typing', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const page = await kit.open(bea);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  const reason = page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason');
  await reason.click();
  await page.keyboard.type('To chart the ');
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  await expect(reason).toHaveCount(0);
  await page.keyboard.type('northern coast');
  const kept = section(page, 'Text that is not saved').getByLabel('Reason');
  await expect(kept).toHaveValue('To chart the northern coast');
  await expect(kept).toBeFocused();
  await page.reload();
  await expect(kept).toHaveValue('To chart the northern coast');
  await section(page, 'Text that is not saved').getByRole('button', { name: 'Discard it' }).click();
  await expect(section(page, 'Text that is not saved')).toHaveCount(0);
});

test('the board shows a container that comes, and drops one from a filter that fits no more', async ({ kit }) => {
  const [ann, op] = [await kit.person('Ann'), await kit.person('Op', 'operator')];
  const slug = await kit.container();
  const page = await kit.open(ann);
  const row = await boardRow(page, slug);
  await expect(row).toBeVisible();
  const other = `${slug}-two`;
  await (await kit.api(op))('POST', '/containers', { body: { slug: other, title: 'Another one' } });
  await expect(page.getByRole('table', { name: 'Containers' }).locator(`a[href="/c/${other}"]`)).toBeVisible(SOON);
  await page.goto(`/?q=${slug}&badge=OPEN`);
  await live(page);
  await expect(page.getByTestId('badge')).toHaveCount(2);
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  await expect(page.getByTestId('badge')).toHaveCount(1, SOON);
});

test('P-1: a page whose viewer has signed out in another tab says so, and keeps what is typed', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  await canSleep(page);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  await page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason').fill('Not lost');
  await page.context().clearCookies();
  await sleepFor(page, HOUR);
  await expect(page.getByTestId('connection')).toContainText('This page was made for somebody else');
  await expect(page.getByTestId('badge')).toHaveCount(0);
  await expect(page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason')).toHaveValue('Not lost');
});

test('W-3: what was typed is there again after signing out and in, and never for somebody else', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  const reason = page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason');
  await reason.fill('Half a thought');
  await signOut(page);
  await signIn(page, bea, `/c/${slug}/lock`);
  await expect(reason).toHaveValue('');
  await page.context().clearCookies();
  await signIn(page, ann, `/c/${slug}/lock`);
  await expect(reason).toHaveValue('Half a thought');
});

test('a server that goes away costs no page: what time brings meanwhile waits until it is back', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container({ termSeconds: 6 });
  const page = await kit.open(await kit.person('Bea'));
  await (await kit.api(ann))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  kit.expectErrors(/ERR_|Failed to fetch/);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  const here = await page.evaluate(() => ((window as unknown as { here: number }).here = Math.random()));
  await page.route('**/*', (route) => route.abort());
  await page.context().setOffline(true);
  await expect(page.getByTestId('badge-unknown').first()).toContainText('last HOLDER SILENT', { timeout: 15_000 });
  await page.unroute('**/*');
  await page.context().setOffline(false);
  await expect(badge(page)).toHaveText('HOLDER SILENT', { timeout: 15_000 });
  await expect(section(page, 'What is known of the silence')).toBeVisible({ timeout: 10_000 });
  expect(await page.evaluate(() => (window as unknown as { here: number }).here)).toBe(here);
});

test('a release in one tab is no alarm in another', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const one = await kit.open(ann);
  await acquire(one, slug, 'To chart');
  const two = await one.context().newPage();
  await two.goto(`/c/${slug}/lock`);
  await live(two);
  await (await kit.api(ann))('POST', `/containers/${slug}/landings`, { key: 'k', body: { grant: 1, message: 'Nothing', entries: [] } });
  await release(one, slug);
  await expect(badge(two)).toHaveText('OPEN', SOON);
  await expect(two.getByTestId('grant-ended')).toBeEmpty();
});
