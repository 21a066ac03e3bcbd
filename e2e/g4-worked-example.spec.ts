import { expectAccessible } from './support/checks';
import { expect, HOUR, test } from './support/kit';
import { acquire, boardRow, fact, leaseNext, petition, push, refusal, release, section, told, writeDraft, hearNothing } from './support/steps';

/** Guide 4's worked example: a lead dies, the queue's head takes over, and nothing of the dead session lands. */
test('a lead that dies is shown silent at hour 24, the queue’s head takes over, and the dead session cannot push', async ({ kit }) => {
  test.setTimeout(120_000);
  const [lea, hugo, olga] = [await kit.person('Lea'), await kit.person('Hugo'), await kit.person('Olga', 'operator')];
  const slug = await kit.container({ title: 'The runbook', prefix: 'RB' });
  const [lead, next, operator] = [await kit.open(lea), await kit.open(hugo), await kit.open(olga)];
  const badgeCall = await kit.api(hugo);
  const cautionOfBadge = async () => (await badgeCall('GET', `/containers/${slug}/badge`)).body;

  await test.step('the lead acquires, leases and drafts', async () => {
    await acquire(lead, slug, 'Rewriting the failover chapter');
    await expect(lead.getByTestId('badge')).toHaveText('HELD');
    const lock = await kit.lock(slug);
    expect(lock).toMatchObject({ holder: lea.name, grant: 1, reason: 'Rewriting the failover chapter', one_term: true, caution_since: null });
    expect(lock.granted_at).toBe(lock.last_beat_at);
    // It beats by hand, at hours of its own.
    await section(lead, 'Heartbeats').getByRole('switch').click();
    await leaseNext(lead, slug, 5);
    await writeDraft(lead, slug, { title: 'Failover by hand', body: 'From the dead session.' });
  });

  await test.step('it heartbeats to hour 20, and the expiry stays exact', async () => {
    let hour = 0;
    for (const beat of [3, 6, 9, 12, 15, 18]) {
      await kit.pass(slug, (beat - hour) * HOUR);
      hour = beat;
      await lead.goto(`/c/${slug}/lock`);
      await lead.getByRole('button', { name: 'Heartbeat' }).click();
      await expect(told(lead)).toContainText('the grant is extended');
      expect(await kit.lock(slug), `at hour ${beat}`).toMatchObject({ one_term: true, at_cap: false });
    }
    await petition(next, slug, 'The on-call numbers have changed');
    await expect(section(next, 'What you can do')).toContainText('You are number 1 in the queue');

    await kit.pass(slug, 2 * HOUR);
    await lead.goto(`/c/${slug}/lock`);
    await expect(section(lead, 'You hold this lock')).toContainText('One waits');
    await expect(section(lead, 'You hold this lock')).toContainText('The on-call numbers have changed');
    await lead.getByRole('button', { name: 'Heartbeat' }).click();
    await expect(told(lead)).toContainText('24 h cap');
    expect(await kit.lock(slug)).toMatchObject({ holder: lea.name, grant: 1, at_cap: true });
    expect((await kit.stored(slug, 'lock_revision', 'kind', 'revision')).filter(({ kind }) => kind === 'heartbeat')).toHaveLength(7);
  });

  // The lead dies with its drafts on the screen; the page stays open.
  await hearNothing(lead);
  await lead.goto(`/c/${slug}/drafts`);
  await expect(lead.getByRole('checkbox', { name: 'RB-1 Failover by hand' })).toBeChecked();

  await test.step('at hour 24 the badge reads HOLDER SILENT everywhere', async () => {
    const before = await kit.lock(slug);
    await kit.pass(slug, 4 * HOUR);
    for (const path of [`/c/${slug}/lock`, `/c/${slug}`]) {
      await next.goto(path);
      await expect(next.getByTestId('badge')).toHaveText('HOLDER SILENT');
      await expect(next.getByTestId('badge')).toHaveRole('status');
      await expect(next.getByTestId('caution')).toContainText('The holder of grant 1 fell silent');
    }
    const row = await boardRow(next, slug);
    await expect(row.getByTestId('badge')).toHaveText('HOLDER SILENT');
    await expect(row).toContainText('caution');
    await operator.goto('/admin');
    await expect(operator.getByRole('form', { name: `Clear grant 1 of ${slug}` })).toBeVisible();
    // Derived on read: nothing was written for it.
    expect(await kit.lock(slug)).toMatchObject({ revision: before.revision, holder: lea.name, grant: 1, caution_since: null });
  });

  await test.step('the queue’s head acquires within its window', async () => {
    await next.goto(`/c/${slug}/lock`);
    await expect(section(next, 'What you can do')).toContainText('It is your turn');
    await expectAccessible(next);
    await expect(next.getByLabel('Reason')).toHaveValue('The on-call numbers have changed');
    await acquire(next, slug);
    await expect(next.getByTestId('badge')).toHaveText('HELD');
    expect(await kit.lock(slug)).toMatchObject({ holder: hugo.name, grant: 2, reason: 'The on-call numbers have changed', caution_grant: 1 });
    const [handover] = await kit.rows(
      `SELECT l.granted_at < l.caution_since + interval '15 minutes' AS "inWindow", p.state, p."grant", g.ended_by
       FROM lock_page l JOIN petition p USING (container_id) JOIN lock_grant g ON g.container_id = l.container_id AND g.number = 1
       JOIN container c ON c.id = l.container_id WHERE c.slug = $1`,
      [slug],
    );
    expect(handover).toEqual({ inWindow: true, state: 'granted', grant: 2, ended_by: 'silence' });
    await operator.goto('/admin');
    await expect(operator.getByRole('form', { name: new RegExp(` of ${slug}$`) })).toHaveCount(0);
  });

  await test.step('the dead session’s push is refused with a receipt', async () => {
    await lead.getByRole('form', { name: 'Push' }).getByRole('button', { name: 'Push' }).click();
    const receipt = refusal(lead, 'Push');
    await expect(receipt).toContainText('A later grant exists');
    await expect(fact(receipt, 'Your grant')).toHaveText('1');
    await expect(fact(receipt, 'Current grant')).toHaveText('2');
    await expect(fact(receipt, 'Held by')).toContainText(hugo.name);
    await expect(fact(receipt, 'Since').getByRole('time')).toBeVisible();
    await expectAccessible(lead);

    const dead = await kit.api(lea);
    const answer = await dead('POST', `/containers/${slug}/landings`, {
      key: 'from-the-grave',
      body: { grant: 1, message: 'Failover', entries: [{ identifier: 'RB-1', title: 'Failover by hand', body: 'From the dead session.' }] },
    });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'grant-superseded', yourGrant: 1, currentGrant: 2, holder: { id: hugo.id, name: hugo.name, kind: 'person' } });
    expect(answer.body.grantedAt).toBe((await kit.lock(slug)).granted_at);
    expect(answer.body.expiresAt).toBe((await kit.lock(slug)).expires_at);

    expect(await kit.stored(slug, 'landing', 'sequence')).toEqual([]);
    expect(await kit.stored(slug, 'entry_revision', 'number')).toEqual([]);
    const refused = (await kit.stored(slug, 'audit_line', 'action, actor_id, reason, "grant"', 'id')).filter(({ action }) => action === 'refused');
    expect(refused).toEqual(Array(2).fill({ action: 'refused', actor_id: lea.id, reason: 'grant-superseded', grant: 1 }));
  });

  await test.step('the new lead continues; the caution stays until its push and release', async () => {
    await leaseNext(next, slug, 3);
    await writeDraft(next, slug, { title: 'Who is on call', body: 'The **new** numbers.' });
    await next.goto(`/c/${slug}`);
    await expect(next.getByTestId('caution')).toBeVisible();
    await push(next, slug, 'On-call numbers');

    for (const path of [`/c/${slug}`, `/c/${slug}/entries/RB-1`]) {
      await next.goto(path);
      await expect(next.getByTestId('caution'), 'after the push').toContainText('The holder of grant 1 fell silent');
    }
    await expect(next.getByRole('main')).toContainText('The new numbers.');
    await expect(next.getByRole('main')).not.toContainText('From the dead session');
    expect(await cautionOfBadge()).toMatchObject({ badge: 'HELD', caution: true, cautionGrant: 1 });
    expect((await badgeCall('GET', `/containers/${slug}/entries/RB-1`)).body.caution).toBe(true);

    await release(next, slug);
    await expect(next.getByTestId('badge')).toHaveText('OPEN');
    for (const path of [`/c/${slug}`, `/c/${slug}/entries/RB-1`, `/c/${slug}/lock`]) {
      await next.goto(path);
      await expect(next.getByTestId('badge')).toHaveText('OPEN');
      await expect(next.getByTestId('caution'), 'after the release').toHaveCount(0);
    }
    await expect(await boardRow(next, slug)).not.toContainText('caution');
    expect(await cautionOfBadge()).toMatchObject({ badge: 'OPEN', caution: false, cautionSince: null, cautionGrant: null });
  });

  await test.step('the register holds the new lead’s landing alone, and the dead one’s drafts are kept for it', async () => {
    expect(await kit.stored(slug, 'landing', `"grant", author_id, entries->0->>'identifier' AS identifier`, 'sequence')).toEqual([{ grant: 2, author_id: hugo.id, identifier: 'RB-1' }]);
    expect(await kit.stored(slug, 'entry_revision', 'body')).toEqual([{ body: 'The **new** numbers.' }]);
    await lead.goto(`/c/${slug}/drafts`);
    await expect(lead.getByRole('list', { name: 'Drafts of earlier grants' })).toContainText('Failover by hand');
    await lead.goto('/notices');
    await expect(lead.getByRole('list', { name: 'Notices' })).toContainText(`${hugo.name} acquired the lock after your grant 1 had run out`);
  });
});
