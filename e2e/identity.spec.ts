import { expectAccessible } from './support/checks';
import { expect, test } from './support/kit';
import { acquire, refusal, section, signIn, signOut, told } from './support/steps';

test('signing in fails with the name kept, succeeds, comes back to where one was, and signing out ends the session', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container({ public: true });
  const page = await kit.open();
  await page.goto(`/c/${slug}/lock`);
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill(ann.name);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(refusal(page, 'Sign in')).toContainText('Not signed in');
  await expect(refusal(page, 'Sign in')).toContainText('The name or the password is wrong.');
  await expect(page.getByLabel('Name')).toHaveValue(ann.name);
  await expectAccessible(page);

  await page.getByLabel('Password').fill(ann.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/c/${slug}/lock`);
  await expect(told(page)).toContainText(`Signed in as ${ann.name}.`);
  await expect(page.getByRole('form', { name: 'Acquire' })).toBeVisible();

  await signOut(page);
  await expect(told(page)).toContainText('Signed out.');
  await page.goto('/notices');
  await expect(page).toHaveURL(/\/sign-in\?to=%2Fnotices$/);
  expect(await kit.rows('SELECT id FROM auth_session WHERE "userId" = $1', [ann.id])).toEqual([]);
});

for (const to of ['https://evil.example/', '//evil.example/c', '/\\evil.example', 'javascript:alert(1)', '/%09/evil.example']) {
  test(`a return path that leads elsewhere is not followed: ${to}`, async ({ kit }) => {
    const ann = await kit.person('Ann');
    const page = await kit.open();
    // The last is a path of ours, where there is nothing.
    kit.expectErrors(/404/);
    await signIn(page, ann, to);
    await expect(page.getByRole('button', { name: `Account: ${ann.name}` })).toBeVisible();
    expect(new URL(page.url()).origin).toBe(kit.address);
  });
}

test('a public container is read without signing in; another sends to the sign-in page, and back', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const [open, closed] = [await kit.container({ title: 'An open book', public: true }), await kit.container({ title: 'A closed book' })];
  const page = await kit.open();
  for (const path of ['', '/lock', '/collaboration', '/register', '/lock/history', '/collaboration/history', '/settings/history']) {
    await page.goto(`/c/${open}${path}`);
    await expect(page.getByRole('heading', { level: 1, name: 'An open book' })).toBeVisible();
    await expect(page.getByTestId('badge')).toHaveText('OPEN');
    await expect(page.getByRole('main').getByRole('button').filter({ hasText: /Acquire|Ask|Save|Lease|Restore/ })).toHaveCount(0);
  }
  await page.goto('/?q=book');
  await expect(page.getByRole('table', { name: 'Containers' }).locator(`a[href="/c/${open}"]`)).toBeVisible();
  await expect(page.locator(`a[href="/c/${closed}"]`)).toHaveCount(0);

  await page.goto(`/c/${closed}/register`);
  await expect(page).toHaveURL(`/sign-in?to=${encodeURIComponent(`/c/${closed}/register`)}`);
  await page.getByLabel('Name').fill(ann.name);
  await page.getByLabel('Password').fill(ann.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`/c/${closed}/register`);
  await expect(page.getByRole('heading', { level: 1, name: 'A closed book' })).toBeVisible();
});

test('each role sees what it may do, and pages of operators are closed to others', async ({ kit }) => {
  const [rita, ann, olga] = [await kit.person('Rita', 'reader'), await kit.person('Ann'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  const [reader, coworker, operator] = [await kit.open(rita), await kit.open(ann), await kit.open(olga)];

  await reader.goto(`/c/${slug}/lock`);
  await expect(section(reader, 'What you can do')).toContainText('Readers read.');
  await expect(reader.getByRole('main').getByRole('form')).toHaveCount(0);
  await reader.goto(`/c/${slug}/collaboration`);
  await expect(reader.getByRole('main').getByRole('form')).toHaveCount(0);

  await coworker.goto(`/c/${slug}/lock`);
  await expect(coworker.getByRole('form', { name: 'Acquire' })).toBeVisible();
  await expect(coworker.getByRole('form', { name: 'Lift the next grant' })).toHaveCount(0);
  await expect(coworker.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin' })).toHaveCount(0);

  for (const page of [reader, coworker]) {
    for (const path of ['/admin', '/admin/audit', '/admin/principals', `/admin/principals/${ann.id}`, '/new', `/c/${slug}/settings`]) {
      await page.goto(path);
      await expect(page.getByRole('main')).toContainText('This page is for operators');
    }
  }
  await operator.goto('/admin/principals');
  await expect(operator.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin' })).toBeVisible();
  await expect(operator.getByRole('form', { name: 'New principal' })).toBeVisible();
});

test('a form whose author has lost its role since is refused', async ({ kit }) => {
  const ann = await kit.person('Ann');
  const slug = await kit.container();
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  await page.getByLabel('Reason').fill('Just in time');
  await kit.rows(`UPDATE principal SET role = 'reader' WHERE id = $1`, [ann.id]);
  await page.getByRole('button', { name: 'Acquire the lock' }).click();
  await expect(refusal(page, 'Acquire')).toContainText('Your role does not allow this');
  await expect(page.getByLabel('Reason')).toHaveValue('Just in time');
  expect(await kit.lock(slug)).toMatchObject({ holder: null, grant: 0 });
});

test('an operator makes a principal, issues a token that is shown once, and revokes it', async ({ kit }) => {
  const olga = await kit.person('Olga', 'operator');
  const page = await kit.open(olga);
  const name = `scribe ${olga.id.slice(0, 6)}`;

  await page.goto('/admin/principals');
  const form = page.getByRole('form', { name: 'New principal' });
  await form.getByLabel('Name').fill(olga.name.toUpperCase());
  await form.getByLabel('Kind').selectOption('agent');
  await form.getByRole('button', { name: 'Make the principal' }).click();
  await expect(refusal(page, 'New principal')).toContainText('The name is taken');
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Make the principal' }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(told(page)).toContainText(`${name} is made.`);

  await page.getByRole('form', { name: 'Issue a token' }).getByLabel('Label').fill('nightly');
  await page.getByRole('button', { name: 'Issue' }).click();
  const token = await page.getByTestId('once').innerText();
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByTestId('once')).toHaveCount(0);
  await expect(page.getByRole('main')).not.toContainText(token);
  await expect(page.getByRole('table', { name: 'API tokens' })).toContainText('nightly');
  expect(await kit.rows('SELECT 1 FROM api_token WHERE hash = $1 OR label = $1', [token])).toEqual([]);

  const me = () => fetch(`${kit.address}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  const answer = await me();
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ name, kind: 'agent', role: 'coworker' });

  await page.getByRole('form', { name: 'Revoke “nightly”' }).getByRole('button', { name: 'Revoke' }).click();
  await expect(told(page)).toContainText('The token is revoked.');
  expect((await me()).status).toBe(401);
});

test('deactivation ends a session at once, and the petition with it', async ({ kit }) => {
  const [lea, ann, olga] = [await kit.person('Lea'), await kit.person('Ann'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  await acquire(await kit.open(lea), slug);
  const page = await kit.open(ann);
  await page.goto(`/c/${slug}/lock`);
  await page.getByLabel('Reason').fill('Next');
  await page.getByRole('button', { name: 'Ask for the lock' }).click();
  await expect(told(page)).toContainText('You are in the queue.');

  const operator = await kit.open(olga);
  await operator.goto(`/admin/principals/${ann.id}`);
  await operator.getByLabel('State', { exact: true }).selectOption('deactivated');
  await operator.getByRole('button', { name: 'Save' }).click();
  await expect(told(operator)).toContainText(`${ann.name} is changed.`);

  await page.goto('/notices');
  await expect(page).toHaveURL(/\/sign-in/);
  await page.getByLabel('Name').fill(ann.name);
  await page.getByLabel('Password').fill(ann.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(refusal(page, 'Sign in')).toContainText('The name or the password is wrong.');
  await expect.poll(() => kit.stored(slug, 'petition', 'state')).toEqual([{ state: 'withdrawn' }]);
});
