import { expectAccessible } from './support/checks';
import { expect, HOUR, MINUTE, test, type Kit } from './support/kit';
import { acquire, petition, push, refusal, release, section, told, hearNothing } from './support/steps';

test('petitions show places and turns; one withdraws its own, an operator another’s, and its author is told', async ({ kit }) => {
  const [lea, ann, ben, olga] = [await kit.person('Lea'), await kit.person('Ann'), await kit.person('Ben'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  await acquire(await kit.open(lea), slug);
  const [first, second, operator] = [await kit.open(ann), await kit.open(ben), await kit.open(olga)];

  await petition(first, slug, 'Sheet 3 needs the new datum');
  await petition(second, slug, 'Checking the cross references');
  const queue = section(second, 'Queue').getByRole('list', { name: 'Queue' }).getByRole('listitem');
  await expect(queue).toHaveCount(2);
  await expect(queue.nth(0)).toContainText(`Place 1: ${ann.name}`);
  await expect(queue.nth(0)).toContainText('Sheet 3 needs the new datum');
  await expect(queue.nth(1)).toContainText(`Place 2: ${ben.name}`);
  await expect(queue.nth(1)).toContainText('you');
  await expect(queue.nth(1)).toContainText('if the grant runs out');
  await expect(section(second, 'What you can do')).toContainText('You are number 2 in the queue');
  await expect(second.getByRole('form', { name: 'Petition', exact: true })).toHaveCount(0);
  await expectAccessible(second);

  await queue.nth(1).getByRole('button', { name: 'Withdraw' }).click();
  await expect(told(second)).toContainText('The petition is withdrawn.');
  await expect(queue).toHaveCount(1);
  await expect(queue.nth(0).getByRole('button', { name: 'Withdraw' })).toHaveCount(0);

  await operator.goto(`/c/${slug}/collaboration`);
  await operator.getByRole('form', { name: `Withdraw the petition of ${ann.name}` }).getByRole('button', { name: 'Withdraw' }).click();
  await expect(told(operator)).toContainText('The petition is withdrawn.');
  await first.goto('/notices');
  await expect(first.getByRole('list', { name: 'Notices' })).toContainText(`${olga.name} withdrew your petition`);

  expect(await kit.stored(slug, 'petition', 'state', 'revision')).toEqual([{ state: 'withdrawn' }, { state: 'withdrawn' }]);
  const audited = await kit.stored(slug, 'audit_line', 'action, actor_id', 'id');
  expect(audited.filter(({ actor_id: actor }) => actor === olga.id)).toHaveLength(1);
});

test('a handover: the head has its window alone, then the next may, then anybody; who misses two is told that it lapsed', async ({ kit }) => {
  test.setTimeout(120_000);
  const [lea, ann, ben, cleo] = [await kit.person('Lea'), await kit.person('Ann'), await kit.person('Ben'), await kit.person('Cleo')];
  const slug = await kit.container();
  const [lead, first, second, other] = [await kit.open(lea), await kit.open(ann), await kit.open(ben), await kit.open(cleo)];
  await acquire(lead, slug);
  await petition(first, slug, 'Sheet 3');
  await petition(second, slug, 'Cross references');
  await push(lead, slug, 'Nothing');
  await release(lead, slug);

  await test.step('the head’s window: it is nobody else’s turn', async () => {
    await first.goto(`/c/${slug}/lock`);
    await expect(first.getByTestId('badge')).toHaveText('HANDOVER');
    await expect(section(first, 'What you can do')).toContainText('It is your turn');
    await expect(section(first, 'Queue')).toContainText('alone for');
    await second.goto(`/c/${slug}/lock`);
    await expect(section(second, 'What you can do')).toContainText('Your turn begins in');
    await expect(second.getByRole('button', { name: 'Acquire the lock' })).toHaveCount(0);
    const api = await kit.api(ben);
    const { revision } = await kit.lock(slug);
    expect(await api('POST', `/containers/${slug}/lock/acquire`, { base: revision, body: {} })).toMatchObject({ status: 409, body: { code: 'not-your-turn', turnOf: { name: ann.name } } });
    await other.goto(`/c/${slug}/lock`);
    await expect(section(other, 'What you can do')).toContainText('Others asked first');
  });

  await test.step('the head stays silent: the next may, and the head still may', async () => {
    await kit.pass(slug, 16 * MINUTE);
    for (const page of [first, second]) {
      await page.goto(`/c/${slug}/lock`);
      await expect(page.getByRole('button', { name: 'Acquire the lock' })).toBeVisible();
    }
    await other.goto(`/c/${slug}/lock`);
    await expect(other.getByRole('button', { name: 'Acquire the lock' })).toHaveCount(0);
    await acquire(second, slug);
    expect(await kit.lock(slug)).toMatchObject({ holder: ben.name, grant: 2 });
    await first.reload();
    await expect(section(first, 'What you can do')).toContainText('You are number 1 in the queue');
  });

  await test.step('after the last window a coworker who never waited may; the head has missed two and lapses', async () => {
    await push(second, slug, 'Nothing');
    await release(second, slug);
    await kit.pass(slug, 16 * MINUTE);
    await acquire(other, slug, 'Nobody else wanted it');
    expect(await kit.lock(slug)).toMatchObject({ holder: cleo.name, grant: 3 });
    await first.goto('/notices');
    await expect(first.getByRole('list', { name: 'Notices' })).toContainText('Your petition lapsed');
    await first.goto(`/c/${slug}/collaboration`);
    await first.getByText('Ended petitions').click();
    await expect(section(first, 'Petitions')).toContainText('lapsed: its whole window went by in two handovers');
    expect(await kit.stored(slug, 'petition', 'state, "grant"', 'revision')).toEqual([
      { state: 'lapsed', grant: null },
      { state: 'granted', grant: 2 },
    ]);
    await petition(first, slug, 'Once more');
  });
});

test('a stale acquire tells whose turn it is, and keeps the reason', async ({ kit }) => {
  const [lea, ann, ben] = [await kit.person('Lea'), await kit.person('Ann'), await kit.person('Ben')];
  const slug = await kit.container();
  await acquire(await kit.open(lea), slug);
  const [first, second] = [await kit.open(ann), await kit.open(ben)];
  await kit.pass(slug, 5 * HOUR);
  await hearNothing(second);
  await second.goto(`/c/${slug}/lock`);
  await second.getByLabel('Reason').fill('While I am here');
  // Somebody asks meanwhile; a petition needs no base, so only the turn has changed.
  await petitionOverApi(kit, ann, slug);
  await second.getByRole('button', { name: 'Acquire the lock' }).click();
  await expect(refusal(second, 'Acquire')).toContainText('It is not your turn yet');
  await expect(refusal(second, 'Acquire')).toContainText(ann.name);
  await expect(second.getByLabel('Reason')).toHaveValue('While I am here');
  await acquire(first, slug);
  expect(await kit.lock(slug)).toMatchObject({ holder: ann.name, grant: 2 });
});

async function petitionOverApi(kit: Kit, who: { id: string }, slug: string): Promise<void> {
  const api = await kit.api(who);
  expect((await api('POST', `/containers/${slug}/petitions`, { body: { reason: 'My turn first' } })).status).toBe(201);
}
