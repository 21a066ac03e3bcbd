/** What may go wrong around live pages: other people in one browser, slow answers, clocks that are set, storage that is refused. */
import type { Page } from '@playwright/test';
import { instant } from '../lib/time';
import { expect, test, HOUR, type Person } from './support/kit';
import { acquire, badge, live, section, sendSignIn, signIn, signOut, told } from './support/steps';

const toasts = (page: Page) => page.getByTestId('toasts');

/** Signs in with links and forms alone, in the same document. */
async function signInHere(page: Page, who: Person): Promise<void> {
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await sendSignIn(page, who);
  await expect(told(page)).toContainText(`Signed in as ${who.name}`);
}

test('P-1: a grant of who was signed in before is no news to who is signed in now', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ public: true });
  const page = await kit.open();
  await signIn(page, ann);
  await acquire(page, slug, 'To chart');
  await live(page);
  await signOut(page);
  await signInHere(page, bea);
  await page.getByRole('link', { name: `The handbook ${slug}` }).first().click();
  await page.getByRole('link', { name: 'Lock', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'What you can do' })).toBeVisible();
  await expect(page.getByTestId('grant-ended')).toBeEmpty();
});

test('P-1: a page made for one person does not act for another who signed in meanwhile', async ({ kit }) => {
  const [ann, bea, cay] = [await kit.person('Ann'), await kit.person('Bea'), await kit.person('Cay')];
  const slug = await kit.container();
  await (await kit.api(cay))('POST', `/containers/${slug}/lock/acquire`, { base: 1, body: {} });
  const page = await kit.open();
  await signIn(page, ann);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  const form = page.getByRole('form', { name: 'Petition', exact: true });
  await form.getByLabel('Reason').fill('Ann asks');
  const tab = await page.context().newPage();
  await tab.goto('/');
  await signOut(tab);
  await signIn(tab, bea);
  await form.getByRole('button', { name: 'Ask for the lock' }).click();
  await expect(page.getByRole('alert').filter({ hasText: /somebody else/ }).first()).toBeVisible();
  expect(await kit.stored(slug, 'petition', 'reason')).toEqual([]);
  await expect(form.getByLabel('Reason')).toHaveValue('Ann asks');
});

test('W-3: signing out in another tab takes nothing that stands typed in this one', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open();
  await signIn(page, ann);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  await page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason').fill('Not lost');
  const tab = await page.context().newPage();
  await tab.goto('/');
  await signOut(tab);
  await signIn(page, ann, `/c/${slug}/lock`);
  await expect(page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason')).toHaveValue('Not lost');
});

test('W-3: one form in two tabs keeps what each typed', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  const tab = await page.context().newPage();
  for (const each of [page, tab]) {
    await each.goto(`/c/${slug}/lock`);
    await live(each);
  }
  const reason = (of: Page) => of.getByRole('form', { name: 'Acquire' }).getByLabel('Reason');
  await reason(page).fill('Typed in the first');
  await reason(tab).fill('Typed in the second');
  await page.reload();
  await expect(reason(page)).toHaveValue('Typed in the first');
  await tab.reload();
  await expect(reason(tab)).toHaveValue('Typed in the second');
});

test('a slow answer about one page says nothing of the next', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  kit.expectErrors(/ERR_FAILED/);
  await page.route('**/api/v1/events?*', (route) => route.abort());
  let answer: () => void = () => undefined;
  const slow = new Promise<void>((done) => (answer = done));
  let isSlow = false;
  let asked: () => void = () => undefined;
  const asking = new Promise<void>((done) => (asked = done));
  await page.route('**/api/v1/state?*', async (route) => {
    const isBoard = new URL(route.request().url()).searchParams.has('board');
    if (isBoard && isSlow) {
      asked();
      await slow;
      return route.fulfill({ json: { now: instant(Date.now() * 1_000), viewer: ann.id, containers: [], board: 'old' } });
    }
    await route.continue();
  });
  await page.goto(`/?q=${slug}`);
  await expect(page.getByTestId('live').first()).toHaveAttribute('data-status', 'polling', { timeout: 15_000 });
  isSlow = true;
  await asking;
  await page.getByRole('link', { name: `The handbook ${slug}` }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(slug);
  const said = page.evaluate(
    () =>
      new Promise<string[]>((done) => {
        const seen: string[] = [];
        const at = document.querySelector('[data-testid=connection]')!;
        new MutationObserver(() => seen.push(at.textContent!)).observe(at, { subtree: true, childList: true, characterData: true });
        setTimeout(() => done(seen), 2_000);
      }),
  );
  answer();
  expect(await said).toEqual([]);
});

