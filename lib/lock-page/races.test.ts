import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAudit } from '../audit/read';
import { petition } from '../collaboration/petition';
import { readCollaboration } from '../collaboration/read';
import { withdraw } from '../collaboration/withdraw';
import { rows, statement } from '../db/pool';
import type { Principal } from '../principals/record';
import { land } from '../register/land';
import { readLandings } from '../register/read';
import { clock, holdGate, letTimePass, openWorld, outcomes, refusal, waitUntil, waitUntilWaiting, type World } from '../testing/world';
import { plusSeconds } from '../time';
import { acquire } from './acquire';
import { clear } from './clear';
import { heartbeat } from './heartbeat';
import { release } from './release';
import { readLockRevisions } from './revisions';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const people = (count: number) => Promise.all(Array.from({ length: count }, () => w.person()));
const refusedWith = (done: unknown) => (done as { refused?: string } | undefined)?.refused;

/** Starts each call only once those before it wait at the gate, so that they are let through in this order. */
async function inOrder<T>(
  slug: string,
  calls: (() => Promise<T>)[],
  meanwhile?: () => Promise<unknown>,
): Promise<(T | { refused: string })[]> {
  const grip = await holdGate(w.db, slug);
  const started: Promise<T>[] = [];
  for (const call of calls) {
    started.push(call());
    await waitUntilWaiting(w.db, started.length, slug);
  }
  await meanwhile?.();
  const done = outcomes(started);
  await grip.letGo();
  return done;
}

describe('LP-2: edits that meet', () => {
  test('of two acquisitions from one base one wins, and the other is an edit-conflict with the page that shows who holds', async () => {
    const [slug, [a, b]] = await Promise.all([w.container(), people(2)]);
    const grip = await holdGate(w.db, slug);
    const first = acquire(w.db, slug, a!.id, 1, {});
    await waitUntilWaiting(w.db, 1, slug);
    const second = refusal(acquire(w.db, slug, b!.id, 1, {}));
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    const won = await first;
    expect(won).toMatchObject({ grant: 1, holder: { id: a!.id }, revision: 2 });
    expect(await second).toMatchObject({
      code: 'edit-conflict',
      members: { current: { revision: 2, grant: 1, holder: { id: a!.id }, badge: 'HELD' } },
    });
  });

  test('of ten acquisitions from one base at once exactly one wins, and one grant is given', async () => {
    const [slug, crowd] = await Promise.all([w.container(), people(10)]);
    const done = await inOrder(
      slug,
      crowd.map((p) => () => acquire(w.db, slug, p.id, 1, {})),
    );
    expect(done.filter((d) => 'grant' in d)).toHaveLength(1);
    expect(done.map(refusedWith).filter((code) => code === 'edit-conflict')).toHaveLength(9);
    expect(await w.lock(slug)).toMatchObject({ revision: 2, grant: 1, nextGrant: 2 });
  });

  test('of a clear and an acquisition over one silent holder the first wins, whichever it is', async () => {
    for (const clearFirst of [true, false]) {
      const [slug, [lead, next]] = await Promise.all([w.container(), people(2)]);
      await w.lead(slug, lead!);
      await w.fallSilent(slug);
      const calls = [() => clear(w.db, slug, w.operator.id, 2, { grant: 1, reason: 'Gone' }), () => acquire(w.db, slug, next!.id, 2, {})];
      const done = await inOrder(slug, clearFirst ? calls : calls.toReversed());
      expect(done.map((d) => refusedWith(d) ?? 'done')).toEqual(['done', clearFirst ? 'edit-conflict' : 'grant-moved']);
      expect((await w.lock(slug)).grant).toBe(clearFirst ? 1 : 2);
    }
  });
});

