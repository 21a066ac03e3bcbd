import { expectAccessible } from './support/checks';
import { expect, MINUTE, test } from './support/kit';
import { acquire, leaseNext, petition, push, section, told, writeDraft } from './support/steps';

test('the lock page’s history folds heartbeats, shows what each edit changed, and restores notes', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await acquire(page, slug, 'For the record');

  const writeNotes = async (notes: string, summary: string) => {
    await page.goto(`/c/${slug}/lock`);
    await page.getByText('Edit the notes').click();
    const form = page.getByRole('form', { name: 'Notes' });
    await form.getByLabel('Notes').fill(notes);
    await form.getByLabel('Summary').fill(summary);
    await form.getByRole('button', { name: 'Save the notes' }).click();
    await expect(told(page)).toContainText('The notes are saved.');
  };
  await writeNotes('Sheet 2 is open.\nSheet 3 is done.', 'Where things stand');
  for (let beat = 0; beat < 3; beat++) {
    await kit.pass(slug, MINUTE);
    await page.goto(`/c/${slug}/lock`);
    await page.getByRole('button', { name: 'Heartbeat' }).click();
    await expect(told(page)).toContainText('Heartbeat noted');
  }
  await writeNotes('Sheet 2 is done.\nSheet 3 is done.', 'Sheet 2');

  await page.goto(`/c/${slug}/lock/history`);
  const list = page.getByRole('list', { name: 'Revisions of the lock page' });
  await expect(list.locator('> li')).toHaveCount(5);
  await list.getByText('3 heartbeats').click();
  await expect(list.getByText('What changed in revision 5')).toHaveCount(1);
  await expectAccessible(page);

  await list.getByRole('link', { name: 'What changed in revision 7' }).click();
  const difference = page.getByRole('region', { name: /^Revision 7: Sheet 2/ });
  await expect(difference.getByRole('region', { name: 'Notes', exact: true })).toContainText('removed: Sheet 2 is open.');
  await expect(difference.getByRole('region', { name: 'Notes', exact: true })).toContainText('added: Sheet 2 is done.');
  await page.goto(`/c/${slug}/lock/history?revision=2`);
  const fields = page.getByRole('table', { name: 'Fields that changed' });
  await expect(fields.getByRole('row').filter({ hasText: 'Holder' })).toContainText(lea.name);
  await expect(fields.getByRole('row').filter({ hasText: 'Reason' })).toContainText('For the record');
  await page.goto(`/c/${slug}/lock/history?revision=5`);
  await expect(fields.getByRole('row').filter({ hasText: 'Last heartbeat' })).toBeVisible();

  await page.goto(`/c/${slug}/lock/history?revision=3`);
  await page.getByRole('button', { name: 'Restore these notes' }).click();
  await expect(told(page)).toContainText('The notes are saved.');
  expect(await kit.lock(slug)).toMatchObject({ revision: 8, notes: 'Sheet 2 is open.\nSheet 3 is done.', holder: lea.name, grant: 1 });
  await page.goto(`/c/${slug}/lock/history`);
  await expect(list).toContainText('Restored the notes of revision 3');
});

test('the collaboration page’s history shows each edit, diffs its notes, and restores them', async ({ kit }) => {
  const [ann, lea] = [await kit.person('Ann'), await kit.person('Lea')];
  const slug = await kit.container();
  await acquire(await kit.open(lea), slug);
  const page = await kit.open(ann);
  const writeNotes = async (notes: string) => {
    await page.goto(`/c/${slug}/collaboration`);
    await page.getByText('Edit the notes').click();
    const form = page.getByRole('form', { name: 'Notes' });
    await form.getByLabel('Notes').fill(notes);
    await form.getByRole('button', { name: 'Save the notes' }).click();
    await expect(told(page)).toContainText('The notes are saved.');
  };
  await writeNotes('First thoughts');
  await petition(page, slug, 'My turn');
  await writeNotes('Second thoughts');

  await page.goto(`/c/${slug}/collaboration/history`);
  const list = page.getByRole('list', { name: 'Revisions of the collaboration page' });
  await expect(list.locator('> li')).toHaveCount(4);
  await list.getByRole('link', { name: 'What changed in revision 4' }).click();
  await expect(section(page, 'Notes')).toContainText('removed: First thoughts');
  await page.goto(`/c/${slug}/collaboration/history?revision=3`);
  await expect(page.getByRole('main')).toContainText('This edit did not change the notes.');
  await page.goto(`/c/${slug}/collaboration/history?revision=2`);
  await page.getByRole('button', { name: 'Restore these notes' }).click();
  await expect(told(page)).toContainText('The notes are saved.');
  expect(await kit.stored(slug, 'collaboration_page', 'revision, notes')).toEqual([{ revision: 5, notes: 'First thoughts' }]);
});