test('reading one notice brings no older one up again', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  await kit.rows(
    `INSERT INTO notice (principal_id, container_id, kind, details, at)
     SELECT $1, (SELECT id FROM container WHERE slug = $2), 'lock-cleared', '{"grant": 1, "reason": "Long ago"}', clock_timestamp() - make_interval(mins => n) FROM generate_series(1, 20) n`,
    [ann.id, slug],
  );
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  await expect(toasts(page)).toBeEmpty();
  await kit.rows(`UPDATE notice SET read_at = clock_timestamp() WHERE id IN (SELECT id FROM notice WHERE principal_id = $1 ORDER BY at DESC LIMIT 3)`, [ann.id]);
  await expect(page.getByRole('link', { name: /17/ }).first()).toBeVisible({ timeout: 12_000 });
  await expect(toasts(page)).toBeEmpty();
});

test('a browser that refuses storage shows every page', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('Access is denied', 'SecurityError');
        },
      });
  });
  for (const path of ['/', `/c/${slug}/lock`, '/notices']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
  await acquire(page, slug, 'To chart');
  await expect(section(page, 'Heartbeats')).toBeVisible();
});

test('a browser clock that is set back is noticed', async ({ kit }) => {
  const slug = await kit.container();
  const page = await kit.open(await kit.person('Bea'));
  await page.addInitScript(() => {
    let back = 0;
    const now = Date.now.bind(Date);
    Date.now = () => now() - back;
    Object.assign(window, { setBack: (ms: number) => (back = ms) });
  });
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  kit.expectErrors(/ERR_FAILED/);
  await page.evaluate(() => (window as unknown as { setBack: (ms: number) => void }).setBack(3_600_000));
  // From now on the stream and the state tell nothing.
  await page.route('**/api/v1/state?*', (route) => route.abort());
  await page.route('**/api/v1/events?*', (route) => route.fulfill({ contentType: 'text/event-stream', body: 'retry: 60000\n\n' }));
  // The stream hangs up.
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pagehide')));
  await expect(page.getByTestId('connection')).toContainText('This page may be out of date', { timeout: 25_000 });
});

test('a container whose address changes is not somebody else’s page', async ({ kit }) => {
  const [ann, op] = [await kit.person('Ann'), await kit.person('Op', 'operator')];
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  await live(page);
  await page.getByRole('form', { name: 'Acquire' }).getByLabel('Reason').fill('Typed before');
  const changed = await (await kit.api(op))('PATCH', `/containers/${slug}`, { base: 1, body: { slug: `${slug}-x` } });
  expect(changed.status).toBe(200);
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(page.getByTestId('connection')).toContainText(/moved|not at this address/, { timeout: 10_000 });
  await expect(page.getByTestId('connection')).not.toContainText('somebody else');
  kit.expectErrors(/404/);
  await page.reload();
  await expect(section(page, 'Text that is not saved').getByLabel('Reason')).toHaveValue('Typed before');
});

test('eight tabs at once all work', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const first = await kit.open(ann);
  const tabs = [first];
  for (let i = 1; i < 8; i++) tabs.push(await first.context().newPage());
  await Promise.all(tabs.map((tab) => tab.goto(`/c/${slug}/lock`)));
  for (const tab of tabs) await expect(tab.getByTestId('live').first()).toHaveAttribute('data-status', /live|polling/, { timeout: 15_000 });
  await acquire(tabs[7]!, slug, 'From the last tab');
  for (const tab of tabs) await expect(badge(tab)).toHaveText('HELD', { timeout: 15_000 });
  const held = await first.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('holdfast.stream.')).length);
  expect(held).toBeLessThanOrEqual(4);
});

test('what a live region says does not change with each tick', async ({ kit }) => {
  const slug = await kit.container({ termSeconds: HOUR });
  const page = await kit.open(await kit.person('Ann'));
  await page.clock.install();
  await acquire(page, slug, 'To chart');
  await live(page);
  await kit.pass(slug, 23 * HOUR + 40 * 60 - 60);
  await kit.rows('UPDATE lock_page SET expires_at = granted_at + interval \'24 hours\' WHERE container_id = (SELECT id FROM container WHERE slug = $1)', [slug]);
  await page.reload();
  await live(page);
  await expect(page.getByTestId('heartbeat-warning')).toContainText('The 24 h cap ends this grant');
  const said = await page.getByTestId('heartbeat-warning').textContent();
  await page.clock.runFor(180_000);
  expect(await page.getByTestId('heartbeat-warning').textContent()).toBe(said);
});
