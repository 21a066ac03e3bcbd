/** What the benchmarks share: where the server is, agents and containers of this run, and how a figure is printed. */
import { randomUUID } from 'node:crypto';
import { call, measure } from './load.mjs';

export const site = process.env.BENCH_URL ?? 'http://127.0.0.1:3000';
export const base = `${site}/api/v1`;
export const operator = process.env.BENCH_TOKEN;
if (!operator) {
  console.error('Set BENCH_TOKEN: BENCH_TOKEN=$(npm run -s token -- bench operator) npm run bench');
  process.exit(2);
}
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5);
const CALLERS = [1, 8, 32];
const run = randomUUID().slice(0, 8);

/** Whether a part of the benchmark is wanted: all are, unless some are named. */
export const asks = (part) => process.argv.length < 3 || process.argv.slice(2).includes(part);

/** The body of an answer that must have this status. */
export async function must(promise, status) {
  const answer = await promise;
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A new agent with a token. */
export async function agentNamed(name) {
  const { id } = await must(call(base, operator, 'POST', '/principals', { body: { name: `${name} ${run}`, kind: 'agent', role: 'coworker' } }), 201);
  const { token } = await must(call(base, operator, 'POST', `/principals/${id}/tokens`, { body: {} }), 201);
  return { id, token };
}

/** A new container. */
export const container = (name) => must(call(base, operator, 'POST', '/containers', { body: { slug: `bench-${run}-${name}`, title: name, prefix: 'BN' } }), 201);

/** Acquires a new container's lock for an agent: grant 1. */
export const acquire = (slug, { token }) => must(call(base, token, 'POST', `/containers/${slug}/lock/acquire`, { body: {}, headers: { 'if-match': '"1"' } }), 200);

/** Measures each work at 1, 8 and 32 callers. */
export async function report(works) {
  for (const [name, step] of Object.entries(works)) {
    for (const callers of CALLERS) {
      const { perSecond, refused, p50, p99 } = await measure(callers, SECONDS, step);
      console.log(`${name.padEnd(46)} ${String(callers).padStart(3)} callers  ${String(perSecond).padStart(6)}/s  p50 ${p50} ms  p99 ${p99} ms${refused ? `  refused ${refused}` : ''}`);
    }
  }
}
