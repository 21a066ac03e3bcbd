import { DESKTOP, expectAccessible, expectNoOverflow, PHONE } from './support/checks';
import { expect, test } from './support/kit';
import { acquire, refusal, section, told } from './support/steps';

const GRID = `contexts: [payments]
roles: [analyst, architect]
arrows:
  - id: analyse
    from: analyst
    to: architect
    context: payments
    stratum: 1
    dependencies: [{artifact: features/payments.feature, section: refunds}]
    clauses:
      - {id: C1, concept: compiles, type: machine}
      - {id: C2, concept: residue-is-honest, type: attested}
  - id: design
    from: architect
    to: architect
    context: payments
    stratum: 2
    requires: [analyse]
    clauses: [{id: D1, concept: drawn, type: machine}]
`;

/** Sections 8 and 11: a lead, an operator and a reader of the pages, from the first grid to an amendment. */
test('a grid is written, worked through, attested and amended through pages, and each is stored', async ({ kit }) => {
  const [lea, olga] = [await kit.person('Lea'), await kit.person('Olga', 'operator')];
  const slug = await kit.container();
  const [lead, operator] = [await kit.open(lea, { viewport: DESKTOP }), await kit.open(olga, { viewport: DESKTOP })];
  await acquire(lead, slug, 'Working through the grid');

  await test.step('G-1, G-2: the operator writes version 1; a fault is named with its path, and nothing typed is lost', async () => {
    await operator.goto(`/c/${slug}/grid`);
    const form = operator.getByRole('form', { name: 'First version of the grid' });
    const faulty = GRID.replace('requires: [analyse]', 'requires: [nothing]');
    await form.getByLabel('Grid').fill(faulty);
    await form.getByRole('button', { name: 'Write version 1' }).click();
    await expect(form.getByRole('alert')).toContainText('there is no arrow nothing');
    await expect(form.getByLabel('Grid')).toHaveValue(faulty);
    await form.getByLabel('Grid').fill(GRID);
    await form.getByRole('button', { name: 'Write version 1' }).click();
    await expect(told(operator)).toContainText('Version 1 of the grid is written');
    await expect(operator.getByTestId('project')).toHaveText('complete against grid v1: 0 of 2, unevaluated 2');
    await expectAccessible(operator);
  });

  const row = (page: typeof lead, arrow: string) => page.getByRole('table', { name: 'Arrows of the grid' }).getByRole('row').filter({ hasText: arrow });
  const start = async (page: typeof lead, arrow: string) => {
    await page.goto(`/c/${slug}/passes`);
    const form = page.getByRole('form', { name: 'Start a pass' });
    await form.getByLabel('Arrow').selectOption(arrow);
    await form.getByRole('button', { name: 'Start' }).click();
  };
  const moveTo = async (page: typeof lead, clause: string, to: string) => {
    await page.getByRole('listitem').filter({ hasText: clause }).last().getByText('Move', { exact: true }).first().click();
    const form = page.getByRole('form', { name: `Move ${clause}` });
    await form.getByLabel('To').selectOption(to);
    await form.getByRole('button', { name: 'Move' }).click();
    await expect(told(page)).toContainText(`${clause} is ${to}.`);
  };

  await test.step('N-1: what is required must be complete; the refusal says which arrow and how it stands', async () => {
    await start(lead, 'design');
    await expect(refusal(lead, 'Start a pass')).toContainText('It requires analyse, which is unevaluated');
    expect(await kit.stored(slug, 'pass', 'id')).toEqual([]);
  });

  await test.step('E-2: the lead moves machine clauses, and offers the attested one; it is not offered a verdict', async () => {
    await start(lead, 'analyse');
    await expect(told(lead)).toContainText('A pass of analyse runs.');
    await moveTo(lead, 'C1', 'pass');
    await moveTo(lead, 'C2', 'awaiting-attestation');
    await expect(lead.getByRole('form', { name: 'Verdict on C2' })).toHaveCount(0);
    await expectAccessible(lead);
  });

  await test.step('N-1: one active role instance: the refusal names the pass that holds it', async () => {
    await start(lead, 'analyse');
    await expect(refusal(lead, 'Start a pass')).toContainText('analyst is at work in payments already');
  });

  await test.step('N-2, E-4: completed with an attestation outstanding, the arrow is provisional', async () => {
    await lead.goto(`/c/${slug}/passes`);
    await lead.getByRole('form', { name: 'Complete the pass of analyse' }).getByRole('button').click();
    await expect(told(lead)).toContainText('is completed');
    await lead.goto(`/c/${slug}/grid`);
    await expect(row(lead, 'analyse').first()).toContainText('provisional');
    expect(await kit.stored(slug, 'role_lock', 'pass_id')).toEqual([]);
  });

  await test.step('E-2, E-3: an operator gives the verdict on the completed pass', async () => {
    await operator.goto(`/c/${slug}/passes`);
    await operator.getByText('Give a verdict').click();
    const form = operator.getByRole('form', { name: 'Verdict on C2' });
    await form.getByLabel('Verdict').selectOption('pass');
    await form.getByLabel('Reason').fill('Read it twice');
    await form.getByRole('button', { name: 'Give the verdict' }).click();
    await expect(told(operator)).toContainText('C2 is pass.');
    await operator.goto(`/c/${slug}/grid`);
    await expect(operator.getByTestId('project')).toHaveText('complete against grid v1: 1 of 2, unevaluated 1');
    const [attestation] = await kit.rows('SELECT a.verdict, a.reason, p.name FROM attestation a JOIN principal p ON p.id = a.by_id JOIN pass s ON s.id = a.pass_id WHERE s.container_id = (SELECT id FROM container WHERE slug = $1)', [slug]);
    expect(attestation).toEqual({ verdict: 'pass', reason: 'Read it twice', name: olga.name });
  });

  await test.step('A-1, A-2: the lead amends; what depends on the changed artifact is invalidated, a running pass of it aborted', async () => {
    await start(lead, 'design');
    await expect(told(lead)).toContainText('A pass of design runs.');
    await lead.goto(`/c/${slug}/amendments`);
    const form = lead.getByRole('form', { name: 'Ask for an amendment' });
    await form.getByLabel('Rationale').fill('Refunds are analysed anew');
    await form.getByLabel('Changed artifacts').fill('features/payments.feature#refunds');
    await form.getByRole('button', { name: 'Ask for the amendment' }).click();
    await expect(told(lead)).toContainText('The amendment is queued, at place 1.');
    await expect.poll(async () => (await kit.stored(slug, 'amendment', 'state, version'))[0]).toEqual({ state: 'committed', version: 2 });
    await lead.goto(`/c/${slug}/amendments`);
    await expect(lead.getByRole('list', { name: 'Amendments' })).toContainText('committed');
    await lead.getByRole('link', { name: 'version 2' }).click();
    await expect(row(lead, 'analyse').first()).toContainText('invalidated');
    await expect(row(lead, 'design').first()).toContainText('(conservative)');
    await lead.goto(`/c/${slug}/passes`);
    await expect(lead.getByRole('list', { name: 'Ended passes' })).toContainText('aborted: invalidated');
  });

  await test.step('the board and the overview tell the project’s status, C included', async () => {
    await lead.goto(`/c/${slug}`);
    await expect(lead.getByTestId('project')).toHaveText('complete against grid v2: 0 of 2, unevaluated 0');
    await lead.goto(`/?q=${slug}`);
    await expect(lead.getByTestId('project')).toHaveText('complete against grid v2: 0 of 2, unevaluated 0');
  });
});

