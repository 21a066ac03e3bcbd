/** A closed loop of callers over keep-alive connections: each sends its next request when the last was answered. */
import { Agent, request } from 'node:http';

/** One JSON request. @returns {Promise<{status: number, body: any}>} */
export function call(base, token, method, path, { body, headers = {}, agent } = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const url = new URL(base + path);
  return new Promise((done, failed) => {
    const sent = request(
      url,
      {
        method,
        agent,
        headers: { authorization: `Bearer ${token}`, ...headers, ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }) },
      },
      (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('end', () => {
          const all = Buffer.concat(chunks).toString();
          done({ status: answer.statusCode, body: all ? JSON.parse(all) : undefined });
        });
        answer.on('error', failed);
      },
    );
    sent.on('error', failed);
    sent.end(text);
  });
}

/**
 * Runs `callers` loops for `seconds` seconds.
 * @param step what caller i does once; returns true when it was accepted
 */
export async function measure(callers, seconds, step) {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const times = [];
  let accepted = 0;
  const end = performance.now() + seconds * 1000;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, i) => {
      while (performance.now() < end) {
        const at = performance.now();
        if (await step(i, agent)) accepted++;
        times.push(performance.now() - at);
      }
    }),
  );
  const took = (performance.now() - begin) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (q) => times[Math.min(times.length - 1, Math.floor(times.length * q))]?.toFixed(1);
  return { callers, perSecond: Math.round(accepted / took), refused: times.length - accepted, p50: at(0.5), p99: at(0.99) };
}
