import { expectAccessible } from './support/checks';
import { expect, HOUR, test } from './support/kit';
import { acquire, fact, push, refusal, release, section, told, hearNothing } from './support/steps';

/** LP-7: nobody waits, and the operator clears. */
test('an operator clears a silent holder: never before the expiry, never without a reason, never another grant than it saw', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  const [lead, operator] = [await kit.open(lea), await kit.open(olga)];
  const api = await kit.api(olga);
  await acquire(lead, slug, 'Merging the glossaries');

  await test.step('not before the expiry', async () => {
    await operator.goto(`/c/${slug}/lock`);
    await expect(operator.getByRole('form', { name: 'Clear grant 1' }).getByRole('button', { name: 'Clear grant 1' })).toHaveAttribute('aria-disabled', 'true');
    await expect(section(operator, 'What you can do')).toContainText('Possible from');
    await operator.goto('/admin');
    await expect(operator.getByRole('form', { name: `Clear grant 1 of ${slug}` })).toHaveCount(0);
    await expect(section(operator, 'Not silent yet').getByRole('row').filter({ hasText: slug })).toContainText(lea.name);
    const { expires_at: expiresAt, revision } = await kit.lock(slug);
    const answer = await api('POST', `/containers/${slug}/lock/clear`, { base: revision, body: { grant: 1, reason: 'too slow' } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'not-silent', clearableAt: expiresAt } });
    expect(await kit.lock(slug)).toMatchObject({ holder: lea.name, revision });
  });

  await kit.pass(slug, 4 * HOUR);

  await test.step('not by anybody else', async () => {
    await lead.goto(`/c/${slug}/lock`);
    await expect(lead.getByTestId('badge')).toHaveText('HOLDER SILENT');
    await expect(lead.getByRole('form', { name: /^Clear grant/ })).toHaveCount(0);
    const mine = await kit.api(lea);
    expect(await mine('POST', `/containers/${slug}/lock/clear`, { base: 2, body: { grant: 1, reason: 'mine' } })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  await operator.goto('/admin');
  await expect(operator.getByRole('form', { name: `Clear grant 1 of ${slug}` })).toContainText(`Clear grant 1 of ${lea.name}`);
  await hearNothing(operator);
  await operator.goto(`/c/${slug}/lock`);
  const form = operator.getByRole('form', { name: `Clear grant 1 of ${slug}` });

  await test.step('not without a reason', async () => {
    await expect(form).toContainText(`Clear grant 1 of ${lea.name}`);
    await form.getByLabel('Reason').fill('   ');
    await form.getByRole('button', { name: 'Clear grant 1' }).click();
    await expect(form.getByRole('alert')).toContainText('Reason');
    await expect(form.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true');
    await expect(form.getByLabel('Reason')).toHaveValue('   ');
    expect(await kit.lock(slug)).toMatchObject({ holder: lea.name, revision: 2 });
    await expectAccessible(operator);
  });

  await test.step('not once the grant has moved on: the tab is stale', async () => {
    await acquire(lead, slug, 'Back again');
    await kit.pass(slug, 5 * HOUR);
    await form.getByLabel('Reason').fill('No answer by mail or phone');
    await form.getByRole('button', { name: 'Clear grant 1' }).click();
    const refused = form.getByRole('alert');
    await expect(refused).toContainText('The grant has moved on');
    await expect(fact(refused, 'Current grant')).toHaveText('2');
    await expect(form.getByLabel('Reason')).toHaveValue('No answer by mail or phone');
    expect(await kit.lock(slug)).toMatchObject({ holder: lea.name, grant: 2, revision: 3 });
    await expectAccessible(operator);
  });

  await test.step('then it is cleared, and the audit line stands on the lock page', async () => {
    await operator.goto(`/c/${slug}/lock`);
    const before = await kit.lock(slug);
    const clear = operator.getByRole('form', { name: 'Clear grant 2' });
    await clear.getByLabel('Reason').fill('No answer by mail or phone');
    await clear.getByRole('button', { name: 'Clear grant 2' }).click();
    await expect(told(operator)).toContainText('Grant 2 is cleared');
    await expect(operator.getByTestId('badge')).toHaveText('OPEN');
    await expect(operator.getByTestId('caution')).toContainText('The holder of grant 1 fell silent');

    const line = operator.getByRole('list', { name: 'Audit lines' }).getByRole('listitem').first();
    await expect(line).toContainText(olga.name);
    await expect(line).toContainText(`cleared grant 2 of ${lea.name}`);
    await expect(line).toContainText('Reason: No answer by mail or phone');
    for (const at of [before.granted_at, before.last_beat_at, before.expires_at]) await expect(line.locator(`time[datetime="${at}"]`).first()).toBeVisible();
    await expectAccessible(operator);

    const lock = await kit.lock(slug);
    expect(lock).toMatchObject({ holder: null, grant: 2, revision: 4, available_since: before.expires_at, caution_grant: 1 });
    const [audit] = await kit.rows(`SELECT a.*, r.edit_reason, r.kind FROM audit_line a JOIN lock_revision r ON r.container_id = a.container_id AND r.at = a.at WHERE a.container_id = $1 AND action = 'clear'`, [
      lock.container_id,
    ]);
    expect(audit).toMatchObject({
      actor_id: olga.id,
      grant: 2,
      reason: 'No answer by mail or phone',
      kind: 'clear',
      edit_reason: 'No answer by mail or phone',
      details: { operator: olga.name, holder: { name: lea.name }, grantedAt: before.granted_at, lastBeatAt: before.last_beat_at, expiresAt: before.expires_at },
    });
  });

  await test.step('the cleared grant can never land again', async () => {
    const dead = await kit.api(lea);
    const answer = await dead('POST', `/containers/${slug}/landings`, { key: 'late', body: { grant: 2, message: '', entries: [] } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'grant-cleared', yourGrant: 2, currentGrant: 2, holder: null } });
    expect(await kit.stored(slug, 'landing', 'sequence')).toEqual([]);
    await lead.goto('/notices');
    await expect(lead.getByRole('list', { name: 'Notices' })).toContainText(`${olga.name} cleared your grant 2, because “No answer by mail or phone”`);
  });

  await test.step('the caution ends with a push and a release', async () => {
    await acquire(lead, slug);
    await expect(lead.getByTestId('caution')).toBeVisible();
    await push(lead, slug, 'Nothing to land');
    await release(lead, slug);
    await expect(lead.getByTestId('caution')).toHaveCount(0);
  });
});

test('two operators clear at once: one does, and the other is told what stands now', async ({ kit }) => {
  const [lea, olga, omar] = [await kit.person('Lea'), await kit.person('Olga', 'operator'), await kit.person('Omar', 'operator')];
  const slug = await kit.container();
  await acquire(await kit.open(lea), slug);
  await kit.pass(slug, 4 * HOUR);
  const tabs = [await kit.open(olga), await kit.open(omar)] as const;
  for (const tab of tabs) {
    await hearNothing(tab);
    await tab.goto(`/c/${slug}/lock`);
    await tab.getByRole('form', { name: 'Clear grant 1' }).getByLabel('Reason').fill('Gone home');
  }
  await tabs[0].getByRole('button', { name: 'Clear grant 1' }).click();
  await expect(told(tabs[0])).toContainText('Grant 1 is cleared');
  await tabs[1].getByRole('button', { name: 'Clear grant 1' }).click();
  await expect(tabs[1].getByTestId('badge')).toHaveText('OPEN');
  await expect(told(tabs[1])).toContainText('The page has changed since you read it');
  expect((await kit.stored(slug, 'audit_line', 'action', 'id')).filter(({ action }) => action === 'clear')).toHaveLength(1);
});

test('a reason that is too long is refused at the field, and all of it is kept', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  await acquire(await kit.open(lea), slug);
  await kit.pass(slug, 4 * HOUR);
  const operator = await kit.open(olga);
  await operator.goto(`/c/${slug}/lock`);
  const reason = operator.getByRole('form', { name: 'Clear grant 1' }).getByLabel('Reason');
  await reason.evaluate((area: HTMLTextAreaElement) => area.removeAttribute('maxlength'));
  await reason.fill('x'.repeat(1001));
  await operator.getByRole('button', { name: 'Clear grant 1' }).click();
  await expect(refusal(operator, 'Clear grant 1')).toContainText('Reason');
  await expect(reason).toHaveValue('x'.repeat(1001));
  expect(await kit.lock(slug)).toMatchObject({ holder: lea.name });
});
