import { Problem } from '../problems';

/**
 * Reads a request's JSON body of at most `limit` bytes.
 * @throws Problem `too-large`, `malformed-json` (also for text that is not UTF-8, and for none)
 */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const tooLarge = () => new Problem('too-large', `The body may have at most ${limit} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (request.body) {
    const reader = request.body.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new Problem('malformed-json', 'The body broke off.');
      });
      if (done) break;
      size += value.byteLength;
      if (size > limit) {
        await reader.cancel();
        throw tooLarge();
      }
      chunks.push(value);
    }
  }
  if (size === 0) throw new Problem('malformed-json', 'The body is empty: send a JSON object, {} at least.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new Problem('malformed-json', 'The body is not valid JSON in UTF-8.');
  }
}
