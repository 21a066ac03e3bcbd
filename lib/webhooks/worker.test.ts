import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { petition } from '../collaboration/petition';
import { within } from '../testing/lives';
import { openReceiver, type Receiver } from '../testing/receiver';
import { openWorld, type World } from '../testing/world';
import { createWebhook } from './create';
import { requeueLost } from './deliver';
import { readDeliveries } from './read';
import { startDeliveries } from './worker';

let w: World;
let receiver: Receiver;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await receiver.close();
});

const start = () => {
  const stop = startDeliveries(w.db, w.url);
  stops.push(stop);
  return stop;
};
const THEIRS = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'holdfast jobs'`;
const connections = async () => (await w.db.query(`SELECT pid ${THEIRS}`)).rows;
const cut = () => w.db.query(`SELECT pg_terminate_backend(pid) ${THEIRS}`);
const statesOf = async (webhook: string) => (await readDeliveries(w.db, webhook, w.operator, { limit: 200 })).items.map((d) => `${d.type} ${d.state} ${d.attempts}`);
const jobs = async () => (await w.db.query('SELECT count(*)::int AS n FROM graphile_worker.jobs')).rows[0].n;

async function hooked(url = receiver.url) {
  const slug = await w.container();
  return { slug, webhook: (await createWebhook(w.db, slug, w.operator.id, { url, allowPrivate: true })).id };
}

describe('the worker', () => {
  test('delivers what is on its way and what comes, each once, also where two instances run', async () => {
    const { slug, webhook } = await hooked();
    await w.lead(slug, await w.person());
    start();
    start();
    await within(10, async () => receiver.posts.length === 1);
    for (let n = 0; n < 8; n++) await petition(w.db, slug, (await w.person()).id, { reason: `Reason ${n}` });
    await within(10, async () => (await statesOf(webhook)).every((s) => s.endsWith('delivered 1')));
    expect(receiver.posts).toHaveLength(9);
    await within(10, async () => (await jobs()) === 0);
  });

  test('tries again by itself', async () => {
    const { slug, webhook } = await hooked();
    receiver.answer = { status: 500 };
    start();
    await w.lead(slug, await w.person());
    await within(10, async () => (await statesOf(webhook))[0] === 'lock.acquired failed 1');
    receiver.answer = { status: 200 };
    await within(15, async () => (await statesOf(webhook))[0] === 'lock.acquired delivered 2');
    expect(receiver.posts).toHaveLength(2);
  });

  test('goes on after it lost its connections', async () => {
    const { slug, webhook } = await hooked();
    start();
    await within(10, async () => (await connections()).length > 0);
    for (let n = 0; n < 3; n++) await cut();
    await w.lead(slug, await w.person());
    await within(20, async () => (await statesOf(webhook))[0] === 'lock.acquired delivered 1');
  });

  test('loses nothing, and never its process, though its connections are cut again and again while it works', async () => {
    const { slug, webhook } = await hooked();
    start();
    let working = true;
    const cutting = (async () => {
      while (working) {
        await cut();
        await new Promise((next) => setTimeout(next, 40));
      }
    })();
    for (let n = 0; n < 30; n++) await petition(w.db, slug, (await w.person()).id, { reason: 'Why' });
    working = false;
    await cutting;
    // A job that was taken on a connection that was cut is due again after a minute. A minute passes now and then, so that a try can end in it.
    let passed = 0;
    await within(40, async () => {
      if (performance.now() - passed > 2_000) {
        passed = performance.now();
        await w.db.query(`UPDATE webhook_delivery SET next_at = next_at - interval '61 seconds' WHERE webhook_id = $1 AND next_at > clock_timestamp() - interval '61 seconds'`, [webhook]);
        await requeueLost(w.db);
      }
      return (await statesOf(webhook)).every((s) => s.includes('delivered'));
    });
    expect(new Set(receiver.posts.map((p) => p.headers['webhook-id'])).size).toBe(30);
  }, 60_000);

  test('goes on after the ends of several jobs could not be written at once', async () => {
    const slow = await openReceiver();
    slow.thinks = 2_000;
    const hooks = [await hooked(slow.url), await hooked(), await hooked(), await hooked()] as const;
    await w.db.query(`
      CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RAISE EXCEPTION 'not now'; END $$;
      CREATE TRIGGER refuse_end BEFORE DELETE ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION refuse_end()`);
    start();
    for (const { slug } of hooks) await w.lead(slug, await w.person());
    await within(10, async () => receiver.posts.length === 3 && slow.posts.length === 1);
    await new Promise((next) => setTimeout(next, 1_000)); // the ends of the three are refused; the fourth is on its way
    await w.db.query('DROP FUNCTION refuse_end CASCADE');
    await petition(w.db, hooks[1].slug, (await w.person()).id, { reason: 'Why' });
    await within(15, async () => (await statesOf(hooks[1].webhook)).every((s) => s.endsWith('delivered 1')));
    expect(receiver.posts).toHaveLength(4);
    await slow.close();
  }, 30_000);

  test('stops within five seconds though a receiver never answers, and the next one delivers what was on its way', async () => {
    const { slug, webhook } = await hooked();
    receiver.answer = undefined;
    const stop = start();
    await w.lead(slug, await w.person());
    await within(10, async () => receiver.posts.length === 1);
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await statesOf(webhook)).toEqual(['lock.acquired queued 0']);
    await within(5, async () => (await connections()).length === 0);
    receiver.answer = { status: 200 };
    start();
    await within(10, async () => (await statesOf(webhook))[0] === 'lock.acquired delivered 1');
  });

  test('delivers what an instance that died had taken: its job is added anew, and not held back', async () => {
    const { slug, webhook } = await hooked();
    await w.lead(slug, await w.person());
    // As a SIGKILL between claim and outcome leaves it: a job that is locked, a try without an outcome.
    await w.db.query(`UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'dead', attempts = 1`);
    await w.db.query(`UPDATE webhook_delivery SET attempts = 1, last_at = next_at, next_at = clock_timestamp() - interval '61 seconds' WHERE webhook_id = $1`, [webhook]);
    start();
    await requeueLost(w.db);
    await within(10, async () => (await statesOf(webhook))[0] === 'lock.acquired delivered 2');
  });

  test('does not let one receiver that hangs hold up the others', async () => {
    const slow = await openReceiver();
    slow.answer = undefined;
    const [hanging, well] = [await hooked(slow.url), await hooked()];
    for (let n = 0; n < 12; n++) await petition(w.db, hanging.slug, (await w.person()).id, { reason: 'Why' });
    const stop = start();
    await within(10, async () => slow.posts.length === 2);
    await w.lead(well.slug, await w.person());
    await within(5, async () => receiver.posts.length === 1);
    expect(slow.posts).toHaveLength(2);
    await stop();
    await slow.close();
  });
});

test('a start and a stop in one breath leave nothing behind', async () => {
  await start()();
  await vi.waitFor(async () => expect(await connections()).toEqual([]), { timeout: 5_000 });
});
