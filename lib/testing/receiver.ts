/** A receiver of webhooks on this machine, for tests: it keeps what it was sent, and answers as told. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Post = { method: string; path: string; headers: IncomingHttpHeaders; text: string };

export type Receiver = {
  port: number;
  url: string;
  /** What was sent so far. */
  posts: Post[];
  /** How it answers from now on; `undefined` never does. */
  answer: { status: number; body?: string; headers?: Record<string, string> } | undefined;
  /** How long it thinks before it answers, in milliseconds. */
  thinks: number;
  close(): Promise<void>;
};

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      receiver.posts.push({ method: request.method!, path: request.url!, headers: request.headers, text });
      setTimeout(() => {
        if (receiver.answer) response.writeHead(receiver.answer.status, receiver.answer.headers).end(receiver.answer.body);
      }, receiver.thinks);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    posts: [],
    answer: { status: 200, body: 'thanks' },
    thinks: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
