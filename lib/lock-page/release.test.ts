import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAudit } from '../audit/read';
import { assignBlock } from '../collaboration/block';
import { petition } from '../collaboration/petition';
import { readCollaboration } from '../collaboration/read';
import { openWorld, refusal, type World } from '../testing/world';
import { release } from './release';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

async function held() {
  const [slug, lead] = await Promise.all([w.container(), w.person()]);
  await w.lead(slug, lead, 'Refunds');
  return { slug, lead, release: async (grant = 1, who = lead) => release(w.db, slug, who.id, await w.revision(slug), { grant }) };
}

describe('LP-6: release', () => {
  test('without an accepted landing under the grant it is push-required, and nothing changes', async () => {
    const h = await held();
    const before = await w.lock(h.slug);
    expect(await refusal(h.release())).toMatchObject({ code: 'push-required', status: 409 });
    expect({ ...(await w.lock(h.slug)), now: before.now }).toEqual(before);
  });

  test('a refused landing is no push', async () => {
    const h = await held();
    expect((await refusal(w.push(h.slug, h.lead, 1, [{ identifier: 'TS-1', title: 'Not leased', body: '' }]))).code).toBe(
      'landing-invalid',
    );
    expect((await refusal(h.release())).code).toBe('push-required');
  });

  test('a push under an earlier grant does not count for a later one', async () => {
    const h = await held();
    await w.push(h.slug, h.lead, 1);
    await h.release();
    await w.lead(h.slug, h.lead);
    expect((await refusal(h.release(2))).code).toBe('push-required');
  });

  test('after a landing with no entries: nobody holds, available since that instant, the grant stays on the page', async () => {
    const h = await held();
    const pushed = await w.push(h.slug, h.lead, 1);
    expect(pushed).toMatchObject({ sequence: 1, entries: [], reclaimed: [] });
    const before = await w.lock(h.slug);
    const after = await h.release();
    expect(after).toMatchObject({
      revision: before.revision + 1,
      holder: null,
      reason: '',
      grant: 1,
      nextGrant: 2,
      badge: 'OPEN',
      availableSince: after.now,
      capAt: null,
    });
    expect(after.availableSince! > before.now).toBe(true);
    const [line] = (await readAudit(w.db, h.slug, w.operator, { limit: 1 })).items;
    expect(line).toMatchObject({ action: 'release', grant: 1, actor: { id: h.lead.id }, at: after.now });
  });

  test('reclaims the active leases and closes the open blocks, and leaves done ones', async () => {
    const h = await held();
    const other = await w.person();
    const leased = await w.lease(h.slug, h.lead, { grant: 1, to: other.id, count: 10 });
    const block = await assignBlock(w.db, h.slug, h.lead.id, { grant: 1, title: 'Ledger', assignee: other.id, leaseId: leased.id });
    await w.push(h.slug, h.lead, 1);
    await h.release();
    const page = await readCollaboration(w.db, h.slug, w.operator);
    expect(page.leases).toEqual([{ ...leased, state: 'reclaimed' }]);
    expect(page.blocks).toEqual([{ ...block, state: 'closed' }]);
  });

  test('LP-10: only a release, which needs a push, puts the caution off', async () => {
    const h = await held();
    const next = await w.person();
    await w.fallSilent(h.slug);
    expect((await w.lead(h.slug, next)).caution).toBe(true);
    await w.push(h.slug, next, 2);
    expect((await w.lock(h.slug)).caution).toBe(true);
    expect(await h.release(2, next)).toMatchObject({ caution: false, cautionSince: null, cautionGrant: null });
  });

  test('hands over: with somebody waiting the badge is HANDOVER', async () => {
    const h = await held();
    await petition(w.db, h.slug, w.operator.id, { reason: 'Next' });
    await w.push(h.slug, h.lead, 1);
    expect((await h.release()).badge).toBe('HANDOVER');
  });

  test('R-2: a second release is grant-released, and a later grant makes it grant-superseded', async () => {
    const h = await held();
    await w.push(h.slug, h.lead, 1);
    await h.release();
    expect(await refusal(h.release())).toMatchObject({ code: 'grant-released', members: { yourGrant: 1, currentGrant: 1, holder: null } });
    expect((await refusal(w.push(h.slug, h.lead, 1))).code).toBe('grant-released');
    await w.lead(h.slug, w.operator);
    expect((await refusal(h.release())).code).toBe('grant-superseded');
  });

  test('only who holds, and only before the expiry', async () => {
    const h = await held();
    await w.push(h.slug, h.lead, 1);
    expect((await refusal(h.release(1, w.operator))).code).toBe('not-holder');
    expect((await refusal(h.release(2))).code).toBe('grant-unknown');
    await w.fallSilent(h.slug);
    expect((await refusal(h.release())).code).toBe('grant-expired');
    expect((await w.lock(h.slug)).badge).toBe('HOLDER SILENT');
  });
});
