import { openReceiver, type Receiver } from '../lib/testing/receiver';
import { acquire, refusal, told } from './support/steps';
import { expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, test } from './support/kit';

let receiver: Receiver;
test.beforeEach(async () => {
  receiver = await openReceiver();
});
test.afterEach(() => receiver.close());

test('an operator adds a webhook, sees its secret once, tests it, and reads how deliveries went', async ({ kit }) => {
  const [olga, lea] = [await kit.person('Olga', 'operator'), await kit.person('Lea')];
  const slug = await kit.container();
  const page = await kit.open(olga);
  await page.goto(`/c/${slug}/settings`);
  await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click();
  await expect(page.getByRole('main')).toContainText('No webhooks');
  await expectAccessible(page);

  const form = page.getByRole('form', { name: 'Add a webhook' });
  await form.getByLabel('Address', { exact: true }).fill(receiver.url);
  await form.getByRole('button', { name: 'Add the webhook' }).click();
  await expect(refusal(page, 'Add a webhook')).toContainText('is not a public address');
  await expect(form.getByLabel('Address', { exact: true })).toHaveValue(receiver.url);
  await form.getByLabel('Allow private addresses').check();
  await form.getByRole('button', { name: 'Add the webhook' }).click();
  const secret = await page.getByTestId('once').innerText();
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByTestId('once')).toHaveCount(0);
  await expect(page.getByRole('main')).not.toContainText(secret);

  await page.getByRole('table', { name: 'Webhooks' }).getByRole('link', { name: receiver.url }).click();
  await expect(page.getByRole('main')).toContainText('Nothing was sent yet');
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(told(page)).toContainText('A ping is on its way.');
  await expect.poll(() => receiver.posts.map((p) => JSON.parse(p.text).type)).toEqual(['ping']);
  const log = page.getByRole('table', { name: 'Deliveries' });
  await expect(async () => {
    await page.getByRole('link', { name: 'Look again' }).click();
    await expect(log.getByRole('row').filter({ hasText: 'ping' })).toContainText('delivered', { timeout: 500 });
  }).toPass();
  await expect(log).toContainText('thanks');

  receiver.answer = { status: 500, body: 'out of order' };
  await acquire(await kit.open(lea), slug);
  await expect.poll(() => kit.rows(`SELECT state FROM webhook_delivery WHERE type = 'lock.acquired' AND webhook_id = (SELECT id FROM webhook WHERE url = $1)`, [receiver.url])).toEqual([{ state: 'failed' }]);
  receiver.answer = { status: 204 };
  await page.reload();
  const row = log.getByRole('row').filter({ hasText: 'lock.acquired' });
  await expect(row).toContainText('500');
  await expectAccessible(page);
  await page.setViewportSize(PHONE);
  await expectNoOverflow(page);
  await expect.poll(() => kit.rows(`SELECT state FROM webhook_delivery WHERE type = 'lock.acquired' AND webhook_id = (SELECT id FROM webhook WHERE url = $1)`, [receiver.url]), { timeout: 20_000 }).toEqual([{ state: 'delivered' }]);
  await page.reload();
  await row.getByRole('button', { name: 'Send again' }).click();
  await expect(told(page)).toContainText('It is sent again.');
  await expect.poll(() => receiver.posts.length).toBe(4);
});

test('an operator switches a webhook off and on, gives it a new secret, and removes it', async ({ kit }) => {
  const olga = await kit.person('Olga', 'operator');
  const slug = await kit.container();
  const call = await kit.api(olga);
  const { body } = await call('POST', `/containers/${slug}/webhooks`, { body: { url: receiver.url, allowPrivate: true } });
  const page = await kit.open(olga);
  await page.goto(`/c/${slug}/settings/webhooks/${body.id}`);
  await page.getByRole('button', { name: 'Switch off' }).click();
  await expect(told(page)).toContainText('The webhook is switched off.');
  await page.getByRole('button', { name: 'Switch on' }).click();
  await expect(told(page)).toContainText('The webhook is switched on.');
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  const secret = await page.getByTestId('once').innerText();
  expect(secret).toMatch(/^whsec_/);
  expect(secret).not.toBe(body.secret);
  await page.getByRole('button', { name: 'Remove this webhook' }).click();
  await expect(page).toHaveURL(`${kit.address}/c/${slug}/settings/webhooks`);
  await expect(page.getByRole('main')).toContainText('No webhooks');
});

test('nobody but operators sees webhooks', async ({ kit }) => {
  const slug = await kit.container();
  const page = await kit.open(await kit.person('Ann'));
  await page.goto(`/c/${slug}/settings/webhooks`);
  await expect(page.getByRole('main')).toContainText('This page is for operators');
});
