/**
 * `npm run bench`: how fast the API is, on a running server with `HOLDFAST_RATE_LIMIT=off`.
 * Needs BENCH_URL and an operator's token in BENCH_TOKEN. Makes its own containers and agents.
 */
import { randomUUID } from 'node:crypto';
import { acquire, agentNamed, base, container, must, report } from './kit.mjs';
import { call } from './load.mjs';

const KIB = 'x'.repeat(1024);

const agents = await Promise.all(Array.from({ length: 32 }, (_, i) => agentNamed(`bench ${i}`)));
const own = await Promise.all(agents.map((_, i) => container(`own-${i}`)));
const shared = await container('shared');
for (const [i, { slug }] of own.entries()) {
  await acquire(slug, agents[i]);
  await must(call(base, agents[i].token, 'POST', `/containers/${slug}/leases`, { body: { grant: 1, to: agents[i].id, count: 100_000 } }), 201);
}

const revisions = own.map(() => 2);
const numbers = own.map(() => 0);
const bases = agents.map(() => 1);

await report({
  'read the lock page': async (i, agent) => (await call(base, agents[i].token, 'GET', `/containers/${own[i].slug}/lock`, { agent })).status === 200,
  'heartbeat, each its own': async (i, agent) => {
    const { status, body } = await call(base, agents[i].token, 'POST', `/containers/${own[i].slug}/lock/heartbeat`, { body: { grant: 1 }, headers: { 'if-match': `"${revisions[i]}"` }, agent });
    if (status === 200) revisions[i] = body.revision;
    return status === 200;
  },
  'notes of 1 KiB, each its own page': async (i, agent) => {
    const { status, body } = await call(base, agents[i].token, 'PUT', `/containers/${own[i].slug}/lock/notes`, { body: { notes: KIB }, headers: { 'if-match': `"${revisions[i]}"` }, agent });
    if (status === 200) revisions[i] = body.revision;
    return status === 200;
  },
  'notes of 1 KiB, all on one page': async (i, agent) => {
    const { status, body } = await call(base, agents[i].token, 'PUT', `/containers/${shared.slug}/collaboration/notes`, { body: { notes: KIB }, headers: { 'if-match': `"${bases[i]}"` }, agent });
    bases[i] = status === 200 ? body.revision : status === 412 ? body.current.revision : bases[i];
    return status === 200;
  },
  'landing of one entry of 1 KiB, each its own': async (i, agent) => {
    const identifier = `BN-${++numbers[i]}`;
    const leases = numbers[i] === 1 ? await must(call(base, agents[i].token, 'GET', `/containers/${own[i].slug}/collaboration`, { agent }), 200) : undefined;
    if (leases) own[i].keep = leases.leases.filter((l) => l.state === 'active').map((l) => l.id);
    const body = { grant: 1, message: '', entries: [{ identifier, title: 'One', body: KIB }], keepLeases: own[i].keep };
    return (await call(base, agents[i].token, 'POST', `/containers/${own[i].slug}/landings`, { body, headers: { 'idempotency-key': randomUUID() }, agent })).status === 201;
  },
});