describe('R-1: a landing and a change of grant', () => {
  const entry = { identifier: 'TS-1', title: 'One', body: 'Text' };

  test('a landing that waited behind an acquisition is refused with a receipt, audited, and nothing of it is in the register', async () => {
    const [slug, [lead, next]] = await Promise.all([w.container(), people(2)]);
    await w.lead(slug, lead!);
    await w.lease(slug, lead!, { grant: 1, to: lead!.id, count: 5 });
    await w.fallSilent(slug);
    const grip = await holdGate(w.db, slug);
    const acquired = acquire(w.db, slug, next!.id, 2, {});
    await waitUntilWaiting(w.db, 1, slug);
    const landed = refusal(w.push(slug, lead!, 1, [entry]));
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    const { grantedAt, expiresAt } = await acquired;
    const holder = { id: next!.id, name: next!.name, kind: 'person' };
    expect((await landed).toJSON()).toMatchObject({
      code: 'grant-superseded',
      status: 409,
      yourGrant: 1,
      currentGrant: 2,
      holder,
      grantedAt,
      expiresAt,
    });
    expect((await readLandings(w.db, slug, w.operator, { limit: 9 })).items).toEqual([]);
    expect((await readAudit(w.db, slug, w.operator, { limit: 1 })).items[0]).toMatchObject({
      action: 'refused',
      target: 'landing',
      grant: 1,
      reason: 'grant-superseded',
      actor: { id: lead!.id },
    });
    const { rows: entries } = await w.db.query(`SELECT 1 FROM entry_revision r JOIN container c ON c.id = r.container_id WHERE slug = $1`, [
      slug,
    ]);
    expect(entries).toEqual([]);
  });

  test('a landing that began under a live grant and waited behind a release or a clear is refused', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    await w.push(slug, lead!, 1);
    const done = await inOrder<unknown>(slug, [() => release(w.db, slug, lead!.id, 2, { grant: 1 }), () => w.push(slug, lead!, 1)]);
    expect(refusedWith(done[1])).toBe('grant-released');

    await w.lead(slug, lead!);
    await w.fallSilent(slug);
    const base = await w.revision(slug);
    const after = await inOrder<unknown>(slug, [
      () => clear(w.db, slug, w.operator.id, base, { grant: 2, reason: 'Gone' }),
      () => w.push(slug, lead!, 2),
    ]);
    expect(refusedWith(after[1])).toBe('grant-cleared');
  });

  test('a landing that came first stands, and the release behind it counts it as its push', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    const done = await inOrder<unknown>(slug, [() => w.push(slug, lead!, 1), () => release(w.db, slug, lead!.id, 2, { grant: 1 })]);
    expect(done).toMatchObject([{ sequence: 1 }, { holder: null }]);
  });
});

describe('LP-5: a heartbeat against an acquisition at the expiry', () => {
  /** A lead whose grant has `seconds` left, and another coworker. */
  async function nearExpiry(seconds: number) {
    const [slug, [lead, next]] = await Promise.all([w.container(), people(2)]);
    await w.lead(slug, lead!);
    await letTimePass(w.db, slug, 4 * 3600 - seconds);
    return {
      slug,
      beat: () => heartbeat(w.db, slug, lead!.id, 2, { grant: 1 }),
      take: () => acquire(w.db, slug, next!.id, 2, {}),
      lead: lead!,
      next: next!,
    };
  }

  test('before the expiry the heartbeat wins in either order', async () => {
    for (const beatFirst of [true, false]) {
      const { slug, beat, take, lead } = await nearExpiry(600);
      const done = await inOrder<unknown>(slug, beatFirst ? [beat, take] : [take, beat]);
      expect(done.map(refusedWith)).toEqual(beatFirst ? [undefined, 'edit-conflict'] : ['lock-held', undefined]);
      expect(await w.lock(slug)).toMatchObject({ grant: 1, holder: { id: lead.id }, revision: 3 });
    }
  });

  test('past the expiry the acquisition wins in either order: nothing revives a dead grant', async () => {
    for (const beatFirst of [true, false]) {
      const { slug, beat, take, next } = await nearExpiry(0);
      const done = await inOrder<unknown>(slug, beatFirst ? [beat, take] : [take, beat]);
      expect(done.map(refusedWith)).toEqual(beatFirst ? ['grant-expired', undefined] : [undefined, 'grant-superseded']);
      expect(await w.lock(slug)).toMatchObject({ grant: 2, holder: { id: next.id }, revision: 3 });
    }
  });

  test('at the expiry itself never both win, and the page shows which did', async () => {
    for (let round = 0; round < 8; round++) {
      const { slug, beat, take, lead, next } = await nearExpiry(0.004);
      const done = await outcomes<unknown>(round % 2 ? [beat(), take()] : [take(), beat()]);
      const page = await w.lock(slug);
      const won = done.filter((d) => refusedWith(d) === undefined);
      // Both may be refused: the acquisition came before the expiry, the heartbeat after it.
      expect(won.length).toBeLessThanOrEqual(1);
      if (won.length === 1) expect(page.holder!.id).toBe(page.grant === 1 ? lead.id : next.id);
      expect(page.revision).toBe(2 + won.length);
    }
  });
});

