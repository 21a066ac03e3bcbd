import { expectAccessible } from './support/checks';
import { expect, HOUR, test } from './support/kit';
import { acquire, leaseNext, push, refusal, release, section, told, writeDraft } from './support/steps';

test('a lead leases, assigns, drafts, pushes and releases through forms alone', async ({ kit }) => {
  const [lea, ben] = [await kit.person('Lea'), await kit.person('Ben')];
  const slug = await kit.container({ prefix: 'GL' });
  const [lead, helper] = [await kit.open(lea), await kit.open(ben)];
  await acquire(lead, slug, 'New terms');
  await expect(lead.getByRole('main')).toContainText('New terms');

  await test.step('leases the next n, and a range', async () => {
    await leaseNext(lead, slug, 3);
    await expect(told(lead)).toContainText(`GL-1 to GL-3 are leased to ${lea.name}.`);
    const form = lead.getByRole('form', { name: 'Lease identifiers' });
    await form.getByLabel('To').selectOption({ label: ben.name });
    await form.getByLabel('From').fill('10');
    await form.getByLabel('Through').fill('12');
    await form.getByRole('button', { name: 'Lease' }).click();
    await expect(told(lead)).toContainText(`GL-10 to GL-12 are leased to ${ben.name}.`);
    await expect(lead.getByRole('table', { name: 'Leases' }).getByRole('row').filter({ hasText: 'GL-10 to GL-12' })).toContainText('active');
  });

  await test.step('is told of a range that is taken, and of one that is none', async () => {
    const form = lead.getByRole('form', { name: 'Lease identifiers' });
    await form.getByLabel('From').fill('2');
    await form.getByLabel('Through').fill('20');
    await form.getByRole('button', { name: 'Lease' }).click();
    await expect(refusal(lead, 'Lease identifiers')).toContainText('The range is taken');
    await expect(form.getByLabel('From')).toHaveValue('2');
    await form.getByLabel('Through').fill('1');
    await form.getByRole('button', { name: 'Lease' }).click();
    await expect(refusal(lead, 'Lease identifiers')).toContainText('must not be below from');
    await expect(form.getByLabel('Through')).toHaveAttribute('aria-invalid', 'true');
    await expectAccessible(lead);
    expect(await kit.stored(slug, 'lease', 'ids::text, state', 'at')).toEqual([
      { ids: '[1,4)', state: 'active' },
      { ids: '[10,13)', state: 'active' },
    ]);
  });

  await test.step('assigns a block, and its assignee marks it done in a browser of its own', async () => {
    await lead.goto(`/c/${slug}/collaboration`);
    const form = lead.getByRole('form', { name: 'Assign a block' });
    await form.getByLabel('Title').fill('Tide terms');
    await form.getByLabel('Description').fill('From the *tables*.');
    await form.getByLabel('Assignee').selectOption({ label: ben.name });
    await form.getByLabel('Lease').selectOption({ label: `GL-10 to GL-12, ${ben.name}` });
    await form.getByRole('button', { name: 'Assign' }).click();
    await expect(told(lead)).toContainText(`“Tide terms” is assigned to ${ben.name}.`);

    await helper.goto('/notices');
    await expect(helper.getByRole('list', { name: 'Notices' })).toContainText(`${lea.name} assigned you “Tide terms”`);
    await helper.goto(`/c/${slug}/collaboration`);
    await expect(helper.getByRole('form', { name: 'Assign a block' })).toHaveCount(0);
    await helper.getByRole('form', { name: 'Mark “Tide terms”' }).getByRole('button', { name: 'Done' }).click();
    await expect(told(helper)).toContainText('“Tide terms” is marked done.');
    expect(await kit.stored(slug, 'block', 'state, title')).toEqual([{ state: 'done', title: 'Tide terms' }]);
  });

  await test.step('writes, edits and deletes drafts', async () => {
    await writeDraft(lead, slug, { title: 'Neap tide', body: 'The smallest range.' });
    await expect(lead).toHaveURL(/edit=GL-1&/);
    const form = lead.getByRole('form', { name: 'Draft of GL-1' });
    await form.getByLabel('Body').fill('The smallest range of the fortnight.');
    await form.getByRole('button', { name: 'Save the draft' }).click();
    await expect(lead.getByRole('list', { name: 'Drafts' })).toContainText('revision 2');
    await writeDraft(lead, slug, { title: 'To be dropped', body: 'x' });
    await lead.getByRole('form', { name: 'Delete the draft of GL-2' }).getByRole('button').click();
    await expect(told(lead)).toContainText('The draft of GL-2 is deleted.');
    await expect(lead.getByRole('list', { name: 'Drafts' })).not.toContainText('To be dropped');
  });

  await test.step('cannot release before a push', async () => {
    await lead.goto(`/c/${slug}/lock`);
    await lead.getByRole('button', { name: 'Release' }).click();
    await expect(refusal(lead, 'Release')).toContainText('Push before you release');
    expect(await kit.lock(slug)).toMatchObject({ holder: lea.name });
  });

  await test.step('pushes, keeping a lease; a double click lands once', async () => {
    await lead.goto(`/c/${slug}/drafts`);
    const form = lead.getByRole('form', { name: 'Push' });
    await form.getByRole('checkbox', { name: `GL-10 to GL-12, ${ben.name}` }).check();
    await form.getByLabel('Message').fill('The first term');
    await form.getByRole('button', { name: 'Push' }).dblclick();
    await lead.waitForURL(/\/register\/1$/);
    await expect(told(lead)).toContainText('Landing 1 is in the register, with 1 entry.');
    await expect(section(lead, 'Landing 1')).toContainText('GL-1 to GL-3');
    expect(await kit.stored(slug, 'landing', `sequence, message, entries->0->>'identifier' AS identifier`, 'sequence')).toEqual([{ sequence: 1, message: 'The first term', identifier: 'GL-1' }]);
    expect(await kit.stored(slug, 'lease', 'ids::text, state', 'at')).toMatchObject([{ state: 'reclaimed' }, { ids: '[10,13)', state: 'active' }]);
    expect(await kit.stored(slug, 'draft', 'state', 'number')).toEqual([{ state: 'landed' }, { state: 'deleted' }]);
  });

  await test.step('pushes nothing, and releases', async () => {
    await push(lead, slug, 'Nothing to land');
    await expect(lead.getByRole('main')).toContainText('there was nothing to land');
    await release(lead, slug);
    await expect(lead.getByTestId('badge')).toHaveText('OPEN');
    expect(await kit.lock(slug)).toMatchObject({ holder: null, grant: 1 });
    expect(await kit.stored(slug, 'lock_grant', 'number, ended_by, pushes')).toEqual([{ number: 1, ended_by: 'release', pushes: 2 }]);
    expect(await kit.stored(slug, 'lease', 'state')).toEqual([{ state: 'reclaimed' }, { state: 'reclaimed' }]);
  });
});

