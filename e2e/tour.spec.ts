/** A newcomer goes once all the way through, led by the page. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from './support/kit';

test('the guided first visit leads through petition, turn, acquire, lease, draft, push and release', async ({ kit }) => {
  const page = await kit.open(await kit.person('Newcomer'));
  const tour = page.getByRole('complementary', { name: 'Guided first visit' });
  const step = (title: string) => expect(tour.getByRole('heading', { name: title })).toBeVisible({ timeout: 15_000 });
  await page.goto('/');
  await tour.getByRole('button', { name: 'Show me' }).click();

  await step('Ask for the lock');
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  const petition = page.getByRole('form', { name: 'Petition', exact: true });
  await petition.getByLabel('Reason').fill('To see how it goes');
  await petition.getByRole('button').click();

  await step('Wait for your turn');
  await step('Acquire the lock');
  await page.getByRole('button', { name: 'Acquire the lock' }).click();

  await step('Lease some identifiers');
  await tour.getByRole('link', { name: 'Go to collaboration' }).click();
  const lease = page.getByRole('form', { name: 'Lease identifiers' });
  await lease.getByLabel('The next').fill('3');
  await lease.getByRole('button', { name: 'Lease' }).click();

  await step('Write a draft');
  await expect(tour).toContainText('PR-1');
  await tour.getByRole('link', { name: 'Go to drafts' }).click();
  const draft = page.getByRole('form', { name: 'New draft' });
  await draft.getByLabel('Title').fill('My first entry');
  await draft.getByLabel('Body').fill('Seven fathoms.');
  await draft.getByRole('button', { name: 'Save the draft' }).click();

  await step('Push your draft');
  const push = page.getByRole('form', { name: 'Push' });
  await push.getByLabel('Message').fill('The first entry');
  await push.getByRole('button', { name: 'Push', exact: true }).click();

  await step('Release the lock');
  await tour.getByRole('link', { name: 'Go to the lock page' }).click();
  await page.getByRole('form', { name: 'Release' }).getByRole('button', { name: 'Release' }).click();
  await step('That is all there is to it');
  await tour.getByRole('button', { name: 'Close' }).click();
  await expect(tour).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(tour).toHaveCount(0);
});

test('whoever does not want it is not asked again, and a reader is not asked at all', async ({ kit }) => {
  const page = await kit.open(await kit.person('Newcomer'));
  const tour = page.getByRole('complementary', { name: 'Guided first visit' });
  await page.goto('/');
  await tour.getByRole('button', { name: 'Not now' }).click();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Board' })).toBeVisible();
  await expect(tour).toHaveCount(0);
  const reader = await kit.open(await kit.person('Reader', 'reader'));
  await reader.goto('/');
  await expect(reader.getByRole('heading', { level: 1, name: 'Board' })).toBeVisible();
  await expect(reader.getByRole('complementary', { name: 'Guided first visit' })).toHaveCount(0);
});
