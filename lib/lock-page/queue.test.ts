import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petition } from '../collaboration/petition';
import { readCollaboration, readCollaborationRevisions } from '../collaboration/read';
import { withdraw } from '../collaboration/withdraw';
import { changeContainer } from '../containers/change';
import type { Principal } from '../principals/record';
import { letTimePass, openWorld, refusal, type World } from '../testing/world';
import { plusSeconds } from '../time';
import { acquire } from './acquire';
import { clear } from './clear';
import { release } from './release';

const W = 900;
let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const people = (count: number) => Promise.all(Array.from({ length: count }, () => w.person()));
const tryAcquire = async (slug: string, who: Principal) => acquire(w.db, slug, who.id, await w.revision(slug), {});
const ref = ({ id, name, kind }: Principal) => ({ id, name, kind });

/** A container that its lead just released, with two waiters, and one who does not wait. */
async function handover() {
  const [slug, [lead, head, second, passer]] = await Promise.all([w.container(), people(4)]);
  await w.lead(slug, lead!);
  const asked = await petition(w.db, slug, head!.id, { reason: 'Ledger' });
  await petition(w.db, slug, second!.id, { reason: 'Refunds' });
  await w.push(slug, lead!, 1);
  const { availableSince } = await release(w.db, slug, lead!.id, await w.revision(slug), { grant: 1 });
  return { slug, head: head!, second: second!, passer: passer!, asked, availableSince: availableSince! };
}

