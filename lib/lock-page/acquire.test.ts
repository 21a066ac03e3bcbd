import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAudit } from '../audit/read';
import { assignBlock } from '../collaboration/block';
import { petition } from '../collaboration/petition';
import { readCollaboration, readCollaborationRevisions } from '../collaboration/read';
import { archiveContainer } from '../containers/change';
import { readDrafts } from '../drafts/read';
import { saveDraft } from '../drafts/save';
import { changePrincipal } from '../principals/change';
import { HOST } from '../principals/record';
import { letTimePass, openWorld, refusal, type World } from '../testing/world';
import { plusSeconds } from '../time';
import { acquire } from './acquire';
import { release } from './release';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const notices = async (principalId: string) =>
  (await w.db.query(`SELECT kind, details FROM notice WHERE principal_id = $1 ORDER BY at`, [principalId])).rows;

describe('acquire', () => {
  test('LP-3: sets holder, reason and the next grant, and one instant for grantedAt, lastBeatAt and the term’s begin', async () => {
    const [slug, lead] = await Promise.all([w.container({ termSeconds: 77 }), w.person('coworker', 'agent')]);
    const before = await w.lock(slug);
    expect(before).toMatchObject({ revision: 1, holder: null, grant: 0, nextGrant: 1, badge: 'OPEN' });
    const after = await acquire(w.db, slug, lead.id, 1, { reason: 'Refund rules' });
    expect(after).toMatchObject({
      revision: 2,
      holder: { id: lead.id, name: lead.name, kind: 'agent' },
      reason: 'Refund rules',
      grant: 1,
      nextGrant: 2,
      lastBeatAt: after.grantedAt,
      expiresAt: plusSeconds(after.grantedAt!, 77),
      availableSince: null,
      badge: 'HELD',
      caution: false,
    });
    expect(after.grantedAt! > before.now).toBe(true);
    expect(await w.lock(slug)).toEqual({ ...after, now: expect.any(String) });
    const [line] = (await readAudit(w.db, slug, w.operator, { limit: 1 })).items;
    expect(line).toMatchObject({
      at: after.grantedAt,
      actor: { id: lead.id },
      action: 'acquire',
      target: 'lock',
      grant: 1,
      reason: 'Refund rules',
    });
  });

  test('LP-3: a term of 24 h ends at the cap', async () => {
    const [slug, lead] = await Promise.all([w.container({ termSeconds: 86_400 }), w.person()]);
    const after = await w.lead(slug, lead);
    expect(after.expiresAt).toBe(after.capAt);
  });

  test('LP-3: the reason is the one given, else the petition’s, else empty', async () => {
    const who = await w.person();
    const reasonAfter = async (asked: string | undefined, given: string | undefined) => {
      const slug = await w.container();
      if (asked !== undefined) await petition(w.db, slug, who.id, { reason: asked });
      return (await w.lead(slug, who, given)).reason;
    };
    expect(await reasonAfter('Asked', 'Given')).toBe('Given');
    expect(await reasonAfter('Asked', undefined)).toBe('Asked');
    expect(await reasonAfter(undefined, undefined)).toBe('');
  });

  test('LP-3: while anyone holds it is lock-held with who, why, which grant, since and until; for the holder too', async () => {
    const [slug, lead, other] = await Promise.all([w.container(), w.person(), w.person()]);
    const held = await w.lead(slug, lead, 'Refund rules');
    const { holder, reason, grant, grantedAt, expiresAt } = held;
    for (const caller of [other, lead, w.operator]) {
      const refused = await refusal(acquire(w.db, slug, caller.id, held.revision, {}));
      expect(refused.toJSON()).toMatchObject({ code: 'lock-held', status: 409, holder, reason, grant, grantedAt, expiresAt });
    }
    expect({ ...(await w.lock(slug)), now: held.now }).toEqual(held);
  });

  test('LP-3, LP-4: re-acquiring after one’s own silence and after one’s own release is a new grant, one higher', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await w.lead(slug, lead);
    await w.fallSilent(slug);
    expect(await w.lead(slug, lead)).toMatchObject({ grant: 2, nextGrant: 3 });
    await w.push(slug, lead, 2);
    await release(w.db, slug, lead.id, await w.revision(slug), { grant: 2 });
    expect(await w.lead(slug, lead)).toMatchObject({ grant: 3, nextGrant: 4 });
    expect((await refusal(w.push(slug, lead, 2))).code).toBe('grant-superseded');
    expect((await notices(lead.id)).map((n) => n.kind)).toEqual(['push-refused']); // and not that it was superseded: it knows
  });

  test('section 1, P-1: a reader may not, nor who was deactivated; an unknown container is not-found', async () => {
    const [slug, reader, gone] = await Promise.all([w.container(), w.person('reader'), w.person()]);
    await changePrincipal(w.db, HOST, gone.id, { active: false });
    expect(await refusal(acquire(w.db, slug, reader.id, 1, {}))).toMatchObject({ code: 'forbidden', members: { neededRole: 'coworker' } });
    expect((await refusal(acquire(w.db, slug, gone.id, 1, {}))).code).toBe('unauthenticated');
    expect((await refusal(acquire(w.db, 'no-such-container', w.operator.id, 1, {}))).code).toBe('not-found');
  });

  test('P-2: an archived container takes no acquisition', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    await archiveContainer(w.db, slug, w.operator.id);
    expect((await refusal(acquire(w.db, slug, lead.id, 1, {}))).code).toBe('archived');
  });

  test('Q-2: the acquirer’s petition becomes granted with the grant’s number, by a collaboration revision of kind granted', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    const asked = await petition(w.db, slug, lead.id, { reason: 'Refunds' });
    const after = await w.lead(slug, lead);
    const page = await readCollaboration(w.db, slug, w.operator);
    expect(page.petitions).toEqual([{ ...asked, state: 'granted', grant: 1 }]);
    const [latest] = (await readCollaborationRevisions(w.db, slug, w.operator, { limit: 1 })).items;
    expect(latest).toMatchObject({ revision: asked.revision + 1, kind: 'granted', author: { id: lead.id }, at: after.grantedAt });
    expect(after.queue).toEqual([]);
  });

  test('LP-8: a grant that ended by silence is void the moment the next exists: leases reclaimed, blocks closed, drafts kept, its holder told', async () => {
    const [slug, lead, next] = await Promise.all([w.container(), w.person(), w.person()]);
    await w.lead(slug, lead);
    const leased = await w.lease(slug, lead, { grant: 1, to: lead.id, from: 5, through: 9 });
    const block = await assignBlock(w.db, slug, lead.id, { grant: 1, title: 'Ledger', assignee: next.id });
    await saveDraft(w.db, slug, lead.id, 'TS-5', 0, { grant: 1, title: 'Kept', body: 'Text' });
    await w.fallSilent(slug);
    const during = await readCollaboration(w.db, slug, w.operator);
    expect([during.leases[0]!.state, during.blocks[0]!.state]).toEqual(['active', 'open']);

    const after = await w.lead(slug, next);
    const page = await readCollaboration(w.db, slug, w.operator);
    expect(page.leases).toEqual([{ ...leased, state: 'reclaimed' }]);
    expect(page.blocks).toEqual([{ ...block, state: 'closed' }]);
    expect((await readDrafts(w.db, slug, lead, { limit: 9 })).items).toMatchObject([
      { identifier: 'TS-5', grant: 1, state: 'open', title: 'Kept' },
    ]);
    expect(await notices(lead.id)).toMatchObject([{ kind: 'grant-superseded', details: { grant: 1, by: next.name } }]);
    const { rows } = await w.db.query(
      `SELECT g.number, ended_by, ended_at FROM lock_grant g JOIN container c ON c.id = g.container_id WHERE slug = $1 ORDER BY g.number`,
      [slug],
    );
    expect(rows).toEqual([
      { number: 1, ended_by: 'silence', ended_at: after.grantedAt },
      { number: 2, ended_by: null, ended_at: null },
    ]);
    // The reclaimed range is free again for the new lead (L-4).
    expect(await w.lease(slug, next, { grant: 2, to: next.id, from: 5, through: 9 })).toMatchObject({
      from: 5,
      through: 9,
      state: 'active',
    });
  });

  test('LP-10: the caution stays on through the next acquisition, and names the first grant that fell silent', async () => {
    const [slug, a, b] = await Promise.all([w.container(), w.person(), w.person()]);
    await w.lead(slug, a);
    await w.fallSilent(slug);
    const silent = await w.lock(slug);
    expect(silent).toMatchObject({ badge: 'HOLDER SILENT', caution: true, cautionSince: silent.expiresAt, cautionGrant: 1 });
    const held = await w.lead(slug, b);
    expect(held).toMatchObject({ badge: 'HELD', caution: true, cautionSince: silent.cautionSince, cautionGrant: 1 });
    await letTimePass(w.db, slug, 5 * 3600);
    expect(await w.lead(slug, a)).toMatchObject({ grant: 3, caution: true, cautionGrant: 1 });
  });
});
