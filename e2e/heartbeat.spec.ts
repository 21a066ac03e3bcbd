/** LP-5 in the browser: beats while somebody works, visibly, never for a page that nobody touches. */
import type { Page } from '@playwright/test';
import { expect, test, HOUR, MINUTE } from './support/kit';
import { acquire, badge, section } from './support/steps';

const beats = (page: Page) => section(page, 'Heartbeats');

test('a lead’s page beats by itself, and the grant outlives its term many times', async ({ kit }) => {
  const [ann, bea] = [await kit.person('Ann'), await kit.person('Bea')];
  const slug = await kit.container({ termSeconds: 6 });
  const [lead, other] = [await kit.open(ann), await kit.open(bea)];
  await acquire(lead, slug, 'To chart');
  await other.goto(`/c/${slug}/lock`);
  await expect(beats(lead)).toContainText('Heartbeats are on');
  const kinds = () => kit.stored(slug, 'lock_revision', 'kind', 'revision');
  await expect.poll(async () => (await kinds()).filter((r) => r.kind === 'heartbeat').length, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
  const lock = await kit.lock(slug);
  expect(Date.parse(lock.expires_at) - Date.parse(lock.granted_at)).toBeGreaterThan(12_000);
  await expect(badge(other)).toHaveText('HELD');
  await expect(beats(other)).toHaveCount(0);
});

test('turned off, it beats no more, also after a reload; the holder falls silent', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container({ termSeconds: 8 });
  const lead = await kit.open(ann);
  await acquire(lead, slug, 'To chart');
  await beats(lead).getByRole('switch').click();
  await expect(beats(lead)).toContainText('Heartbeats are off');
  await lead.reload();
  await expect(beats(lead).getByRole('switch')).not.toBeChecked();
  await expect(badge(lead)).toHaveText('HOLDER SILENT', { timeout: 15_000 });
  await expect(lead.getByTestId('grant-ended')).toContainText('Your grant 1 has ended');
  await expect(beats(lead)).toHaveCount(0);
});

test('a forgotten tab holds no lock: it warns, and stops when nobody has touched it for the time that was set', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container({ termSeconds: 6 });
  const lead = await kit.open(ann);
  await lead.addInitScript(() => localStorage.setItem('holdfast.heartbeat.idle', '12'));
  await acquire(lead, slug, 'To chart');
  await expect(beats(lead).getByLabel('Stop heartbeats when nobody has touched a page for')).toHaveValue('12');
  await expect(lead.getByTestId('heartbeat-warning')).toContainText('Are you still there?', { timeout: 15_000 });
  // A touch, and it goes on.
  await lead.mouse.move(10, 10);
  await lead.mouse.down();
  await lead.mouse.up();
  await expect(lead.getByTestId('heartbeat-warning')).not.toContainText('Are you still there?');
  await expect(lead.getByTestId('heartbeat-warning')).toContainText('Heartbeats have stopped', { timeout: 20_000 });
  await expect(badge(lead)).toHaveText('HOLDER SILENT', { timeout: 15_000 });
});

test('warnings come before the end, and before the 24 h cap', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const lead = await kit.open(ann);
  await acquire(lead, slug, 'To chart');
  await beats(lead).getByRole('switch').click();
  await expect(beats(lead)).toContainText('Heartbeats are off');
  await kit.pass(slug, 4 * HOUR - 5 * MINUTE);
  await lead.reload();
  await expect(lead.getByTestId('heartbeat-warning')).toContainText('ends in less than 10 min');
  await beats(lead).getByRole('switch').click();
  await expect.poll(async () => (await kit.lock(slug)).one_term).toBe(true);
  await expect(lead.getByTestId('heartbeat-warning')).toBeEmpty();
  // A beat of the page’s own that is under way would put the grant back where it was before time passed.
  await beats(lead).getByRole('switch').click();
  for (let hours = 0; hours < 17; hours += 3) {
    await kit.pass(slug, 3 * HOUR);
    const api = await kit.api(ann);
    const { revision } = await kit.lock(slug);
    await api('POST', `/containers/${slug}/lock/heartbeat`, { base: revision, body: { grant: 1 } });
  }
  await kit.pass(slug, 2 * HOUR - 10 * MINUTE);
  await lead.reload();
  await expect(lead.getByTestId('heartbeat-warning')).toContainText('The 24 h cap ends this grant');
});