test('two tabs edit one draft: the later keeps what it typed, sees both, and can save again', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const first = await kit.open(lea);
  await acquire(first, slug);
  await leaseNext(first, slug, 2);
  await writeDraft(first, slug, { title: 'Spring tide', body: 'The greatest range.\n\nTwice a month.' });
  const second = await kit.open(lea);
  await second.goto(`/c/${slug}/drafts?edit=HF-1&grant=1`);

  const body = (page: typeof first) => page.getByRole('form', { name: 'Draft of HF-1' }).getByLabel('Body');
  await body(second).fill('The greatest range.\n\nTwice a month, after the full and the new moon.');
  await body(first).fill('The greatest range of the fortnight.\n\nTwice a month.');
  await first.getByRole('button', { name: 'Save the draft' }).click();
  await expect(first.getByRole('list', { name: 'Drafts' })).toContainText('revision 2');

  await second.getByRole('button', { name: 'Save the draft' }).click();
  const conflict = refusal(second, 'Draft of HF-1');
  await expect(conflict).toContainText('The page has changed since you read it');
  await expect(conflict.getByRole('region', { name: /^Yours/ })).toContainText('after the full and the new moon');
  await expect(conflict.getByRole('region', { name: /^Theirs/ })).toContainText('of the fortnight');
  await expect(conflict.getByRole('region', { name: 'What you began with' })).toContainText('The greatest range.');
  await expect(body(second)).toHaveValue('The greatest range.\n\nTwice a month, after the full and the new moon.');
  await expectAccessible(second);

  await conflict.getByRole('button', { name: 'Take theirs' }).click();
  await expect(body(second)).toHaveValue('The greatest range of the fortnight.\n\nTwice a month.');
  await conflict.getByRole('button', { name: 'Back to yours' }).click();
  await expect(body(second)).toHaveValue('The greatest range.\n\nTwice a month, after the full and the new moon.');
  await conflict.getByRole('button', { name: 'Put both together' }).click();
  const both = 'The greatest range of the fortnight.\n\nTwice a month, after the full and the new moon.';
  await expect(body(second)).toHaveValue(both);
  await second.getByRole('button', { name: 'Save again, on revision 2' }).click();
  await expect(second.getByRole('list', { name: 'Drafts' })).toContainText('revision 3');
  expect(await kit.stored(slug, 'draft', 'revision, body')).toEqual([{ revision: 3, body: both }]);
});

