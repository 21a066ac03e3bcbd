/**
 * `npm run bench`, second part: transitions, passes and amendments, on the same server and with the same settings as
 * `api.mjs`. Each caller in a container of its own, and all in one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { acquire, agentNamed, base, container, must, operator, report } from './kit.mjs';
import { call } from './load.mjs';

const COUNT = 32;
const contexts = Array.from({ length: COUNT }, (_, i) => `x${i}`);
/** One arrow a context, so that every caller has a (role, context) of its own. */
const grid = {
  contexts,
  roles: ['analyst', 'architect'],
  arrows: contexts.map((context) => ({
    id: context,
    from: 'analyst',
    to: 'architect',
    context,
    stratum: 1,
    requires: [],
    dependencies: [{ artifact: `features/${context}.feature` }],
    clauses: [{ id: 'C1', concept: 'it-holds', type: 'machine' }],
  })),
};

const agents = await Promise.all(Array.from({ length: COUNT }, (_, i) => agentNamed(`pass bench ${i}`)));
async function workplace(name, lead) {
  const { slug } = await container(name);
  await must(call(base, operator, 'POST', `/containers/${slug}/grid/init`, { body: { grid } }), 201);
  await acquire(slug, lead);
  return slug;
}
const own = [];
for (const [i, agent] of agents.entries()) own.push(await workplace(`pass-${i}`, agent));
const shared = await workplace('pass-shared', agents[0]);
for (const { id } of agents) await must(call(base, agents[0].token, 'POST', `/containers/${shared}/blocks`, { body: { grant: 1, title: 'Work', assignee: id } }), 201);

const startOf = (slug, i, agent) => call(base, agents[i].token, 'POST', `/containers/${slug}/passes`, { body: { grant: 1, arrow: contexts[i] }, agent });
const startAndAbort = async (slug, i, lead, agent) => {
  const { status, body } = await startOf(slug, i, agent);
  if (status !== 201) return false;
  return (await call(base, lead.token, 'POST', `/containers/${slug}/passes/${body.id}/abort`, { body: { reason: 'manual-stop' }, agent })).status === 200;
};

/** A clause that goes to and fro between two states that lead to each other. */
const clauses = { own: [], shared: [] };
const move = async (kind, slug, i, agent) => {
  clauses[kind][i] ??= { pass: (await must(startOf(slug, i, agent), 201)).id, waits: false };
  const clause = clauses[kind][i];
  const to = clause.waits ? 'insufficient-basis' : 'awaiting-attestation';
  const { status } = await call(base, agents[i].token, 'POST', `/containers/${slug}/passes/${clause.pass}/clauses/C1/transitions`, { body: { to }, agent });
  if (status !== 200) return false;
  clause.waits = !clause.waits;
  return true;
};

/** Waits for an amendment's decision. One reader a container, so that waiting is no load of its own. */
const waiting = new Map();
function decided(slug, id, token) {
  const here = waiting.get(slug) ?? new Map();
  const decision = new Promise((resolve, reject) => here.set(id, { resolve, reject }));
  if (waiting.has(slug)) return decision;
  waiting.set(slug, here);
  const read = async () => {
    while (here.size > 0) {
      const { items } = await must(call(base, token, 'GET', `/containers/${slug}/amendments?limit=${COUNT * 2}`), 200);
      for (const amendment of items) {
        if (amendment.state === 'queued' || amendment.state === 'committing') continue;
        here.get(amendment.id)?.resolve(amendment);
        here.delete(amendment.id);
      }
      await sleep(2);
    }
    waiting.delete(slug);
  };
  read().catch((error) => {
    waiting.delete(slug);
    for (const { reject } of here.values()) reject(error);
  });
  return decision;
}

/** An amendment from its request to its commit. Its artifact is its own, and its difference is empty, so it aborts nothing. */
const versions = new Map();
let asked = 0;
const amend = async (slug, i, lead, agent) => {
  const body = { grant: 1, baseVersion: versions.get(slug) ?? 1, changes: [{ artifact: `notes/${++asked}.md` }], grid, rationale: 'A measurement' };
  const { status, body: amendment } = await call(base, lead.token, 'POST', `/containers/${slug}/amendments`, { body, agent });
  if (status !== 202) return false;
  const { state, version } = await decided(slug, amendment.id, lead.token);
  if (state === 'committed') versions.set(slug, Math.max(versions.get(slug) ?? 1, version));
  return state === 'committed';
};

await report({
  'pass start and abort, each its own container': (i, agent) => startAndAbort(own[i], i, agents[i], agent),
  'pass start and abort, all in one container': (i, agent) => startAndAbort(shared, i, agents[0], agent),
  'transition, each its own container': (i, agent) => move('own', own[i], i, agent),
  'transition, all in one container': (i, agent) => move('shared', shared, i, agent),
  'amendment to its commit, each its own grid': (i, agent) => amend(own[i], i, agents[i], agent),
  'amendment to its commit, all on one grid': (i, agent) => amend(shared, i, agents[0], agent),
});
