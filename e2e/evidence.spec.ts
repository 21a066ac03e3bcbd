import { assignBlock } from '../lib/collaboration/block';
import { editCollaborationNotes } from '../lib/collaboration/notes';
import { petition } from '../lib/collaboration/petition';
import { acquire as acquireNow } from '../lib/lock-page/acquire';
import { heartbeat } from '../lib/lock-page/heartbeat';
import { land } from '../lib/register/land';
import { letHistoryPass } from '../lib/testing/world';
import { DESKTOP, expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, HOUR, MINUTE, test, type Kit } from './support/kit';
import { fact, section, told, hearNothing } from './support/steps';

const beat = async (kit: Kit, slug: string, who: { id: string }) => {
  const { revision, grant } = await kit.lock(slug);
  await heartbeat(kit.db, slug, who.id, revision, { grant });
};

test('LP-7: the clear button says when it becomes possible, cannot be sent before, and is enabled at that second by itself', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  await acquireNow(kit.db, slug, lea.id, 1, { reason: 'A short one' });
  const page = await kit.open(olga);
  await page.goto(`/c/${slug}/lock`, { waitUntil: 'networkidle' });
  await kit.pass(slug, 4 * HOUR - 9);
  const { expires_at: expiresAt } = await kit.lock(slug);
  await hearNothing(page);
  await page.reload({ waitUntil: 'networkidle' });
  const form = page.getByRole('form', { name: `Clear grant 1 of ${slug}` });
  const button = form.getByRole('button', { name: 'Clear grant 1' });

  const requests: { url: string; at: number }[] = [];
  page.on('request', (request) => requests.push({ url: request.url(), at: Date.now() }));
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(button).toHaveAccessibleDescription(/^Possible from .+, in \d+ s$/);
  await button.evaluate((element) => {
    new MutationObserver(() => {
      if (!element.hasAttribute('aria-disabled')) element.setAttribute('data-enabled-at', String(Date.now()));
    }).observe(element, { attributeFilter: ['aria-disabled'] });
  });
  await form.getByLabel('Reason').fill('No answer');
  await button.focus();
  await page.keyboard.press('Enter');
  await button.click({ force: true });
  expect(await kit.lock(slug)).toMatchObject({ holder: lea.name, revision: 2 });

  await expect(button).not.toHaveAttribute('aria-disabled', /.*/, { timeout: 20_000 });
  await expect(button).toBeFocused();
  const enabledAt = Number(await button.getAttribute('data-enabled-at'));
  const late = enabledAt - Date.parse(expiresAt);
  expect(late, 'milliseconds after the expiry').toBeGreaterThanOrEqual(0);
  expect(late, 'milliseconds after the expiry').toBeLessThan(1_500);
  expect(requests.filter(({ at, url }) => at <= enabledAt && !url.includes('/api/v1/')), 'requests in between').toEqual([]);

  await expect(page.getByTestId('badge')).toHaveText('HOLDER SILENT');
  await expect(form.getByLabel('Reason')).toHaveValue('No answer');
  await button.click();
  await expect(told(page)).toContainText('Grant 1 is cleared');
  expect(await kit.lock(slug)).toMatchObject({ holder: null, grant: 1 });
});

test('a heartbeat puts the clear off; without scripts the button posts nothing before its time', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  await acquireNow(kit.db, slug, lea.id, 1, {});
  const page = await kit.open(olga, { javaScriptEnabled: false });
  await page.goto(`/c/${slug}/lock`);
  const button = page.getByRole('button', { name: 'Clear grant 1' });
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  const posts: string[] = [];
  page.on('request', (request) => posts.push(request.method()));
  await page.getByRole('form', { name: 'Clear grant 1' }).getByLabel('Reason').fill('Too early');
  await button.click({ force: true });
  expect(posts).toEqual([]);
  await kit.pass(slug, 3 * HOUR);
  await beat(kit, slug, lea);
  await kit.pass(slug, 2 * HOUR);
  await page.reload();
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(section(page, 'What you can do')).toContainText('Possible from');
  await kit.pass(slug, 2 * HOUR);
  await page.reload();
  await expect(button).not.toHaveAttribute('aria-disabled');
});

