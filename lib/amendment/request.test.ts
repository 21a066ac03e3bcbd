/** who may ask, and the queue. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAlerts, raiseAlert } from '../alerts';
import { archiveContainer } from '../containers/change';
import { beginRecovery, finishStep, STEPS } from '../db/phase';
import type { Principal } from '../principals/record';
import type { Registered } from '../recovery/instance';
import { micros, SECOND } from '../time';
import { amendmentsOf, ask, found, gridNow, quietInstance } from '../testing/amendments';
import { arrow, containerWith, gridOf } from '../testing/work';
import { holdGate, letTimePass, openWorld, outcomes, refusal, setLockPage, waitUntilWaiting, type World } from '../testing/world';
import { decideQueue, readAmendments, requestAmendment, resubmitAmendment, startDecider } from '.';

let w: World;
let instance: Registered;
beforeAll(async () => {
  w = await openWorld({ size: 30 });
  instance = await quietInstance(w);
});
afterAll(async () => {
  await instance.close();
  await w.close();
});

async function held() {
  const [slug, lead, other] = await Promise.all([containerWith(w, [arrow('a')]), w.person(), w.person()]);
  await w.lead(slug, lead);
  return { slug, lead, other };
}

/** Holds the grid's row until let go, so that requests wait for their places. */
async function holdPlaces(slug: string) {
  const client = await w.db.connect();
  await client.query('BEGIN');
  await client.query('UPDATE grid SET amendments = amendments WHERE container_id = (SELECT id FROM container WHERE slug = $1)', [slug]);
  return async () => {
    await client.query('ROLLBACK');
    client.release();
  };
}

describe('A-1: who may ask', () => {
  test('the lead with its grant; the answer is the queued amendment', async () => {
    const { slug, lead } = await held();
    const made = await ask(w, slug, { grant: 1, changes: [{ artifact: 'x', section: 's' }], rationale: 'New facts' }, lead);
    expect(made).toEqual({
      id: made.id,
      rationale: 'New facts',
      changes: [{ artifact: 'x', section: 's' }],
      baseVersion: 1,
      state: 'queued',
      version: null,
      author: { id: lead.id, name: lead.name, kind: 'person' },
      grant: 1,
      place: 1,
      at: made.at,
      decidedAt: null,
      outcome: null,
    });
  });

  test('an operator without a grant; with one it is fenced like anybody', async () => {
    const { slug } = await held();
    expect(await ask(w, slug)).toMatchObject({ state: 'queued', grant: null, author: { id: w.operator.id } });
    expect((await refusal(ask(w, slug, { grant: 1 }))).code).toBe('not-holder');
  });

  test('no coworker else: without a grant it is asked for one, with one it gets the receipt', async () => {
    const { slug, other } = await held();
    expect(await refusal(ask(w, slug, {}, other))).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'grant' }] } });
    expect(await refusal(ask(w, slug, { grant: 1 }, other))).toMatchObject({ code: 'not-holder', members: { yourGrant: 1, currentGrant: 1 } });
    expect((await refusal(ask(w, slug, { grant: 2 }, other))).code).toBe('grant-unknown');
    const reader = await w.person('reader');
    expect((await refusal(ask(w, slug, {}, reader))).code).toBe('forbidden');
  });

  test('nobody under a grant that is dead: silent, superseded, cleared, released', async () => {
    const { slug, lead, other } = await held();
    await w.push(slug, lead, 1);
    await w.fallSilent(slug);
    expect((await refusal(ask(w, slug, { grant: 1 }, lead))).code).toBe('grant-expired');
    await w.lead(slug, other);
    expect((await refusal(ask(w, slug, { grant: 1 }, lead))).code).toBe('grant-superseded');
    expect(await amendmentsOf(w, slug)).toEqual([]);
  });

  test('T-1: a grant that runs out while the request waits for its place is refused', async () => {
    const { slug, lead } = await held();
    const letGo = await holdPlaces(slug);
    const late = refusal(ask(w, slug, { grant: 1 }, lead));
    await waitUntilWaiting(w.db, 1);
    await setLockPage(w.db, slug, `expires_at = clock_timestamp()`);
    await letGo();
    expect((await late).code).toBe('grant-expired');
  });

  test('not on a base above the current version, not in an archived or closed container, not before recovery has come so far', async () => {
    const { slug } = await held();
    expect(await refusal(ask(w, slug, { base: 2 }))).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'baseVersion' }] } });
    beginRecovery(instance.id);
    finishStep('engine');
    try {
      const { grid } = await gridNow(w, slug);
      expect((await refusal(requestAmendment(w.db, slug, w.operator.id, { baseVersion: 1, changes: [], grid, rationale: 'x' }))).code).toBe('recovering');
    } finally {
      for (const step of STEPS) finishStep(step);
    }
    const [{ id }] = (await found<{ id: string }>(w, slug, 'SELECT id FROM container WHERE id = $1')) as [{ id: string }];
    await raiseAlert(w.db, id, 'chain-broken', {});
    expect(await refusal(ask(w, slug))).toMatchObject({ code: 'container-closed', members: { reason: 'chain-broken' } });
    const empty = await containerWith(w, [arrow('a')]);
    await archiveContainer(w.db, empty, w.operator.id);
    expect((await refusal(ask(w, empty))).code).toBe('archived');
    expect(await amendmentsOf(w, slug)).toEqual([]);
  });
});

