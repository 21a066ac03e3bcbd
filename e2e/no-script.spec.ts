import { expect, HOUR, test } from './support/kit';
import { refusal, section, told } from './support/steps';

/** Forms work as plain posts before scripts load (section 11); here they never do. */
test.use({ contextOptions: { javaScriptEnabled: false } });

test('without scripts: petition, acquire, lease, draft, push, release, clear', async ({ kit }) => {
  test.setTimeout(90_000);
  const [lea, ben, olga] = [await kit.person('Lea'), await kit.person('Ben'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  const lead = await kit.open(lea);
  await lead.goto(`/c/${slug}/lock`);
  await lead.getByLabel('Reason').fill('By plain posts');
  await lead.getByRole('button', { name: 'Acquire the lock' }).click();
  await expect(told(lead)).toContainText('You hold the lock, with grant 1.');
  await expect(lead.getByTestId('badge')).toHaveText('HELD');
  expect(await kit.lock(slug)).toMatchObject({ holder: lea.name, grant: 1, reason: 'By plain posts' });

  await test.step('another petitions; a blank reason is refused at its field', async () => {
    const other = await kit.open(ben);
    await other.goto(`/c/${slug}/lock`);
    await other.getByLabel('Reason').fill('  ');
    await other.getByRole('button', { name: 'Ask for the lock' }).click();
    await expect(refusal(other, 'Petition')).toContainText('Reason');
    await expect(other.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true');
    await other.getByLabel('Reason').fill('Next, please');
    await other.getByRole('button', { name: 'Ask for the lock' }).click();
    await expect(told(other)).toContainText('You are in the queue.');
    await expect(section(other, 'Queue')).toContainText('Next, please');
    await section(other, 'Queue').getByRole('button', { name: 'Withdraw' }).click();
    await expect(told(other)).toContainText('The petition is withdrawn.');
  });

  await test.step('leases', async () => {
    await lead.goto(`/c/${slug}/collaboration`);
    await lead.getByLabel('The next').fill('2');
    await lead.getByRole('button', { name: 'Lease' }).click();
    await expect(told(lead)).toContainText('HF-1 to HF-2 are leased');
  });

  await test.step('a draft with an error keeps what was typed and names the field', async () => {
    await lead.goto(`/c/${slug}/drafts`);
    const form = lead.getByRole('form', { name: 'New draft' });
    await form.getByLabel('Title').fill(' ');
    await form.getByLabel('Body').fill('\nKept, with its first line break.');
    await form.getByRole('button', { name: 'Save the draft' }).click();
    await expect(refusal(lead, 'New draft')).toContainText('Title');
    await expect(form.getByLabel('Title')).toHaveAttribute('aria-invalid', 'true');
    await expect(form.getByLabel('Body')).toHaveValue('\nKept, with its first line break.');
    await form.getByLabel('Title').fill('Plain post');
    await form.getByRole('button', { name: 'Save the draft' }).click();
    await expect(told(lead)).toContainText('The draft of HF-1 is saved.');
    expect(await kit.stored(slug, 'draft', 'title, body')).toEqual([{ title: 'Plain post', body: '\nKept, with its first line break.' }]);
  });

  await test.step('a conflict shows both sides, and saving again works', async () => {
    const tab = await kit.open(lea);
    await tab.goto(`/c/${slug}/drafts?edit=HF-1&grant=1`);
    const form = (page: typeof tab) => page.getByRole('form', { name: 'Draft of HF-1' });
    await form(tab).getByLabel('Body').fill('Mine');
    await lead.goto(`/c/${slug}/drafts?edit=HF-1&grant=1`);
    await form(lead).getByLabel('Body').fill('Theirs');
    await form(lead).getByRole('button', { name: 'Save the draft' }).click();
    await expect(told(lead)).toContainText('is saved');
    await form(tab).getByRole('button', { name: 'Save the draft' }).click();
    await expect(refusal(tab, 'Draft of HF-1').getByRole('region', { name: /^Theirs/ })).toContainText('Theirs');
    await expect(form(tab).getByLabel('Body')).toHaveValue('Mine');
    await form(tab).getByRole('button', { name: 'Save again, on revision 2' }).click();
    await expect(told(tab)).toContainText('is saved');
    expect(await kit.stored(slug, 'draft', 'revision, body')).toEqual([{ revision: 3, body: 'Mine' }]);
  });

  await test.step('pushes, heartbeats and releases', async () => {
    await lead.goto(`/c/${slug}/drafts`);
    await lead.getByLabel('Message').fill('One entry');
    await lead.getByRole('button', { name: 'Push' }).click();
    await expect(lead).toHaveURL(/\/register\/1$/);
    await expect(told(lead)).toContainText('Landing 1 is in the register');
    // A reload after a push posts nothing again.
    await lead.reload();
    await lead.goto(`/c/${slug}/lock`);
    await lead.getByRole('button', { name: 'Heartbeat' }).click();
    await expect(told(lead)).toContainText('the grant is extended');
    await lead.getByRole('button', { name: 'Release' }).click();
    await expect(told(lead)).toContainText('You released grant 1.');
    await expect(lead.getByTestId('badge')).toHaveText('OPEN');
    expect(await kit.stored(slug, 'landing', 'sequence')).toEqual([{ sequence: 1 }]);
  });

  await test.step('an operator clears', async () => {
    await lead.goto(`/c/${slug}/lock`);
    await lead.getByRole('button', { name: 'Acquire the lock' }).click();
    await expect(told(lead)).toContainText('grant 2');
    await kit.pass(slug, 5 * HOUR);
    const operator = await kit.open(olga);
    await operator.goto(`/c/${slug}/lock`);
    const form = operator.getByRole('form', { name: 'Clear grant 2' });
    await form.getByRole('button', { name: 'Clear grant 2' }).click();
    await expect(form.getByRole('alert')).toContainText('Reason');
    await form.getByLabel('Reason').fill('Gone');
    await form.getByRole('button', { name: 'Clear grant 2' }).click();
    await expect(told(operator)).toContainText('Grant 2 is cleared');
    await expect(operator.getByRole('list', { name: 'Audit lines' })).toContainText('Reason: Gone');
  });

  await test.step('a superseded push is refused with its receipt', async () => {
    await lead.goto(`/c/${slug}/lock`);
    await lead.getByRole('button', { name: 'Acquire the lock' }).click();
    await expect(told(lead)).toContainText('grant 3');
    await lead.goto(`/c/${slug}/drafts`);
    await kit.pass(slug, 5 * HOUR);
    const other = await kit.open(ben);
    await other.goto(`/c/${slug}/lock`);
    await other.getByRole('button', { name: 'Acquire the lock' }).click();
    await expect(told(other)).toContainText('grant 4');
    await lead.getByRole('button', { name: 'Push nothing' }).click();
    // The form is gone with the grant, so the page itself tells.
    await expect(told(lead)).toContainText('A later grant exists');
    await expect(told(lead)).toContainText(`Your grant: 3. Current grant: 4, held by ${ben.name}.`);
  });
});

test('without scripts: signing in fails with the name kept, signing out ends the session', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const page = await kit.open();
  await page.goto('/sign-in');
  await page.getByLabel('Name').fill(ann.name);
  await page.getByLabel('Password').fill('not it');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(refusal(page, 'Sign in')).toContainText('The name or the password is wrong.');
  await expect(page.getByLabel('Name')).toHaveValue(ann.name);
  await expect(page.getByLabel('Password')).toHaveValue('');
  await page.getByLabel('Password').fill(ann.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(told(page)).toContainText('Signed in');
  await page.getByText(`Account: ${ann.name}`).click();
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByText(`Account: ${ann.name}`).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(told(page)).toContainText('Signed out.');
  expect(await kit.rows('SELECT 1 FROM auth_session WHERE "userId" = $1', [ann.id])).toEqual([]);
});