test('two edit the notes: the later sees both and loses nothing', async ({ kit }) => {
  const [ann, ben] = [await kit.person('Ann'), await kit.person('Ben')];
  const slug = await kit.container();
  const pages = [await kit.open(ann), await kit.open(ben)] as const;
  for (const page of pages) {
    await page.goto(`/c/${slug}/collaboration`);
    await page.getByText('Edit the notes').click();
    await page.getByRole('form', { name: 'Notes' }).getByLabel('Notes').fill(`From ${page === pages[0] ? 'Ann' : 'Ben'}`);
  }
  await pages[0].getByRole('button', { name: 'Save the notes' }).click();
  await expect(told(pages[0])).toContainText('The notes are saved.');
  await pages[1].getByRole('button', { name: 'Save the notes' }).click();
  const refused = pages[1].getByRole('form', { name: 'Notes' }).getByRole('alert');
  await expect(refused.getByRole('region', { name: /^Theirs/ })).toContainText('From Ann');
  await expect(pages[1].getByRole('form', { name: 'Notes' }).getByLabel('Notes')).toHaveValue('From Ben');
  await pages[1].getByRole('button', { name: 'Save again, on revision 2' }).click();
  await expect(told(pages[1])).toContainText('The notes are saved.');
  expect(await kit.stored(slug, 'collaboration_page', 'revision, notes')).toEqual([{ revision: 3, notes: 'From Ben' }]);
});

test('an entry has its history, compares any two revisions, and is found by search', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await acquire(page, slug);
  await leaseNext(page, slug, 1);
  for (const [number, body] of ['one\ntwo', 'one\ntwo\nthree', 'zero\none\ntwo\nthree'].entries()) {
    await writeDraft(page, slug, { identifier: 'HF-1', title: `Counting, take ${number + 1}`, body });
    await push(page, slug, `Take ${number + 1}`);
    if (number < 2) await expect(page.getByRole('heading', { name: `Landing ${number + 1}` })).toBeVisible();
  }
  await page.goto(`/c/${slug}?q=three`);
  await page.getByRole('link', { name: 'Counting, take 3' }).click();
  await expect(page.getByRole('list', { name: 'Revisions of this entry' }).locator('> li')).toHaveCount(3);
  await page.getByRole('form', { name: 'Compare' }).getByLabel('From revision').fill('1');
  await page.getByRole('form', { name: 'Compare' }).getByLabel('To revision').fill('3');
  await page.getByRole('button', { name: 'Compare' }).click();
  const body = section(page, 'Body, revision 1 to 3');
  await expect(body).toContainText('added: zero');
  await expect(body).toContainText('added: three');
  await expect(section(page, 'Title')).toContainText('removed: Counting, take 1');
  await expectAccessible(page);
  await page.goto(`/c/${slug}?q=nowhere`);
  await expect(page.getByRole('main')).toContainText('Nothing matches');
});

test('the verify button says that the chain holds, and names the first bad link of one that was tampered with', async ({ kit }) => {
  const lea = await kit.person('Lea');
  const slug = await kit.container();
  const page = await kit.open(lea);
  await acquire(page, slug);
  await leaseNext(page, slug, 1);
  await push(page, slug, 'Nothing yet');
  await writeDraft(page, slug, { title: 'True', body: 'What was pushed.' });
  await push(page, slug, 'One entry');
  await push(page, slug, 'Nothing more');

  await page.goto(`/c/${slug}/register`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByTestId('verified')).toHaveText('The chain holds: 3 landings were rehashed, every digest matches.');
  await expectAccessible(page);

  await expect(kit.rows(`UPDATE entry_revision SET body = 'x' WHERE author_id = $1`, [lea.id]), 'the register is append-only').rejects.toThrow();
  // The owner of the tables can; no path of the app does.
  await kit.rows(`
    ALTER TABLE entry_revision DISABLE TRIGGER append_only;
    UPDATE entry_revision SET body = 'What was never pushed.' WHERE author_id = '${lea.id}';
    ALTER TABLE entry_revision ENABLE TRIGGER append_only`);
  await page.goto(`/c/${slug}/register`);
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page.getByTestId('verified')).toHaveRole('alert');
  await expect(page.getByTestId('verified')).toContainText('at landing 2, entry HF-1 does not match its digest. 1 before it');
  await expectAccessible(page);
});