describe('A-1: first come, first decided', () => {
  test('places are gapless, whatever is refused, one for each, and times follow them', async () => {
    const { slug, lead, other } = await held();
    const letGo = await holdPlaces(slug);
    const calls: Promise<unknown>[] = [];
    const one = async (call: Promise<unknown>) => {
      calls.push(call);
      await waitUntilWaiting(w.db, calls.length);
    };
    for (let i = 0; i < 3; i++) {
      await one(ask(w, slug, { rationale: `operator ${i}` }));
      await one(ask(w, slug, { grant: 1 }, other));
      await one(ask(w, slug, { grant: 1, rationale: `lead ${i}` }, lead));
    }
    const done = outcomes(calls);
    await letGo();
    const places = (await done).map((d) => (d as { place?: number }).place ?? (d as { refused: string }).refused);
    expect(places.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 'not-holder', 'not-holder', 'not-holder']);
    const { items } = await readAmendments(w.db, slug, w.operator, { limit: 10 });
    expect(items.map((a) => a.place)).toEqual([6, 5, 4, 3, 2, 1]);
    const times = items.map((a) => a.at).reverse();
    expect(times).toEqual(times.toSorted());
    expect(new Set(times).size).toBe(6);
  });

  test('five that arrive in order are committed in order, and one that none is ahead of within a second', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    let stop = async () => {};
    try {
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) {
        ids.push((await ask(w, slug, { change: (grid) => gridOf([...grid.arrows, arrow(`n${i}`)]), base: 1, grid: gridOf([arrow('a')]) })).id);
        if (i === 2) stop = startDecider(w.db);
      }
      await expect.poll(() => amendmentsOf(w, slug), { timeout: 10_000, interval: 50 }).toEqual(ids.map((id, i) => ({ id, state: 'committed', version: i + 2, outcome: null })));
      const times = await found<{ at: string }>(w, slug, 'SELECT decided_at AS at FROM amendment WHERE container_id = $1 ORDER BY place');
      expect(times).toEqual(times.toSorted((a, b) => (a.at < b.at ? -1 : 1)));
      expect((await gridNow(w, slug)).grid.arrows.map((a) => a.id)).toEqual(['a', 'n0', 'n1', 'n2', 'n3', 'n4']);

      const { id } = await ask(w, slug, { rationale: 'Alone' });
      await expect.poll(async () => (await amendmentsOf(w, slug)).at(-1)!.state, { timeout: 10_000, interval: 50 }).toBe('committed');
      const alone = (await readAmendments(w.db, slug, w.operator, { limit: 1 })).items[0]!;
      expect(alone.id).toBe(id);
      expect(micros(alone.decidedAt!) - micros(alone.at)).toBeLessThan(SECOND);
    } finally {
      await stop();
    }
  });

  test('one container whose gate is held does not hold back the amendments of another', async () => {
    const [slow, quick] = await Promise.all([containerWith(w, [arrow('a')]), containerWith(w, [arrow('a')])]);
    await ask(w, slow);
    const grip = await holdGate(w.db, slow);
    const stop = startDecider(w.db);
    try {
      await waitUntilWaiting(w.db, 1, slow);
      await ask(w, quick);
      await expect.poll(async () => (await amendmentsOf(w, quick))[0]!.state, { timeout: 3_000, interval: 50 }).toBe('committed');
      expect((await amendmentsOf(w, slow))[0]!.state).toBe('queued');
    } finally {
      await grip.letGo();
      await expect.poll(async () => (await amendmentsOf(w, slow))[0]!.state, { timeout: 5_000, interval: 50 }).toBe('committed');
      await stop();
    }
  });

  test('an archived container decides nothing more, and one that is closed waits until it is opened', async () => {
    const [archived, closed] = await Promise.all([containerWith(w, [arrow('a')]), containerWith(w, [arrow('a')])]);
    await ask(w, archived);
    await archiveContainer(w.db, archived, w.operator.id);
    expect(await decideQueue(w.db, archived)).toBe(0);
    await ask(w, closed);
    const lead = await w.person();
    await w.lead(closed, lead);
    // A page that was put back: the record shows grant 1 (LP-4).
    await setLockPage(w.db, closed, `"grant" = 0, next_grant = 1, holder_id = NULL`);
    expect(await decideQueue(w.db, closed)).toBe(0);
    await setLockPage(w.db, closed, `accepted_evidence = 1`);
    expect(await decideQueue(w.db, closed)).toBe(1);
    expect((await gridNow(w, archived)).version).toBe(1);
    expect((await gridNow(w, closed)).version).toBe(2);
  });
});