describe('Q-3: whose turn it is', () => {
  test('in its window the head alone may; the others are told whose turn it is and when theirs begins, to the microsecond', async () => {
    const { slug, head, second, passer, availableSince } = await handover();
    const page = await w.lock(slug);
    expect(page).toMatchObject({ badge: 'HANDOVER', othersTurnAt: plusSeconds(availableSince, 2 * W) });
    expect(page.queue).toMatchObject([
      { principal: ref(head), place: 1, turnAt: availableSince, turnEndsAt: plusSeconds(availableSince, W) },
      { principal: ref(second), place: 2, turnAt: plusSeconds(availableSince, W), turnEndsAt: plusSeconds(availableSince, 2 * W) },
    ]);
    expect(await refusal(tryAcquire(slug, second))).toMatchObject({
      code: 'not-your-turn',
      status: 409,
      members: { turnOf: ref(head), yourTurnAt: plusSeconds(availableSince, W) },
    });
    expect(await refusal(tryAcquire(slug, passer))).toMatchObject({
      code: 'not-your-turn',
      members: { turnOf: ref(head), yourTurnAt: plusSeconds(availableSince, 2 * W) },
    });
    expect(await refusal(tryAcquire(slug, w.operator))).toMatchObject({ code: 'not-your-turn' });
    expect((await w.lock(slug)).revision).toBe(page.revision);
    expect(await tryAcquire(slug, head)).toMatchObject({ grant: 2, holder: ref(head) });
  });

  test('the head silent past its window: the next waiter may, who does not wait may not yet', async () => {
    const { slug, head, second, passer } = await handover();
    await letTimePass(w.db, slug, W);
    const t0 = (await w.lock(slug)).availableSince!;
    expect(await refusal(tryAcquire(slug, passer))).toMatchObject({
      code: 'not-your-turn',
      members: { turnOf: ref(second), yourTurnAt: plusSeconds(t0, 2 * W) },
    });
    expect(await tryAcquire(slug, second)).toMatchObject({ grant: 2, holder: ref(second) });
    expect((await w.lock(slug)).queue).toMatchObject([{ principal: ref(head), place: 1 }]);
  });

  test('the head silent past its window: the head still may', async () => {
    const { slug, head } = await handover();
    await letTimePass(w.db, slug, W + 1);
    expect(await tryAcquire(slug, head)).toMatchObject({ grant: 2, holder: ref(head) });
  });

  test('all waiters silent past their windows: any coworker may, and the waiters stay in the queue', async () => {
    const { slug, head, second, passer } = await handover();
    await letTimePass(w.db, slug, 2 * W);
    expect(await tryAcquire(slug, passer)).toMatchObject({ grant: 2, holder: ref(passer) });
    expect((await w.lock(slug)).queue.map((q) => q.principal.id)).toEqual([head.id, second.id]);
  });

  test('a new container is available from its creation', async () => {
    const [slug, [head, passer]] = await Promise.all([w.container(), people(2)]);
    const { availableSince } = await w.lock(slug);
    const { at } = await petition(w.db, slug, head!.id, { reason: 'First' });
    expect(at > availableSince!).toBe(true);
    expect(await refusal(tryAcquire(slug, passer!))).toMatchObject({
      code: 'not-your-turn',
      members: { turnOf: ref(head!), yourTurnAt: plusSeconds(at, W) },
    });
  });

  test('behind a silent holder the turns begin at its expiry', async () => {
    const [slug, [lead, head, passer]] = await Promise.all([w.container(), people(3)]);
    await w.lead(slug, lead!);
    await petition(w.db, slug, head!.id, { reason: 'Next' });
    await w.fallSilent(slug, 60);
    const { expiresAt, queue } = await w.lock(slug);
    expect(queue[0]).toMatchObject({ turnAt: expiresAt, turnEndsAt: plusSeconds(expiresAt!, W) });
    expect(await refusal(tryAcquire(slug, passer!))).toMatchObject({
      code: 'not-your-turn',
      members: { turnOf: ref(head!), yourTurnAt: plusSeconds(expiresAt!, W) },
    });
    expect(await refusal(tryAcquire(slug, lead!))).toMatchObject({ code: 'not-your-turn' });
    expect(await tryAcquire(slug, head!)).toMatchObject({ grant: 2 });
  });

  test('a silent holder that petitions anew stands where its petition does', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    await w.fallSilent(slug, 60);
    const { at } = await petition(w.db, slug, lead!.id, { reason: 'Back again' });
    expect((await w.lock(slug)).queue).toMatchObject([{ principal: ref(lead!), turnAt: at }]);
    expect(await tryAcquire(slug, lead!)).toMatchObject({ grant: 2, reason: 'Back again' });
  });

  test('LP-7: after a clear the turns still begin at the old expiry', async () => {
    const [slug, [lead, head, second]] = await Promise.all([w.container(), people(3)]);
    await w.lead(slug, lead!);
    await petition(w.db, slug, head!.id, { reason: 'Next' });
    await petition(w.db, slug, second!.id, { reason: 'After' });
    await w.fallSilent(slug, W + 5);
    const { expiresAt } = await w.lock(slug);
    const cleared = await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 1, reason: 'Gone' });
    expect(cleared).toMatchObject({ badge: 'HANDOVER', availableSince: expiresAt });
    expect(await tryAcquire(slug, second!)).toMatchObject({ grant: 2 });
  });

  test('one withdrawn within its slot: the next waiter’s turn begins at the withdrawal', async () => {
    const { slug, head, second, passer, asked } = await handover();
    await letTimePass(w.db, slug, 60);
    await withdraw(w.db, slug, head.id, asked.id);
    const { rows } = await w.db.query(`SELECT ended_at FROM petition WHERE id = $1`, [asked.id]);
    expect((await w.lock(slug)).queue).toMatchObject([{ principal: ref(second), place: 1, turnAt: rows[0].ended_at }]);
    expect(await refusal(tryAcquire(slug, passer))).toMatchObject({
      members: { turnOf: ref(second), yourTurnAt: plusSeconds(rows[0].ended_at, W) },
    });
    expect(await tryAcquire(slug, second)).toMatchObject({ grant: 2 });
  });

  test('one withdrawn after its window does not move the running slot', async () => {
    const { slug, head, second, asked } = await handover();
    await letTimePass(w.db, slug, W + 60);
    const before = (await w.lock(slug)).queue[1]!;
    await withdraw(w.db, slug, head.id, asked.id);
    expect((await w.lock(slug)).queue).toMatchObject([{ principal: ref(second), turnAt: before.turnAt, turnEndsAt: before.turnEndsAt }]);
  });

  test('one withdrawn before the lock became available has no slot', async () => {
    const [slug, [lead, head, second]] = await Promise.all([w.container(), people(3)]);
    await w.lead(slug, lead!);
    const gone = await petition(w.db, slug, head!.id, { reason: 'Changed my mind' });
    await petition(w.db, slug, second!.id, { reason: 'Next' });
    await withdraw(w.db, slug, head!.id, gone.id);
    await w.fallSilent(slug, 1);
    const { queue, expiresAt } = await w.lock(slug);
    expect(queue).toMatchObject([{ principal: ref(second!), turnAt: expiresAt }]);
  });

  test('a late petition stands behind the slots that run, and at its own time when none does', async () => {
    const { slug, passer, availableSince } = await handover();
    await petition(w.db, slug, passer.id, { reason: 'Late' });
    expect((await w.lock(slug)).queue[2]).toMatchObject({ turnAt: plusSeconds(availableSince, 2 * W) });
    await letTimePass(w.db, slug, 3 * W);
    const [later] = await people(1);
    const { at } = await petition(w.db, slug, later!.id, { reason: 'Later still' });
    expect((await w.lock(slug)).queue[3]).toMatchObject({ principal: ref(later!), turnAt: at });
    expect(await tryAcquire(slug, later!)).toMatchObject({ grant: 2 });
  });
});

