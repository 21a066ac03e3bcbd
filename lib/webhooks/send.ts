import http from 'node:http';
import https from 'node:https';
import { SendError, urlFault, vettedLookup } from './address';

/** How long one try may take, in milliseconds, from the name's lookup to the end of the answer. */
const TIMEOUT_MS = 10_000;
/** How much of an answer is read and kept, in bytes. */
const EXCERPT_BYTES = 1024;

/** An answer's status, and the beginning of its body. */
export type Received = { status: number; excerpt: string };

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'Nobody listens there: the connection was refused.',
  ECONNRESET: 'The connection was cut.',
  EPIPE: 'The connection was cut.',
  ENOTFOUND: 'The name is not known.',
  EAI_AGAIN: 'The name could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The connection took too long.',
};

/** Why a try failed, in words that hold nothing of the request. */
function reasonOf(error: Error): string {
  if (error instanceof SendError) return error.message;
  const inner = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined;
  const code = (error as { code?: unknown }).code ?? (inner as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return 'The request failed.';
  return REASONS[code] ?? (/CERT|SSL|TLS/.test(code) ? `Its certificate is not accepted (${code}).` : `The request failed (${code}).`);
}

/** What can be kept of bytes from elsewhere: UTF-8 without U+0000. */
const textOf = (chunks: Buffer[]): string => Buffer.concat(chunks).subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\0', '\uFFFD').toWellFormed();

/**
 * Posts a body once. No redirect is followed, no connection is kept, and the address that was
 * judged is the one connected to.
 * @param stopping ends the try early, as when the process stops
 * @throws SendError with a reason for people when there was no answer
 */
export function send(url: string, body: string, headers: Record<string, string>, { allowPrivate, stopping }: { allowPrivate: boolean; stopping?: AbortSignal }): Promise<Received> {
  return new Promise((resolve, reject) => {
    const fault = urlFault(url, allowPrivate);
    if (fault) return reject(new SendError(`The address ${fault}.`));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = stopping ? AbortSignal.any([timeout, stopping]) : timeout;
    const failed = (error: Error) => reject(new SendError(timeout.aborted ? `No answer within ${TIMEOUT_MS / 1000} seconds.` : reasonOf(error)));
    const request = (url.startsWith('https:') ? https : http).request(
      url,
      {
        method: 'POST',
        agent: false,
        lookup: vettedLookup(allowPrivate),
        signal,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'user-agent': 'Holdfast-Webhooks/1', connection: 'close' },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        // The status decides; of a body that breaks off, what came is kept.
        const done = () => {
          resolve({ status: response.statusCode!, excerpt: textOf(chunks) });
          request.destroy();
        };
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size >= EXCERPT_BYTES) done();
        });
        response.on('end', done);
        response.on('error', done);
        response.on('close', done);
      },
    );
    request.on('error', failed);
    request.end(body);
  });
}
