/**
 * The worker of an instance: takes deliveries from the job queue. It has connections of its
 * own, so that slow receivers never keep one from a request; it begins anew when the database
 * was lost; and it ends within five seconds, putting back what is on its way.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, run, type Runner } from 'graphile-worker';
import pg from 'pg';
import type { Db } from '../db/pool';
import { log } from '../log';
import { busyWebhooks, deliverInTurn } from './deliver';
import { DELIVER, type DeliverJob } from './emit';

/** Tries under way at once, in one instance. */
const CONCURRENCY = 4;
/** How often it looks for jobs that have become due; new ones are told to it at once. */
const POLL_MS = 2_000;
const RESTART_MS = 2_000;
/** How long tries under way may go on once the instance stops, and how long the stop waits in all. */
const GRACE_MS = 2_000;
const STOP_MS = 5_000;
/**
 * How long the queue has for its own end, from when it begins to end. It need not come to one:
 * where the ends of two jobs could not be written at once, it waits for itself for ever.
 */
const END_MS = 3_000;
/** So many looks in a row that failed, and the queue is opened anew: it may not come back by itself. */
const MAX_FAILED_LOOKS = 30;

/** The queue's own words at warning and above, shortened; never its payloads. */
const quiet = new Logger(() => (level, message) => {
  if (level === 'error' || level === 'warning') log.warn({ event: 'job-queue', message: message.split('\n', 1)[0]!.slice(0, 300) });
});

export function startDeliveries(db: Db, databaseUrl: string): () => Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONCURRENCY + 1, application_name: 'holdfast jobs', connectionTimeoutMillis: 10_000, idleTimeoutMillis: 60_000 });
  const ignored = () => undefined; // the queue is told by the statement that fails
  pool.on('error', ignored);
  pool.on('connect', (client) => void client.on('error', ignored));
  const stopped = new AbortController();
  const sending = new AbortController();
  let runner: Runner | undefined;

  const open = async (): Promise<void> => {
    const opened = await run({
      pgPool: pool,
      concurrency: CONCURRENCY,
      pollInterval: POLL_MS,
      noHandleSignals: true,
      logger: quiet,
      parsedCronItems: [],
      forbiddenFlags: busyWebhooks,
      taskList: { [DELIVER]: async (payload) => deliverInTurn(db, payload as DeliverJob, sending.signal) },
      // One by one, the queue does not hear when the end of a job cannot be written: the rejection would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    runner = opened;
    let failedLooks = 0;
    opened.events.on('worker:getJob:error', () => void (++failedLooks === MAX_FAILED_LOOKS && opened.stop().catch(ignored)));
    for (const good of ['worker:getJob:empty', 'job:start'] as const) opened.events.on(good, () => void (failedLooks = 0));
    const ending = new Promise<void>((ended) => opened.events.on('pool:gracefulShutdown', () => void setTimeout(ended, END_MS).unref()));
    if (stopped.signal.aborted) await opened.stop();
    await Promise.race([opened.promise, ending]);
    await opened.stop().catch(ignored); // it may have stopped already; what it left open is let go of here
  };

  const running = (async () => {
    while (!stopped.signal.aborted) {
      try {
        await open();
      } catch (error) {
        log.warn({ event: 'deliveries-interrupted', message: (error as Error).message });
      }
      await pause(RESTART_MS, undefined, { signal: stopped.signal }).catch(ignored);
    }
  })();

  return async () => {
    stopped.abort();
    const grace = setTimeout(() => sending.abort(), GRACE_MS);
    const late = new AbortController();
    const ended = Promise.all([runner?.stop().catch(ignored), running]).then(() => pool.end());
    await Promise.race([ended.catch(ignored), pause(STOP_MS, undefined, { signal: late.signal }).catch(ignored)]);
    late.abort();
    clearTimeout(grace);
    sending.abort();
  };
}
