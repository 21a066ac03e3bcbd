/** Watchers: raw streams of a container's events, as many as are wanted, each with what it is told. */
import { Agent, request } from 'node:http';
import { base } from './kit.mjs';

/**
 * Reads the events of a stream. Many watchers are told the same text, which is read once.
 * @param {(event: string, data: any, at: number) => void} tell
 */
function reader(tell) {
  let rest = '';
  return (chunk) => {
    const at = performance.now();
    const text = rest + chunk;
    const end = text.lastIndexOf('\n\n');
    rest = end < 0 ? text : text.slice(end + 2);
    if (end >= 0) for (const { event, data } of eventsIn(text.slice(0, end))) tell(event, data, at);
  };
}

let last = { text: '', events: [] };
function eventsIn(text) {
  if (text !== last.text) {
    const events = text.split('\n\n').flatMap((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      return event ? [{ event, data: JSON.parse(data) }] : [];
    });
    last = { text, events };
  }
  return last.events;
}

/**
 * Hangs watchers on containers, the n-th on the n-th container in turn, and waits until each was told the present.
 * @param {{ slug: string }[]} containers
 * @param {{ token: string }[]} agents whose tokens are used in turn
 * @param {(watcher: number, event: string, data: any, at: number) => void} [tell] without it, streams are taken and not read
 * @returns {Promise<{ told: () => number, leave: () => void }>} `told`: how many bytes came
 */
export async function hang(count, containers, agents, tell) {
  const agent = new Agent({ keepAlive: true });
  const sent = [];
  let bytes = 0;
  const one = (n) =>
    new Promise((done, failed) => {
      const { slug } = containers[n % containers.length];
      const { token } = agents[n % agents.length];
      const asked = request(`${base}/containers/${slug}/events`, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
        if (answer.statusCode !== 200) return failed(new Error(`A stream was answered with ${answer.statusCode}.`));
        answer.setEncoding('utf8');
        const read = tell && reader((event, data, at) => tell(n, event, data, at));
        let whole = '';
        answer.on('data', (chunk) => {
          bytes += chunk.length;
          read?.(chunk);
          if (whole === undefined) return;
          whole += chunk;
          if (!whole.includes('event: container')) return;
          whole = undefined;
          done();
        });
        answer.on('error', () => undefined);
      });
      asked.on('error', failed);
      asked.end();
      sent.push(asked);
    });
  for (let n = 0; n < count; n += 50) await Promise.all(Array.from({ length: Math.min(50, count - n) }, (_, i) => one(n + i)));
  return {
    told: () => bytes,
    leave() {
      for (const asked of sent) asked.on('error', () => undefined).destroy();
      agent.destroy();
    },
  };
}