describe('A-4: a long queue', () => {
  const alerts = async (slug: string) => (await openAlerts(w.db)).filter((a) => a.container === slug).map((a) => [a.kind, a.details]);
  /** Queues so many amendments more, without the call. */
  const fill = (slug: string, count: number) =>
    found(
      w,
      slug,
      `WITH g AS (UPDATE grid SET amendments = amendments + $2::int WHERE container_id = $1 RETURNING amendments - $2::int AS before)
       INSERT INTO amendment (container_id, place, author_id, base_version, changes, grid, rationale, at)
       SELECT $1, g.before + i, $3, 1, '[]', v.grid, 'One of many', clock_timestamp() FROM g, generate_series(1, $2::int) i, grid_version v WHERE v.container_id = $1 AND v.version = 1`,
      [count, w.operator.id],
    );

  test('ten may wait; the eleventh raises an alert; it closes once ten or fewer wait', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    await fill(slug, 9);
    await ask(w, slug);
    expect(await alerts(slug)).toEqual([]);
    await ask(w, slug);
    await ask(w, slug);
    expect(await alerts(slug)).toEqual([['amendment-queue-long', { waiting: 11 }]]);
    expect(await decideQueue(w.db, slug)).toBe(12);
    expect(await alerts(slug)).toEqual([]);
  });

  test('a 101st is amendment-queue-full, and nothing is left of it; a resubmission too', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    await ask(w, slug, { changes: [{ artifact: 'x' }] });
    const { id } = await ask(w, slug, { changes: [{ artifact: 'x' }] });
    await decideQueue(w.db, slug);
    await fill(slug, 99);
    await ask(w, slug);
    expect((await refusal(ask(w, slug))).code).toBe('amendment-queue-full');
    const { grid } = await gridNow(w, slug);
    const again = { baseVersion: 2, changes: [], grid, rationale: 'Again' };
    expect((await refusal(resubmitAmendment(w.db, slug, w.operator.id, id, again))).code).toBe('amendment-queue-full');
    expect(await found(w, slug, 'SELECT amendments FROM grid WHERE container_id = $1')).toEqual([{ amendments: 102 }]);
    expect((await amendmentsOf(w, slug)).filter((a) => a.state === 'queued')).toHaveLength(100);
  });

  test('of requests that meet at the last place one is taken', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    await fill(slug, 99);
    const letGo = await holdPlaces(slug);
    const done = outcomes(Array.from({ length: 5 }, () => ask(w, slug)));
    await waitUntilWaiting(w.db, 5);
    await letGo();
    expect((await done).filter((d) => 'place' in d)).toHaveLength(1);
    expect((await done).filter((d) => 'refused' in d)).toEqual(Array(4).fill({ refused: 'amendment-queue-full' }));
  });

  test('the alert closes also when the queue goes with its grant', async () => {
    const { slug, lead } = await held();
    for (let i = 0; i < 11; i++) await ask(w, slug, { grant: 1 }, lead);
    expect(await alerts(slug)).toHaveLength(1);
    await w.fallSilent(slug);
    const next: Principal = await w.person();
    await letTimePass(w.db, slug, 1);
    await w.lead(slug, next);
    const stop = startDecider(w.db);
    try {
      await expect.poll(() => alerts(slug), { timeout: 5_000, interval: 50 }).toEqual([]);
    } finally {
      await stop();
    }
  });
});