test('what was typed survives a reload, a lost connection and an ended session', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await acquire(page, slug);
  await leaseNext(page, slug, 1);
  await page.goto(`/c/${slug}/drafts`);
  const form = page.getByRole('form', { name: 'New draft' });
  await form.getByLabel('Title').fill('Half written');
  await form.getByLabel('Body').fill('Not yet saved.');
  await page.reload();
  await expect(form).toContainText('Text that you had not saved was put back.');
  await expect(form.getByLabel('Title')).toHaveValue('Half written');
  await expect(form.getByLabel('Body')).toHaveValue('Not yet saved.');

  kit.expectErrors(/ERR_INTERNET_DISCONNECTED/);
  await page.context().setOffline(true);
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(form.getByRole('alert')).toContainText('The server could not be reached');
  await expect(form.getByLabel('Body')).toHaveValue('Not yet saved.');
  await page.context().setOffline(false);

  await kit.rows('DELETE FROM auth_session WHERE "userId" = $1', [lea.id]);
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(form.getByRole('alert')).toContainText('Your session has ended');
  await expect(form.getByLabel('Body')).toHaveValue('Not yet saved.');
  await form.getByRole('link', { name: 'Sign in again' }).click();
  await page.getByLabel('Name').fill(lea.name);
  await page.getByLabel('Password').fill(lea.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/c/${slug}/drafts`);
  await expect(form.getByLabel('Body')).toHaveValue('Not yet saved.');
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(told(page)).toContainText('The draft of HF-1 is saved.');
  await page.goto(`/c/${slug}/drafts`);
  await expect(form.getByLabel('Title')).toHaveValue('');
});

test('a draft has its history, and old revisions are restored', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await acquire(page, slug);
  await leaseNext(page, slug, 1);
  await writeDraft(page, slug, { title: 'Ebb', body: 'First words.' });
  const form = page.getByRole('form', { name: 'Draft of HF-1' });
  await form.getByLabel('Body').fill('Other words.');
  await form.getByRole('button', { name: 'Save the draft' }).click();
  await expect(page.getByRole('list', { name: 'Drafts' })).toContainText('revision 2');
  await page.getByRole('list', { name: 'Revisions of this draft' }).getByRole('link', { name: 'What changed in revision 1' }).click();
  await expect(section(page, 'Body, revision 1 to now')).toContainText('removed: First words.');
  await page.getByRole('button', { name: 'Restore revision 1' }).click();
  await expect(page.getByRole('list', { name: 'Drafts' })).toContainText('revision 3');
  await expect(form.getByLabel('Body')).toHaveValue('First words.');
  expect(await kit.stored(slug, 'draft', 'revision, body')).toEqual([{ revision: 3, body: 'First words.' }]);
});

test('drafts of a grant that ended are kept for their author, who copies them to a later one', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await acquire(page, slug);
  await leaseNext(page, slug, 1);
  await writeDraft(page, slug, { title: 'Left over', body: 'Unpushed.' });
  await kit.pass(slug, 5 * HOUR);
  await page.goto(`/c/${slug}/drafts`);
  const kept = page.getByRole('list', { name: 'Drafts of earlier grants' });
  await expect(kept).toContainText('Left over');
  await expect(page.getByRole('button', { name: 'Copy to grant' })).toHaveCount(0);
  await acquire(page, slug);
  await leaseNext(page, slug, 1);
  await page.goto(`/c/${slug}/drafts`);
  await kept.getByRole('button', { name: 'Copy to grant 2' }).click();
  await expect(told(page)).toContainText('The draft of HF-1 is copied to grant 2.');
  await push(page, slug, 'From the grave, under a living grant');
  expect(await kit.stored(slug, 'entry_revision', '"grant", title, body')).toEqual([{ grant: 2, title: 'Left over', body: 'Unpushed.' }]);
});
