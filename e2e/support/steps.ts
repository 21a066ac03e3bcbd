/** Steps that many tests take, through pages alone, and locators for what has no name of its own. */
import { expect, type Locator, type Page } from '@playwright/test';

type Account = { name: string; password: string };

/** Fills in and sends the form that is shown. */
export async function sendSignIn(page: Page, who: Account): Promise<void> {
  const form = page.getByRole('form', { name: 'Sign in' });
  await form.getByLabel('Name').fill(who.name);
  await form.getByLabel('Password').fill(who.password);
  await form.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in through the form. Works without scripts too. */
export async function signIn(page: Page, who: Account, to?: string): Promise<void> {
  await page.goto(to === undefined ? '/sign-in' : `/sign-in?to=${encodeURIComponent(to)}`);
  await sendSignIn(page, who);
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** Opens the viewer's own menu. */
export async function openAccount(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account: / }).click();
  await expect(page.getByRole('menu')).toBeVisible();
}

/** Signs out by the viewer's own menu. */
export async function signOut(page: Page): Promise<void> {
  await openAccount(page);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(told(page)).toContainText('Signed out');
}

/** Has a page hear nothing new: its stream says nothing, and the answers to its questions are older than itself. What it shows may be old without its knowing. */
export async function hearNothing(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/events\?/, (route) => route.fulfill({ contentType: 'text/event-stream', body: 'retry: 600000\n\n' }));
  await page.route(/\/api\/v1\/state\?/, async (route) => {
    const { now, viewer, containers } = await (await route.fetch()).json();
    const old = '2000-01-01T00:00:00.000000Z';
    await route.fulfill({ json: { now, viewer, containers: containers.map((c: { face: object }) => ({ ...c, face: { ...c.face, now: old } })) } });
  });
}

/** The badge of a container's page, or the first on the board. */
export const badge = (page: Page): Locator => page.getByTestId('badge').first();

/** Waits until a page follows by itself. */
export const live = (page: Page): Promise<void> => expect(page.getByTestId('live').first()).toHaveAttribute('data-status', 'live');

/** The one live region: what a form changed is told there. */
export const told = (page: Page): Locator => page.getByTestId('live-region');

/** What a form was refused with. */
export const refusal = (page: Page, form: string): Locator => page.getByRole('form', { name: form }).getByRole('alert');

/** A section by its heading. */
export const section = (page: Page, title: string | RegExp): Locator => page.getByRole('region', { name: title, exact: typeof title === 'string' });

/** The value of a labelled fact, or of a receipt's member. */
export const fact = (within: Page | Locator, label: string): Locator =>
  within.locator('dt', { hasText: new RegExp(`^${label}$`) }).locator('xpath=following-sibling::dd[1]');

/** The board's row of a container. */
export async function boardRow(page: Page, slug: string): Promise<Locator> {
  await page.goto(`/?q=${slug}`);
  return page.getByRole('table', { name: 'Containers' }).getByRole('row').filter({ has: page.locator(`a[href="/c/${slug}"]`) });
}

/** Asks for the lock on the lock page. */
export async function petition(page: Page, slug: string, reason: string): Promise<void> {
  await page.goto(`/c/${slug}/lock`);
  const form = page.getByRole('form', { name: 'Petition', exact: true });
  await form.getByLabel('Reason').fill(reason);
  await form.getByRole('button', { name: 'Ask for the lock' }).click();
  await expect(told(page)).toContainText('You are in the queue.');
}

/** Acquires on the lock page. */
export async function acquire(page: Page, slug: string, reason?: string): Promise<void> {
  await page.goto(`/c/${slug}/lock`);
  const form = page.getByRole('form', { name: 'Acquire' });
  if (reason !== undefined) await form.getByLabel('Reason').fill(reason);
  await form.getByRole('button', { name: 'Acquire the lock' }).click();
  await expect(told(page)).toContainText('You hold the lock');
}

/** Leases the next `count` identifiers to the lead itself. */
export async function leaseNext(page: Page, slug: string, count: number): Promise<void> {
  await page.goto(`/c/${slug}/collaboration`);
  const form = page.getByRole('form', { name: 'Lease identifiers' });
  await form.getByLabel('The next').fill(String(count));
  await form.getByRole('button', { name: 'Lease' }).click();
  await expect(told(page)).toContainText('leased to');
}

/** Saves a new draft under the identifier that the page suggests, or another. */
export async function writeDraft(page: Page, slug: string, draft: { title: string; body: string; identifier?: string }): Promise<void> {
  await page.goto(`/c/${slug}/drafts`);
  const form = page.getByRole('form', { name: 'New draft' });
  if (draft.identifier !== undefined) await form.getByLabel('Identifier').fill(draft.identifier);
  await form.getByLabel('Title').fill(draft.title);
  await form.getByLabel('Body').fill(draft.body);
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(told(page)).toContainText('is saved');
}

/** Pushes what is ticked on the drafts page; with nothing there, says so. */
export async function push(page: Page, slug: string, message: string): Promise<void> {
  await page.goto(`/c/${slug}/drafts`);
  const form = page.getByRole('form', { name: 'Push' });
  await form.getByLabel('Message').fill(message);
  await form.getByRole('button', { name: /^Push( nothing)?$/ }).click();
  await page.waitForURL(/\/register\/\d+$/);
}

/** Releases on the lock page. */
export async function release(page: Page, slug: string): Promise<void> {
  await page.goto(`/c/${slug}/lock`);
  await page.getByRole('form', { name: 'Release' }).getByRole('button', { name: 'Release' }).click();
  await expect(told(page)).toContainText('You released grant');
}