test('BR-5: operators read what recoveries found; others do not', async ({ kit }) => {
  const [olga, cora] = [await kit.person('Olga', 'operator'), await kit.person('Cora')];
  const operator = await kit.open(olga, { viewport: DESKTOP });
  await operator.goto('/admin/recovery');
  await expect(section(operator, /^Recovery, /).first()).toContainText('engine');
  await expect(section(operator, 'Alerts')).toBeVisible();
  const coworker = await kit.open(cora, { viewport: DESKTOP });
  await coworker.goto('/admin/recovery');
  await expect(coworker.getByText('This page is for operators')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, viewport] of [['phone', PHONE], ['desktop', DESKTOP]] as const) {
    test(`grid, passes, amendments and recovery, ${colorScheme}, ${name}: accessible, nothing overflows`, async ({ kit }) => {
      const olga = await kit.person('Olga', 'operator');
      const slug = await kit.container();
      const api = await kit.api(olga);
      const page = await kit.open(olga, { viewport, colorScheme });
      expect(await api('POST', `/containers/${slug}/grid/init`, { body: { grid: GRID } })).toMatchObject({ status: 201 });
      await acquire(page, slug);
      expect(await api('POST', `/containers/${slug}/passes`, { body: { grant: 1, arrow: 'analyse' } })).toMatchObject({ status: 201 });
      for (const path of [`/c/${slug}/grid`, `/c/${slug}/passes`, `/c/${slug}/amendments`, '/admin/recovery']) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
        await expectAccessible(page);
        await expectNoOverflow(page);
      }
    });
  }
}