describe('P-2: the window', () => {
  test('a new window waits for the next availability while a handover runs', async () => {
    const { slug, head, availableSince } = await handover();
    await changeContainer(w.db, slug, w.operator.id, 1, { windowSeconds: 60 });
    expect((await w.lock(slug)).queue[1]).toMatchObject({ turnAt: plusSeconds(availableSince, W) });
    await tryAcquire(slug, head);
    await w.push(slug, head, 2);
    const next = await release(w.db, slug, head.id, await w.revision(slug), { grant: 2 });
    expect(next.queue[0]).toMatchObject({ turnEndsAt: plusSeconds(next.availableSince!, 60) });
  });

  test('behind a silent holder the running window stays, also through a clear', async () => {
    const [slug, [lead, head]] = await Promise.all([w.container(), people(2)]);
    await w.lead(slug, lead!);
    await petition(w.db, slug, head!.id, { reason: 'Next' });
    await w.fallSilent(slug);
    const { expiresAt } = await w.lock(slug);
    await changeContainer(w.db, slug, w.operator.id, 1, { windowSeconds: 60 });
    expect((await w.lock(slug)).othersTurnAt).toBe(plusSeconds(expiresAt!, W));
    const cleared = await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant: 1, reason: 'Gone' });
    expect(cleared.othersTurnAt).toBe(plusSeconds(expiresAt!, W));
  });

  test('a window changed while somebody holds governs the next availability, whether by release or by silence', async () => {
    const [slug, [lead, head]] = await Promise.all([w.container(), people(2)]);
    await w.lead(slug, lead!);
    await changeContainer(w.db, slug, w.operator.id, 1, { windowSeconds: 60 });
    await petition(w.db, slug, head!.id, { reason: 'Next' });
    await w.fallSilent(slug);
    const { expiresAt, othersTurnAt } = await w.lock(slug);
    expect(othersTurnAt).toBe(plusSeconds(expiresAt!, 60));
  });
});

describe('Q-6: lapsing', () => {
  const states = async (slug: string) =>
    Object.fromEntries((await readCollaboration(w.db, slug, w.operator)).petitions.map((p) => [p.principal.id, p.state]));
  /** The present lead lands nothing and releases; then `seconds` go by and another acquires. */
  async function handOver(slug: string, from: Principal, grant: number, seconds: number, to: Principal) {
    await w.push(slug, from, grant);
    await release(w.db, slug, from.id, await w.revision(slug), { grant });
    await letTimePass(w.db, slug, seconds);
    return tryAcquire(slug, to);
  }

  test('a waiter whose whole window went by in two handovers is lapsed by the second acquisition and told; it may petition again', async () => {
    const [slug, [a, b, c]] = await Promise.all([w.container(), people(3)]);
    await w.lead(slug, a!);
    const asked = await petition(w.db, slug, b!.id, { reason: 'Ledger' });
    await handOver(slug, a!, 1, W, c!);
    expect(await states(slug)).toEqual({ [b!.id]: 'waiting' });
    const after = await handOver(slug, c!, 2, W, a!);
    expect(await states(slug)).toEqual({ [b!.id]: 'lapsed' });
    expect(after.queue).toEqual([]);
    const { rows } = await w.db.query(`SELECT kind, details, at FROM notice WHERE principal_id = $1`, [b!.id]);
    expect(rows).toEqual([
      { kind: 'petition-lapsed', details: { petition: asked.id, reason: 'Ledger', acquiredBy: a!.name }, at: after.grantedAt },
    ]);
    expect((await readCollaborationRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({
      kind: 'lapsed',
      author: null,
    });
    expect((await petition(w.db, slug, b!.id, { reason: 'Again' })).state).toBe('waiting');
  });

  test('a handover in which only part of its window went by does not count', async () => {
    const [slug, [a, b, c]] = await Promise.all([w.container(), people(3)]);
    await w.lead(slug, a!);
    await petition(w.db, slug, b!.id, { reason: 'Ledger' });
    await petition(w.db, slug, c!.id, { reason: 'Refunds' });
    // In each, the head’s window goes by whole and the next waiter takes the lock within its own.
    await handOver(slug, a!, 1, W + 1, c!);
    await petition(w.db, slug, a!.id, { reason: 'Back' });
    await petition(w.db, slug, w.operator.id, { reason: 'Audit' });
    await handOver(slug, c!, 2, W + 1, a!);
    expect(await states(slug)).toMatchObject({ [b!.id]: 'lapsed', [w.operator.id]: 'waiting' });
    const { rows } = await w.db.query(`SELECT missed FROM petition WHERE principal_id = $1`, [w.operator.id]);
    expect(rows).toEqual([{ missed: 0 }]);
  });

  test('one missed handover and another in which the window did not go by whole do not lapse a waiter', async () => {
    const [slug, [a, b, c, d]] = await Promise.all([w.container(), people(4)]);
    await w.lead(slug, a!);
    await petition(w.db, slug, b!.id, { reason: 'Ledger' });
    await petition(w.db, slug, c!.id, { reason: 'Refunds' });
    await handOver(slug, a!, 1, 2 * W, d!);
    await handOver(slug, d!, 2, 0, b!);
    expect(await states(slug)).toEqual({ [b!.id]: 'granted', [c!.id]: 'waiting' });
  });

  test('one’s own late acquisition is no missed handover', async () => {
    const [slug, [a, b]] = await Promise.all([w.container(), people(2)]);
    await w.lead(slug, a!);
    await petition(w.db, slug, b!.id, { reason: 'Ledger' });
    await handOver(slug, a!, 1, 2 * W, b!);
    expect(await states(slug)).toEqual({ [b!.id]: 'granted' });
  });
});
