import { acquire, told } from './support/steps';
import { expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, HOUR, test } from './support/kit';

test('Q-5: the holder’s inbox tells who waits and why, and leads to the lock page', async ({ kit }) => {
  const [lea, ann] = [await kit.person('Lea'), await kit.person('Ann')];
  const slug = await kit.container();
  const page = await kit.open(lea);
  await page.goto('/notices');
  await expect(page.getByRole('main')).toContainText('Nothing to tell yet');
  await expectAccessible(page);
  await acquire(page, slug);

  const waiter = await kit.open(ann);
  await waiter.goto(`/c/${slug}/lock`);
  await waiter.getByLabel('Reason').fill('Chapter two is due');
  await waiter.getByRole('button', { name: 'Ask for the lock' }).click();
  await expect(told(waiter)).toContainText('You are in the queue.');

  await page.goto('/notices');
  const notice = page.getByRole('list', { name: 'Notices' }).getByRole('listitem').filter({ hasText: 'Chapter two is due' });
  await expect(notice).toContainText(`${ann.name} waits, because “Chapter two is due”.`);
  await expect(notice).toContainText('unread');
  await expect(notice).toContainText('Next: Nothing is forced');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectNoOverflow(page);

  await notice.getByRole('button', { name: 'Mark as read' }).click();
  await expect(told(page)).toContainText('It is marked as read.');
  await expect(notice).not.toContainText('unread');
  await page.getByRole('link', { name: 'Unread (0)' }).click();
  await expect(page.getByRole('main')).toContainText('You have read everything');
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByRole('link', { name: `Lock page of The handbook ${slug}` }).click();
  await expect(page).toHaveURL(`${kit.address}/c/${slug}/lock`);
});

test('an operator’s inbox tells of a holder that fell silent, the holder’s that its grant ran out; all are marked as read', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  const holder = await kit.open(lea);
  await acquire(holder, slug);
  await kit.pass(slug, 4 * HOUR + 1);

  await expect.poll(() => kit.rows(`SELECT kind FROM notice WHERE principal_id = $1`, [lea.id])).toEqual([{ kind: 'grant-expired' }]);
  await holder.goto('/notices');
  await expect(holder.getByRole('list', { name: 'Notices' })).toContainText('Your grant 1 ran past its expiry. Nothing under it can land; what you wrote is kept.');

  const page = await kit.open(olga);
  await page.goto('/notices?show=unread');
  const notice = page.getByRole('list', { name: 'Notices' }).getByRole('listitem').filter({ hasText: lea.name });
  await expect(notice.getByRole('heading', { name: `${lea.name} fell silent` })).toBeVisible();
  await expect(notice.getByRole('link', { name: `Lock page of The handbook ${slug}` })).toHaveAttribute('href', `/c/${slug}/lock`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(told(page)).toContainText('Your notices are marked as read.');
  await expect(notice).toHaveCount(0);
});