describe('T-1: judged by the clock after the wait, also behind a locker that rolled back', () => {
  const TOUCH = statement(`UPDATE lock_page SET revision = revision WHERE container_id = (SELECT id FROM container WHERE slug = $1)`);

  /**
   * A lead with a term of 1 s; a locker that holds the gate and the page's row; calls that come
   * before the expiry and wait; then the locker rolls back, after the expiry. Where a slow machine
   * was not ready before the expiry, again with a longer term.
   */
  async function acrossTheExpiry<T>(
    calls: (on: { slug: string; lead: Principal; next: Principal }) => (() => Promise<T>)[],
  ): Promise<{ slug: string; expiresAt: string; done: (T | { refused: string })[] }> {
    for (let termSeconds = 1; ; termSeconds *= 2) {
      const [slug, [lead, next]] = await Promise.all([w.container({ termSeconds }), people(2)]);
      const { expiresAt } = await w.lead(slug, lead!);
      const grip = await holdGate(w.db, slug, 'exclusive', (client) => rows(client, TOUCH, [slug]));
      const started: Promise<T>[] = [];
      for (const call of calls({ slug, lead: lead!, next: next! })) {
        started.push(call());
        await waitUntilWaiting(w.db, started.length, slug);
      }
      const done = outcomes(started);
      const inTime = (await clock(w.db)) < expiresAt!;
      if (inTime) await waitUntil(w.db, expiresAt!);
      await grip.letGo('roll back');
      if (inTime) return { slug, expiresAt: expiresAt!, done: await done };
      await done;
    }
  }

  test.concurrent('a heartbeat that came before the expiry and waited past it is refused: it revives nothing', async () => {
    const { slug, expiresAt, done } = await acrossTheExpiry(({ slug: at, lead }) => [() => heartbeat(w.db, at, lead.id, 2, { grant: 1 })]);
    expect(done).toEqual([{ refused: 'grant-expired' }]);
    expect(await w.lock(slug)).toMatchObject({ badge: 'HOLDER SILENT', expiresAt, revision: 2, caution: true });
  });

  test.concurrent('a landing that came before the expiry and waited past it is refused: nothing of it is in the register', async () => {
    const { slug, done } = await acrossTheExpiry(({ slug: at, lead }) => [() => w.push(at, lead, 1)]);
    expect(done).toEqual([{ refused: 'grant-expired' }]);
    expect((await readLandings(w.db, slug, w.operator, { limit: 9 })).items).toEqual([]);
  });

  test.concurrent('a release that came before the expiry and waited past it is refused', async () => {
    const { done } = await acrossTheExpiry<unknown>(({ slug: at, lead }) => [
      () => w.push(at, lead, 1),
      () => release(w.db, at, lead.id, 2, { grant: 1 }),
    ]);
    expect(done).toEqual([{ refused: 'grant-expired' }, { refused: 'grant-expired' }]);
  });

  test.concurrent(
    'an acquisition that came while the lock was held and waited past the expiry is granted, from an instant after it',
    async () => {
      const { slug, expiresAt, done } = await acrossTheExpiry(({ slug: at, next }) => [() => acquire(w.db, at, next.id, 2, {})]);
      const [held] = done as Awaited<ReturnType<typeof acquire>>[];
      expect(held).toMatchObject({ grant: 2, badge: 'HELD', caution: true, cautionSince: expiresAt, cautionGrant: 1 });
      expect(held!.grantedAt! >= expiresAt).toBe(true);
      expect((await readLockRevisions(w.db, slug, w.operator, { limit: 1 })).items[0]!.at).toBe(held!.grantedAt);
    },
  );

  test.concurrent(
    'an acquisition that waited behind another’s rolled back one is judged by the clock too: a waiter’s window may have passed',
    async () => {
      const [slug, [lead, head, passer]] = await Promise.all([w.container({ windowSeconds: 1 }), people(3)]);
      await w.lead(slug, lead!);
      await petition(w.db, slug, head!.id, { reason: 'Next' });
      await w.push(slug, lead!, 1);
      const { availableSince } = await release(w.db, slug, lead!.id, 2, { grant: 1 });
      const grip = await holdGate(w.db, slug, 'exclusive', (client) => rows(client, TOUCH, [slug]));
      const taken = acquire(w.db, slug, passer!.id, 3, {});
      await waitUntilWaiting(w.db, 1, slug);
      await waitUntil(w.db, plusSeconds(availableSince!, 1));
      await grip.letGo('roll back');
      expect(await taken).toMatchObject({ grant: 2, holder: { id: passer!.id } });
    },
  );
});

