import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { hub, type Hub, type Watching } from '../../live/hub';
import { readable, readBoardVersion, readNow, readSnapshots } from '../../live/snapshot';
import { readInbox } from '../../notices/inbox';
import { isProblem, notFound, Problem } from '../../problems';
import { unstorable } from '../../schemas/text';
import { runtime } from '../../runtime';
import { callerOf } from '../caller';
import { problemShape } from '../route';

/** How many containers one stream may watch. */
const MOST_CONTAINERS = 200;
/** A watcher that has not taken so many bytes is let go; it comes again and is told the present. */
const MOST_WAITING_BYTES = 256 * 1024;

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Content-Type-Options': 'nosniff',
  'X-Accel-Buffering': 'no',
};

/** What a request asks to watch, and who asks. */
type Asked = Pick<Watching, 'containers' | 'board' | 'principalId'> & { slugs: string[]; missing: boolean };

async function asked(request: Request, slugs: readonly string[], board: boolean): Promise<Asked> {
  const shared = runtime();
  const viewer = await callerOf(shared, request);
  if (slugs.length > MOST_CONTAINERS) throw new Problem('invalid-input', 'Too many containers.', { errors: [{ path: 'query.container', message: `at most ${MOST_CONTAINERS}` }] });
  const containers = await readable(shared.db, slugs, viewer !== undefined);
  return { containers: new Set(containers.map((c) => c.id)), slugs: containers.map((c) => c.slug), board, principalId: viewer?.id, missing: containers.length < new Set(slugs).size };
}

function running(): Hub {
  const found = hub();
  if (!found) throw new Problem('busy', 'This server sends no events. Read the page again now and then.');
  return found;
}

/** Whether a watcher would be let in now: a token that was revoked meanwhile is an answer, a database that does not answer is none. */
const letIn = (look: () => Promise<boolean>) => async (): Promise<boolean> => {
  try {
    return await look();
  } catch (error) {
    if (isProblem(error) && error.code === 'unauthenticated') return false;
    throw error;
  }
};

/** Answers with a stream until either side ends it. */
function stream(c: Context, found: Asked, stillMay: Watching['stillMay']): Response {
  const live = running();
  const { containers, board, principalId } = found;
  const watching = { containers, board, principalId, stillMay };
  // Browsers that come again come one after another, not all at once. Then: to whom this is told, and of what.
  const retry = `retry: ${Math.round(500 + Math.random() * 2_000)}\n\n`;
  const hello = `${retry}event: hello\ndata: ${JSON.stringify({ viewer: principalId ?? null, containers: found.slugs })}\n\n`;
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (outgoing) {
    outgoing.writeHead(200, HEADERS);
    // HEAD asks for the headers of a stream, and for none of it.
    if (c.req.raw.method === 'HEAD') {
      outgoing.end();
      return RESPONSE_ALREADY_SENT;
    }
    outgoing.write(hello);
    const leave = live.watch({
      ...watching,
      send: (text) => void (outgoing.writableLength > MOST_WAITING_BYTES ? outgoing.destroy() : outgoing.write(text)),
      end: () => void outgoing.end(),
    });
    // Whoever has gone while we looked up what it may read says so no more.
    if (outgoing.destroyed) leave();
    else outgoing.once('close', leave);
    return RESPONSE_ALREADY_SENT;
  }
  const encoder = new TextEncoder();
  let leave = () => undefined as void;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(hello));
        const end = () => {
          leave();
          try {
            controller.close();
          } catch {
            // The other side had closed it.
          }
        };
        leave = live.watch({ ...watching, send: (text) => ((controller.desiredSize ?? 0) < -MOST_WAITING_BYTES ? end() : controller.enqueue(encoder.encode(text))), end });
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { headers: HEADERS });
}

const slugsOf = (c: Context): string[] => c.req.queries('container') ?? [];

export function eventCalls(app: OpenAPIHono): void {
  const describe = (path: string, summary: string, content: Record<string, { schema: z.ZodType }>, request: object) =>
    app.openAPIRegistry.registerPath({
      method: 'get',
      path: `/api/v1${path}`,
      summary,
      security: [{ bearer: [] }, {}],
      request,
      responses: { 200: { description: 'Success', content }, default: { description: 'A refusal', content: { 'application/problem+json': { schema: problemShape } } } },
    });
  const eventStream = { 'text/event-stream': { schema: z.string().openapi({ description: 'Events `lock`, `collaboration`, `landing`, `pass`, `grid`, `draft`, `container`: each with `slug` and `version`; `lock` with the badge and who, why, since and until. `now` tells the time every few seconds.' }) } };
  const many = { query: z.object({ container: z.array(z.string()).optional(), board: z.literal('yes').optional() }) };

  describe('/containers/{slug}/events', 'What changes in a container, as it happens', eventStream, { params: z.object({ slug: z.string() }) });
  app.get('/api/v1/containers/:slug/events', async (c) => {
    const slug = c.req.param('slug');
    if (unstorable(slug)) throw notFound('address');
    const found = await asked(c.req.raw, [slug], false);
    if (found.missing) throw found.principalId === undefined ? new Problem('unauthenticated', 'Sign in to read this container.') : notFound('container');
    const request = c.req.raw;
    return stream(c, found, letIn(async () => !(await asked(request, [slug], false)).missing));
  });

  describe('/events', 'What changes in several containers, on the board and in your inbox, as it happens', eventStream, many);
  app.get('/api/v1/events', async (c) => {
    const slugs = slugsOf(c).filter((slug) => !unstorable(slug));
    const request = c.req.raw;
    const found = await asked(request, slugs, c.req.query('board') === 'yes');
    const stillMay = letIn(async () => {
      const now = await asked(request, slugs, false);
      return now.principalId === found.principalId && now.containers.size >= found.containers.size;
    });
    return stream(c, found, stillMay);
  });

  describe('/state', 'The same as they are now, for those who hear no events', { 'application/json': { schema: z.looseObject({}) } }, many);
  app.get('/api/v1/state', async (c) => {
    const found = await asked(c.req.raw, slugsOf(c).filter((slug) => !unstorable(slug)), c.req.query('board') === 'yes');
    const { db } = runtime();
    const [now, containers, inbox, board] = await Promise.all([
      readNow(db),
      readSnapshots(db, [...found.containers]),
      readInbox(db, found.principalId === undefined ? [] : [found.principalId]),
      found.board ? readBoardVersion(db) : undefined,
    ]);
    return c.json({
      now,
      viewer: found.principalId ?? null,
      containers: containers.map(({ slug, face, versions }) => ({ slug, face, versions })),
      ...(inbox[0] ? { notices: { unread: inbox[0].unread, newest: inbox[0].newest } } : {}),
      ...(board === undefined ? {} : { board }),
    });
  });
}
