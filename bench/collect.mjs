/** Has a Node process of this machine free its garbage, through its inspector: only then do two looks at its memory compare. */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A short text frame of a client (RFC 6455). */
function frame(text) {
  const [payload, mask] = [Buffer.from(text), randomBytes(4)];
  return Buffer.concat([Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]), mask, payload.map((byte, i) => byte ^ mask[i % 4])]);
}

/** Opens the inspector (on 127.0.0.1:9229), collects twice, and closes it. Gives whether it could. */
export async function collectGarbage(pid) {
  try {
    process.kill(pid, 'SIGUSR1');
    await sleep(500);
    const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json/list')).json();
    const socket = await new Promise((done, failed) => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64') };
      const asked = request(webSocketDebuggerUrl.replace('ws:', 'http:'), { headers });
      asked.on('upgrade', (_, upgraded) => done(upgraded)).on('error', failed).end();
    });
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk)).on('error', () => undefined);
    const send = (id, method, params = {}) => socket.write(frame(JSON.stringify({ id, method, params })));
    const expression = 'process.pid';
    send(1, 'Runtime.evaluate', { expression });
    for (const id of [2, 3]) send(id, 'HeapProfiler.collectGarbage');
    for (let tries = 0; tries < 100 && !answer.includes('"id":3'); tries++) await sleep(100);
    send(4, 'Runtime.evaluate', { expression: "setTimeout(() => process.getBuiltinModule('node:inspector').close(), 100)" });
    await sleep(500);
    socket.destroy();
    return answer.includes(`"value":${pid}`) && answer.includes('"id":3');
  } catch {
    return false;
  }
}
