/** Commits at a steady rate, and when each was asked for and answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { base, must } from './kit.mjs';
import { call } from './load.mjs';

/** What a lead does, in this order and then again. A release needs a push (LP-6). */
const ROUND = ['acquire', 'heartbeat', 'push', 'heartbeat', 'release'];
const BADGES = { acquire: 'HELD', release: 'OPEN' };

/**
 * One container and its lead.
 * `commits` are in order: what was done, the version that its event carries by topic, its badge where that changes, and
 * when (`performance.now()`) it was sent and answered.
 */
export function leadOf({ slug }, { token }) {
  let [revision, grant, landings, step] = [1, 0, 0, 0];
  const commits = [];
  const send = (path, options) => must(call(base, token, 'POST', `/containers/${slug}/${path}`, options), path === 'landings' ? 201 : 200);
  return {
    slug,
    commits,
    async next() {
      const kind = ROUND[step++ % ROUND.length];
      const lock = kind !== 'push';
      const commit = { kind, topic: lock ? 'lock' : 'landing', version: lock ? revision + 1 : landings + 1, badge: BADGES[kind], sent: performance.now() };
      commits.push(commit);
      if (kind === 'push') {
        await send('landings', { body: { grant, message: '', entries: [] }, headers: { 'idempotency-key': randomUUID() } });
        landings++;
      } else {
        const answer = await send(`lock/${kind}`, { body: kind === 'acquire' ? {} : { grant }, headers: { 'if-match': `"${revision}"` } });
        if (kind === 'acquire') grant = answer.grant;
        revision++;
      }
      commit.answered = performance.now();
    },
  };
}

/** Lets leads commit in turn, so many times a second. */
export async function commitSteadily(leads, perSecond, seconds) {
  const began = performance.now();
  for (let i = 0; i < perSecond * seconds; i++) {
    await sleep(Math.max(0, began + (i * 1000) / perSecond - performance.now()));
    await leads[i % leads.length].next();
  }
}