test('the evidence of a silent holder: heartbeats that came and that did not, last edit and push, whom to ask, what is at stake', async ({ kit }) => {
  test.setTimeout(120_000);
  const [lea, ben, ann, rea] = [await kit.person('Lea'), await kit.person('Ben'), await kit.person('Ann'), await kit.person('Rea', 'reader')];
  const slug = await kit.container();
  await acquireNow(kit.db, slug, ben.id, 1, {});
  await letHistoryPass(kit.db, slug, 6 * HOUR);
  await acquireNow(kit.db, slug, lea.id, 2, { reason: 'The datum' });
  await assignBlock(kit.db, slug, lea.id, { grant: 2, title: 'Sheet 3', assignee: ann.id });
  for (const minutes of [60, 61, 59]) {
    await letHistoryPass(kit.db, slug, minutes * MINUTE);
    await beat(kit, slug, lea);
  }
  await editCollaborationNotes(kit.db, slug, lea.id, (await kit.stored(slug, 'collaboration_page', 'revision'))[0].revision, { notes: 'The plan', summary: 'Wrote the plan' });
  await land(kit.db, slug, lea.id, 'one', { grant: 2, message: 'Nothing yet', entries: [] });
  await petition(kit.db, slug, ann.id, { reason: 'Next' });

  const page = await kit.open(rea);
  await page.goto(`/c/${slug}/lock`);
  await expect(page.getByTestId('badge')).toHaveText('HELD');
  await expect(page.getByTestId('evidence')).toHaveCount(0);

  await letHistoryPass(kit.db, slug, 5 * HOUR);
  const lock = await kit.lock(slug);
  await page.goto(`/c/${slug}/lock`);
  const evidence = section(page, 'What is known of the silence');

  await test.step('in a sentence, by the holder’s own rhythm', async () => {
    await expect(evidence).toContainText(`${lea.name} has been silent for 1 h 00 min`);
    await expect(evidence).toContainText('A heartbeat was expected every 1 h 00 min, the median gap of its heartbeats: 3 did not come before the expiry.');
  });

  await test.step('as a picture that says what it shows', async () => {
    const picture = evidence.getByRole('img', { name: `Heartbeats of grant 2 of ${lea.name}` });
    await expect(picture).toHaveAccessibleDescription(/3 heartbeats came.+3 that were expected did not come/);
    await expect(picture.locator('circle.fill-held')).toHaveCount(4); // the last is drawn larger, over its own
    await expect(picture.locator('circle.stroke-silent')).toHaveCount(3);
    await expect(picture).toContainText('expired');
  });

  await test.step('in words', async () => {
    await evidence.getByText('The heartbeats in words').click();
    const rows = evidence.getByRole('list', { name: 'Heartbeats of grant 2' }).getByRole('listitem');
    await expect(rows).toHaveText([/^Granted/, ...Array(3).fill(/^Heartbeat came/), ...Array(3).fill(/^Expected, did not come/), /^Expired/, /^Now/]);
    await expect(rows.nth(3).locator('time')).toHaveAttribute('datetime', lock.last_beat_at);
    await expect(rows.nth(7).locator('time')).toHaveAttribute('datetime', lock.expires_at);
  });

  await test.step('its last edit and push, who waits, whom to ask, what ends and what is kept', async () => {
    await expect(fact(evidence, 'Last edit by the holder')).toContainText('“Wrote the plan”, on the collaboration page');
    await expect(fact(evidence, 'Last push under this grant')).toContainText('Landing 1, nothing to land');
    await expect(fact(evidence, 'Last push under this grant').getByRole('link')).toHaveAttribute('href', `/c/${slug}/register/1`);
    await expect(fact(evidence, 'Waiting')).toHaveText('1');
    const asked = evidence.getByRole('list', { name: 'Who could be asked' }).getByRole('listitem');
    await expect(asked).toHaveText([`${lea.name}(person) the holder itself`, `${ann.name}(person) has an open block, waits for the lock`, `${ben.name}(person) held it of late`]);
    await expect(evidence.getByRole('list', { name: 'Ends with the grant' })).toContainText(`block “Sheet 3” of ${ann.name} is closed`);
    await expect(evidence.getByRole('list', { name: 'Kept after the grant' })).toContainText('all that has landed');
  });

  for (const size of [DESKTOP, PHONE]) {
    await page.setViewportSize(size);
    await expectNoOverflow(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expectAccessible(page);
    }
  }
});

test('the admin page tells two silent locks of one title apart, and lists who could fall silent next', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const title = `Twins ${lea.id.slice(0, 8)}`;
  const twins = [await kit.container({ title }), await kit.container({ title })];
  for (const slug of twins) {
    await acquireNow(kit.db, slug, lea.id, 1, {});
    await kit.pass(slug, 5 * HOUR);
  }
  const [later, sooner] = [await kit.container({ termSeconds: 3000 }), await kit.container({ termSeconds: 1500 })];
  for (const slug of [later, sooner]) await acquireNow(kit.db, slug, lea.id, 1, {});
  const page = await kit.open(olga);
  await page.goto('/admin');
  for (const slug of twins) {
    const region = section(page, `${title} ${slug}`);
    await expect(region).toHaveCount(1);
    await expect(region.getByTestId('evidence')).toContainText(`${lea.name} has been silent for`);
    await expect(region.getByRole('form', { name: `Clear grant 1 of ${slug}` })).toBeVisible();
  }
  const held = section(page, 'Not silent yet').getByRole('row');
  const order = (await held.allTextContents()).map((text) => (text.includes(sooner) ? 'sooner' : text.includes(later) ? 'later' : '')).filter(Boolean);
  expect(order).toEqual(['sooner', 'later']);
  await expect(held.filter({ hasText: sooner }).locator(`time[datetime="${(await kit.lock(sooner)).expires_at}"]`).first()).toBeVisible();
  await expectAccessible(page);
});
