/**
 * `npm run bench:live`: how soon those who watch are told, what they cost, and what they cost writers. On a running server,
 * as `api.mjs`; on the server's own machine it tells memory and notifications too (HOLDFAST_DATA_DIR or BENCH_PID).
 *
 * Budgets: from a commit to a changed badge, with 500 watchers, median < 100 ms and p99 < 500 ms; memory < 50 kB a watcher.
 * Times are from the request's sending and from its answer, to the event's arrival at each watcher. All clocks are this
 * machine's. An event may overtake the answer of its own commit; such a time is below zero.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser, personNamed, signedIn } from './browser.mjs';
import { collectGarbage } from './collect.mjs';
import { commitSteadily, leadOf } from './commits.mjs';
import { line, machine, median, spreadOf } from './figures.mjs';
import { acquire, agentNamed, asks, base, container, site } from './kit.mjs';
import { call, measure } from './load.mjs';
import { notificationsDuring, processorTime, residentMemory, serverPid, settledMemory } from './server.mjs';
import { hang } from './watchers.mjs';

const WATCHERS = Number(process.env.BENCH_WATCHERS ?? 500);
const SECONDS = Number(process.env.BENCH_LIVE_SECONDS ?? 20);
const PER_SECOND = 5;
const PAGES = 3;
const SETTLE_SECONDS = 8;

const agents = await Promise.all(Array.from({ length: 4 }, (_, i) => agentNamed(`watcher ${i}`)));
const leads = await Promise.all(Array.from({ length: 8 }, (_, i) => agentNamed(`live lead ${i}`)));
const pid = serverPid();

/** Opens a lock page that notes when its badge changes, to what. */
async function watchBadge(context, slug) {
  const page = await context.newPage();
  await page.goto(`${site}/c/${slug}/lock`);
  await page.locator('[data-testid=live][data-status=live]').first().waitFor({ state: 'attached' });
  await page.evaluate(() => {
    const text = () => document.querySelector('[data-testid=badge]')?.textContent;
    const seen = (window.seenBadges = []);
    let last = text();
    new MutationObserver(() => {
      const now = text();
      if (now !== last) seen.push({ badge: now, at: Date.now() });
      last = now;
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  return { slug, seen: () => page.evaluate(() => window.seenBadges), close: () => page.close() };
}

/** How long after its sending and its answer each commit that changes the badge was seen on a page. */
function badgeTimes(commits, seen) {
  let from = 0;
  return commits
    .filter((commit) => commit.badge)
    .flatMap(({ badge, sent, answered }) => {
      const found = seen.findIndex((s, i) => i >= from && s.badge === badge && s.at >= performance.timeOrigin + sent - 1);
      if (found < 0) return [{ sent: Infinity, answered: Infinity }];
      from = found + 1;
      const at = seen[found].at - performance.timeOrigin;
      return [{ sent: at - sent, answered: at - answered }];
    });
}

async function tellLatency(browser, person, count) {
  const containers = await Promise.all(Array.from({ length: count }, (_, i) => container(`live-${count}-${i}`)));
  const bySlug = new Map(containers.map((made, i) => [made.slug, leadOf(made, leads[i])]));
  const arrivals = [];
  const next = new Map();
  const left = await hang(WATCHERS, containers, agents, (watcher, event, data, at) => {
    if (event !== 'lock' && event !== 'landing') return;
    const reached = event === 'lock' ? data.revision : Number(data.version);
    const key = `${watcher}.${event}`;
    const commits = bySlug.get(data.slug).commits;
    let i = next.get(key) ?? 0;
    for (; i < commits.length && (commits[i].topic !== event || commits[i].version <= reached); i++) if (commits[i].topic === event) arrivals.push({ commit: commits[i], at });
    next.set(key, i);
  });
  const context = browser && (await signedIn(browser, person));
  const pages = [];
  for (let i = 0; context && i < PAGES; i++) pages.push(await watchBadge(context, containers[i % count].slug));
  await sleep(2_000);
  const cpu = pid && processorTime(pid);
  const before = left.told();
  await commitSteadily([...bySlug.values()], PER_SECOND, SECONDS);
  await sleep(2_000);
  const of = count === 1 ? 'one container' : `${count} containers`;
  console.log(`\n${WATCHERS} watchers on ${of}${context ? `, and ${PAGES} pages` : ''}, ${PER_SECOND} commits/s for ${SECONDS} s (${machine()})`);
  const wanted = [...bySlug.values()].reduce((sum, { commits }, c) => sum + commits.length * Math.ceil((WATCHERS - c) / count), 0);
  line('event at a watcher, from the sending', spreadOf(arrivals.map(({ commit, at }) => at - commit.sent)));
  line('event at a watcher, from the answer', spreadOf(arrivals.map(({ commit, at }) => at - commit.answered)));
  if (arrivals.length !== wanted) line('NOT TOLD', `${wanted - arrivals.length} of ${wanted}`);
  if (context) {
    const times = (await Promise.all(pages.map(async ({ slug, seen }) => badgeTimes(bySlug.get(slug).commits, await seen())))).flat();
    line('badge in a browser, from the sending', spreadOf(times.map((t) => t.sent)));
    line('badge in a browser, from the answer', spreadOf(times.map((t) => t.answered)));
    await context.close();
  }
  line('sent to watchers', `${Math.round((left.told() - before) / 1024 / (SECONDS + 2))} KiB/s${pid ? `, the server used ${Math.round(((processorTime(pid) - cpu) / (SECONDS + 2)) * 100)} % of a core` : ''}`);
  left.leave();
  await sleep(1_000);
}

async function tellMemory() {
  console.log(`\nMemory of the server (${machine()})`);
  if (pid === undefined || residentMemory(pid) === undefined) return line('not measured', 'the server is not of this data folder (HOLDFAST_DATA_DIR, BENCH_PID), or there is no /proc');
  const watched = [await container('memory')];
  let collected = true;
  const settled = async () => {
    await sleep(SETTLE_SECONDS * 1000);
    collected = (await collectGarbage(pid)) && collected;
    return settledMemory(pid, 3);
  };
  // What a first crowd leaves behind, compiled code and grown heaps, is no watcher's.
  const warm = await hang(2_000, watched, agents);
  await settled();
  warm.leave();
  for (const count of [500, 2_000]) {
    const each = [];
    for (let turn = 0; turn < 3; turn++) {
      const before = await settled();
      const left = await hang(count, watched, agents);
      each.push(((await settled()) - before) / count / 1000);
      left.leave();
    }
    line(`${count} watchers`, `${median(each).toFixed(1)} kB each (${each.map((kb) => kb.toFixed(1)).join(', ')})`);
  }
  line('', `the server holds ${((await settled()) / 1e6).toFixed(0)} MB${collected ? '' : '; its garbage could not be collected, so these figures are rough'}`);
}

async function tellWriters() {
  const callers = 8;
  const [quiet, ...written] = await Promise.all(['quiet', ...leads.map((_, i) => `written-${i}`)].map(container));
  for (const [i, made] of written.entries()) await acquire(made.slug, leads[i]);
  const revisions = written.map(() => 2);
  const beat = async (i, agent) => {
    const { status, body } = await call(base, leads[i].token, 'POST', `/containers/${written[i].slug}/lock/heartbeat`, { body: { grant: 1 }, headers: { 'if-match': `"${revisions[i]}"` }, agent });
    if (status === 200) revisions[i] = body.revision;
    return status === 200;
  };
  const beats = async () => (await measure(callers, 5, beat)).perSecond;
  const figures = { none: [], quiet: [], written: [] };
  let notifications;
  await beats();
  for (let turn = 0; turn < 3; turn++) {
    figures.none.push(await beats());
    for (const [name, watched] of [['quiet', [quiet]], ['written', written]]) {
      const left = await hang(WATCHERS, watched, agents);
      if (turn === 0 && name === 'written') notifications = await notificationsDuring(beats);
      figures[name].push(await beats());
      left.leave();
      await sleep(1_000);
    }
  }
  const told = (list) => `${median(list)}/s (${list.join(', ')})`;
  console.log(`\nHeartbeats of ${callers} leads, each its own container (${machine()})`);
  line('nobody watches', told(figures.none));
  line(`${WATCHERS} watch another container`, told(figures.quiet));
  line(`${WATCHERS} watch these very containers`, told(figures.written));
  line('notifications of the instance meanwhile', notifications === undefined ? 'not measured: its database is not reached from here' : `${notifications.toFixed(1)}/s`);
}

if (asks('latency')) {
  const browser = await openBrowser();
  const person = await personNamed('Onlooker');
  for (const count of [4, 1]) await tellLatency(browser, person, count);
  await browser.close();
}
if (asks('memory')) await tellMemory();
if (asks('writers')) await tellWriters();
process.exit(0);