describe('Q-1, Q-2: petitions that meet', () => {
  test('two petitions from one base both succeed, and the queue’s order is their revisions’ order', async () => {
    const [slug, [a, b]] = await Promise.all([w.container(), people(2)]);
    const { revision } = await readCollaboration(w.db, slug, w.operator);
    const made = await inOrder(slug, [
      () => petition(w.db, slug, a!.id, { reason: 'One' }),
      () => petition(w.db, slug, b!.id, { reason: 'Two' }),
    ]);
    const revisions = made.map((m) => ('revision' in m ? m.revision : NaN)).sort((x, y) => x - y);
    expect(revisions).toEqual([revision + 1, revision + 2]);
    await expectQueueInOrder(slug, 2);
  });

  test('twenty petitions at once get twenty revisions, without a gap; number order, time order and queue order are one', async () => {
    const [slug, crowd] = await Promise.all([w.container(), people(20)]);
    const made = await Promise.all(crowd.map((p) => petition(w.db, slug, p.id, { reason: 'Now' })));
    expect(made.map((m) => m.revision).sort((x, y) => x - y)).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    await expectQueueInOrder(slug, 20);
  });

  async function expectQueueInOrder(slug: string, count: number) {
    const { queue } = await w.lock(slug);
    const { petitions } = await readCollaboration(w.db, slug, w.operator);
    expect(queue.map((q) => q.place)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    expect(queue.map((q) => q.revision)).toEqual(petitions.map((p) => p.revision));
    const { rows: history } = await w.db.query(
      `SELECT r.revision, r.author_id, r.at FROM collaboration_revision r JOIN container c ON c.id = r.container_id WHERE slug = $1 AND kind = 'petition' ORDER BY r.revision`,
      [slug],
    );
    expect(queue.map((q) => [q.revision, q.principal.id, q.since])).toEqual(history.map((h) => [h.revision, h.author_id, h.at]));
    expect([...queue].sort((x, y) => (x.since < y.since ? -1 : 1))).toEqual(queue);
  }

  test('of one principal’s two petitions at once one succeeds, the other is already-waiting with its id, and one revision was made', async () => {
    const [slug, [a]] = await Promise.all([w.container(), people(1)]);
    const grip = await holdGate(w.db, slug);
    const calls = [0, 1].map(() =>
      petition(w.db, slug, a!.id, { reason: 'Twice' }).then(
        (made) => ({ made }),
        (refused) => ({ refused }),
      ),
    );
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    const done = await Promise.all(calls);
    const made = done.flatMap((d) => ('made' in d ? [d.made] : []));
    const refused = done.flatMap((d) => ('refused' in d ? [d.refused] : []));
    expect(made).toHaveLength(1);
    expect(refused).toMatchObject([{ code: 'already-waiting', members: { petition: made[0]!.id } }]);
    expect((await readCollaboration(w.db, slug, w.operator)).revision).toBe(2);
  });

  test('Q-4: none slips past an acquisition: who petitions behind one’s own acquisition is already-holder, and before it is granted', async () => {
    for (const petitionFirst of [true, false]) {
      const [slug, [a]] = await Promise.all([w.container(), people(1)]);
      const calls = [() => petition(w.db, slug, a!.id, { reason: 'Me' }), () => acquire(w.db, slug, a!.id, 1, {})];
      const done = await inOrder<unknown>(slug, petitionFirst ? calls : calls.toReversed());
      const { petitions } = await readCollaboration(w.db, slug, w.operator);
      if (petitionFirst) expect(petitions).toMatchObject([{ state: 'granted', grant: 1 }]);
      else expect([refusedWith(done[1]), petitions]).toEqual(['already-holder', []]);
    }
  });

  test('Q-4: an acquisition out of turn behind a petition is refused, before it granted; and a withdrawal that came first frees the turn', async () => {
    const [slug, [a, b]] = await Promise.all([w.container(), people(2)]);
    const done = await inOrder<unknown>(slug, [
      () => petition(w.db, slug, a!.id, { reason: 'First' }),
      () => acquire(w.db, slug, b!.id, 1, {}),
    ]);
    expect(refusedWith(done[1])).toBe('not-your-turn');
    const { id } = (await readCollaboration(w.db, slug, w.operator)).petitions[0]!;
    const after = await inOrder<unknown>(slug, [() => withdraw(w.db, slug, a!.id, id), () => acquire(w.db, slug, b!.id, 1, {})]);
    expect(after[1]).toMatchObject({ grant: 1, holder: { id: b!.id } });
  });

  test('of two withdrawals of one petition one succeeds, the other is wrong-state', async () => {
    const [slug, [a]] = await Promise.all([w.container(), people(1)]);
    const { id } = await petition(w.db, slug, a!.id, { reason: 'Changed my mind' });
    const done = await inOrder(
      slug,
      [a!, w.operator].map((p) => () => withdraw(w.db, slug, p.id, id)),
    );
    expect(done.map(refusedWith).filter(Boolean)).toEqual(['wrong-state']);
    expect((await readCollaboration(w.db, slug, w.operator)).revision).toBe(3);
  });
});

describe('leases and landings that meet', () => {
  test('L-3: of two overlapping leases at once one is given, the other is range-taken with the first clash', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    const grip = await holdGate(w.db, slug);
    const first = w.lease(slug, lead!, { grant: 1, to: lead!.id, from: 10, through: 20 });
    await waitUntilWaiting(w.db, 1, slug);
    const second = refusal(w.lease(slug, lead!, { grant: 1, to: lead!.id, from: 18, through: 30 }));
    await waitUntilWaiting(w.db, 2, slug);
    await grip.letGo();
    expect(await first).toMatchObject({ from: 10, through: 20 });
    expect(await second).toMatchObject({ code: 'range-taken', members: { from: 18, through: 20 } });
  });

  test('L-2: leases of the next n at once never overlap and leave no gap', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    const given = await Promise.all(Array.from({ length: 12 }, (_, i) => w.lease(slug, lead!, { grant: 1, to: lead!.id, count: i + 1 })));
    const ordered = given.sort((x, y) => x.from - y.from);
    ordered.forEach((l, i) => expect(l.from).toBe(i === 0 ? 1 : ordered[i - 1]!.through + 1));
    expect(ordered.at(-1)!.through).toBe(78);
  });

  test('R-1: a lease that waited behind an acquisition is refused with a receipt', async () => {
    const [slug, [lead, next]] = await Promise.all([w.container(), people(2)]);
    await w.lead(slug, lead!);
    await w.fallSilent(slug);
    const done = await inOrder<unknown>(slug, [
      () => acquire(w.db, slug, next!.id, 2, {}),
      () => w.lease(slug, lead!, { grant: 1, to: lead!.id, count: 1 }),
    ]);
    expect(refusedWith(done[1])).toBe('grant-superseded');
  });

  test('R-4: the same landing sent twice at once lands once, and both get the same answer', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    await w.lease(slug, lead!, { grant: 1, to: lead!.id, count: 3 });
    const key = randomUUID();
    const body = { grant: 1, message: 'Once', entries: [{ identifier: 'TS-2', title: 'Two', body: 'Text' }] };
    const done = await inOrder(
      slug,
      Array.from({ length: 4 }, () => () => land(w.db, slug, lead!.id, key, body)),
    );
    expect(new Set(done.map((d) => JSON.stringify(d))).size).toBe(1);
    expect(done[0]).toMatchObject({ sequence: 1, entries: [{ identifier: 'TS-2' }] });
    expect((await readLandings(w.db, slug, w.operator, { limit: 9 })).items).toHaveLength(1);
  });

  test('R-5: landings at once get gapless numbers, each with the digest of the one before', async () => {
    const [slug, [lead]] = await Promise.all([w.container(), people(1)]);
    await w.lead(slug, lead!);
    await Promise.all(Array.from({ length: 10 }, () => w.push(slug, lead!, 1)));
    const { items } = await readLandings(w.db, slug, w.operator, { limit: 20 });
    expect(items.map((l) => l.sequence)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    items.forEach((l, i) => expect(l.previousDigest).toBe(items[i + 1]?.digest ?? '0'.repeat(64)));
  });
});
