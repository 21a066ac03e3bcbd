import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assignBlock } from '../collaboration/block';
import { readCollaboration } from '../collaboration/read';
import { clearInput } from '../schemas/inputs';
import { openWorld, refusal, type World } from '../testing/world';
import { clear } from './clear';
import { heartbeat } from './heartbeat';
import { release } from './release';
import { readLockRevisions } from './revisions';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const tryClear = async (slug: string, grant: number, who: { id: string } = w.operator, reason = 'No answer since noon') =>
  clear(w.db, slug, who.id, await w.revision(slug), { grant, reason });

async function held() {
  const [slug, lead] = await Promise.all([w.container(), w.person()]);
  await w.lead(slug, lead, 'Refunds');
  return { slug, lead };
}

describe('LP-7: clear', () => {
  test('while somebody holds it is not-silent, with when it can be cleared', async () => {
    const { slug } = await held();
    const { expiresAt } = await w.lock(slug);
    expect(await refusal(tryClear(slug, 1))).toMatchObject({ code: 'not-silent', status: 409, members: { clearableAt: expiresAt } });
  });

  test('with no holder it is not-silent with null: never granted, released, cleared already', async () => {
    const fresh = await w.container();
    expect(await refusal(tryClear(fresh, 0))).toMatchObject({ code: 'not-silent', members: { clearableAt: null } });
    const { slug, lead } = await held();
    await w.push(slug, lead, 1);
    await release(w.db, slug, lead.id, await w.revision(slug), { grant: 1 });
    expect((await refusal(tryClear(slug, 1))).members).toEqual({ clearableAt: null });
    await w.lead(slug, lead);
    await w.fallSilent(slug);
    await tryClear(slug, 2);
    expect((await refusal(tryClear(slug, 2))).members).toEqual({ clearableAt: null });
  });

  test('a grant that is not the page’s is grant-moved with the current one, whatever the base', async () => {
    const { slug, lead } = await held();
    await w.fallSilent(slug);
    await w.lead(slug, lead);
    await w.fallSilent(slug);
    expect(await refusal(tryClear(slug, 1))).toMatchObject({ code: 'grant-moved', status: 409, members: { currentGrant: 2 } });
    expect(await refusal(clear(w.db, slug, w.operator.id, 1, { grant: 3, reason: 'Gone' }))).toMatchObject({ code: 'grant-moved' });
    expect((await w.lock(slug)).badge).toBe('HOLDER SILENT');
  });

  test('only an operator may', async () => {
    const { slug, lead } = await held();
    await w.fallSilent(slug);
    expect(await refusal(tryClear(slug, 1, lead))).toMatchObject({ code: 'forbidden', members: { neededRole: 'operator' } });
  });

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['a blank one', ' \n\t'],
    ['one of 1,001 characters', 'x'.repeat(1001)],
  ])('needs a reason of 1 to 1,000 characters that is not blank: %s is refused', (_which, reason) => {
    expect(clearInput.safeParse({ grant: 1, reason }).success).toBe(false);
    expect(clearInput.safeParse({ grant: 1, reason: 'x'.repeat(1000) }).success).toBe(true);
  });

  test('takes the silent holder off the page: available since the old expiry, the grant stays, the caution stays on', async () => {
    const { slug } = await held();
    await w.fallSilent(slug, 60);
    const before = await w.lock(slug);
    const after = await tryClear(slug, 1);
    expect(after).toMatchObject({
      revision: before.revision + 1,
      holder: null,
      reason: '',
      grant: 1,
      nextGrant: 2,
      availableSince: before.expiresAt,
      badge: 'OPEN',
      caution: true,
      cautionSince: before.expiresAt,
      cautionGrant: 1,
    });
    const next = await w.lead(slug, w.operator);
    expect(next).toMatchObject({ grant: 2, caution: true, cautionSince: before.expiresAt, cautionGrant: 1 });
  });

  test('writes an audit line on the lock page that stands by itself, and its revision carries the reason too', async () => {
    const { slug, lead } = await held();
    await w.fallSilent(slug, 60);
    const { holder, grantedAt, lastBeatAt, expiresAt } = await w.lock(slug);
    const after = await tryClear(slug, 1);
    expect(after.audit).toEqual([
      {
        at: after.now,
        actor: { id: w.operator.id, name: w.operator.name, kind: 'person' },
        action: 'clear',
        target: 'lock',
        grant: 1,
        reason: 'No answer since noon',
        details: { operator: w.operator.name, holder, grantedAt, lastBeatAt, expiresAt, heldBecause: 'Refunds' },
      },
    ]);
    expect((await readLockRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({
      kind: 'clear',
      reason: 'No answer since noon',
      at: after.now,
    });
    const { rows } = await w.db.query(`SELECT kind, details FROM notice WHERE principal_id = $1`, [lead.id]);
    expect(rows).toEqual([{ kind: 'lock-cleared', details: { grant: 1, by: w.operator.name, reason: 'No answer since noon' } }]);
  });

  test('LP-8: everything under the cleared grant is void, and it can never land, beat or release again', async () => {
    const { slug, lead } = await held();
    const leased = await w.lease(slug, lead, { grant: 1, to: lead.id, from: 1, through: 3 });
    const block = await assignBlock(w.db, slug, lead.id, { grant: 1, title: 'Ledger', assignee: lead.id });
    await w.fallSilent(slug);
    await tryClear(slug, 1);
    const page = await readCollaboration(w.db, slug, w.operator);
    expect(page.leases).toEqual([{ ...leased, state: 'reclaimed' }]);
    expect(page.blocks).toEqual([{ ...block, state: 'closed' }]);
    const revision = await w.revision(slug);
    const calls = [
      w.push(slug, lead, 1),
      heartbeat(w.db, slug, lead.id, revision, { grant: 1 }),
      release(w.db, slug, lead.id, revision, { grant: 1 }),
    ];
    for (const refused of await Promise.all(calls.map(refusal)))
      expect(refused).toMatchObject({ code: 'grant-cleared', members: { yourGrant: 1, currentGrant: 1, holder: null } });
    await w.lead(slug, lead);
    expect((await refusal(w.push(slug, lead, 1))).code).toBe('grant-superseded');
    expect((await w.push(slug, lead, 2)).sequence).toBe(1);
  });
});
