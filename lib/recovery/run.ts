/** BR-1: recovery at boot, in its fixed order, and the same check while running. */
import { setTimeout as sleep } from 'node:timers/promises';
import { followRebuilds, gridVersions, kickMirror, recoverMirrors, releaseDeadWriteLocks, startDecider, type Finding } from '../amendment';
import { openAlerts, type Alert } from '../alerts';
import type { Viewer } from '../containers/access';
import { beginRecovery, finishStep, STEPS, type Step } from '../db/phase';
import { rows, statement, type Db, type Queryable } from '../db/pool';
import { forbidden } from '../db/state';
import { log } from '../log';
import { dropDeadRoleLocks } from '../runner';
import type { Instant } from '../time';
import { checkChains } from './chains';
import { registerInstance, type Registered } from './instance';
import { endedInstances, markDeadInstances } from './liveness';
import { resolveOrphans } from './orphans';
import { Report, type StepReport } from './report';

export type { StepReport };

/** What a recovery found and did (BR-5). */
export type Recovery = { instance: string; steps: StepReport[]; alerts: Alert[] };

const LATEST = statement(`SELECT instance_id AS instance, at, steps FROM recovery ORDER BY id DESC LIMIT $1`);

type Work = (db: Db, self: string, report: Report, step: StepReport) => Promise<void>;

const telling = (step: StepReport) => (finding: Finding) => void step.found.push(finding);

const STEP_WORK: Record<Step, Work> = {
  async engine(db, self, report, step) {
    await checkChains(db, telling(step));
    await markDeadInstances(db, self);
    await resolveOrphans(db, await endedInstances(db), self, report, step);
  },
  async amendment(db, _self, _report, step) {
    await releaseDeadWriteLocks(db, await endedInstances(db), telling(step));
    await recoverMirrors(db, telling(step));
  },
  async runner(db, _self, _report, step) {
    for (const lock of await dropDeadRoleLocks(db)) {
      step.found.push({ what: 'role lock', id: `${lock.role} in ${lock.context}`, proof: `its pass ${lock.id} does not run`, done: 'dropped' });
    }
  },
};

/** How long after a failed step it is tried again. */
const RETRY_MS = 1_000;

/**
 * Runs the steps in their order, each finished before the next begins, and keeps the report. A
 * step that fails, because the database went away, is tried again: no operator need act (BR-3).
 * @throws Error when `stopping` aborts before all is done
 */
async function recover(db: Db, self: string, stopping: AbortSignal): Promise<Report> {
  const report = new Report(self);
  const insist = async <T>(what: Step, work: () => Promise<T>): Promise<T> => {
    for (;;) {
      stopping.throwIfAborted();
      try {
        return await work();
      } catch (error) {
        log.warn({ event: 'recovery-failed', step: what, message: (error as Error).message });
        await sleep(RETRY_MS, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  };
  for (const name of STEPS) {
    const step = await insist(name, () => report.begin(db, name));
    await insist(name, () => STEP_WORK[name](db, self, report, step));
    await insist(name, () => report.end(db, step));
    await insist(name, () => report.keep(db));
    finishStep(name);
  }
  return report;
}

/** How often a live instance looks for what others left. */
const CHECK_MS = 3_000;

/** The versions that this instance's mirrors are at, by container. */
export type Mirrored = Map<string, number>;

/**
 * The same check while running (BR-3): an orphan does not wait for a boot. It also verifies what
 * the checkpoint chains grew by, and follows the grids that other instances committed and the
 * mirrors that they rebuilt. Keeps a report only when it found something.
 */
export async function checkOnce(db: Db, self: string, mirrored: Mirrored): Promise<void> {
  await markDeadInstances(db, self);
  const ended = await endedInstances(db);
  const report = new Report(self);
  const step = async (name: Step, work: (step: StepReport) => Promise<void>) => {
    const step = await report.begin(db, name);
    await work(step);
    await report.end(db, step);
  };
  try {
    await step('engine', async (step) => {
      await resolveOrphans(db, ended, self, report, step);
      await checkChains(db, telling(step));
    });
    await step('amendment', (step) => releaseDeadWriteLocks(db, ended, telling(step)));
    await step('runner', (step) => STEP_WORK.runner(db, self, report, step));
  } finally {
    if (report.found > 0) {
      await report.keep(db);
      log.warn({ event: 'orphans-resolved', found: report.found });
    }
  }
  await followRebuilds(db);
  for (const { id, version } of await gridVersions(db)) {
    if (mirrored.get(id) !== version && (await kickMirror(db, id))) mirrored.set(id, version);
  }
}

export type Recovering = {
  /** Resolves when all steps are done. Rejects only when it was closed before. */
  done: Promise<void>;
  instance: string;
  /** Resolves when the whole was checked in the background, too (BR-1). */
  whole: Promise<void>;
  /** Stops the checks and parks this instance's passes (BR-4). */
  close(): Promise<void>;
};

/**
 * Begins this process's recovery (once per process) and, when it is done, the deciding of
 * amendments and the periodic check. Calls work meanwhile as far as BR-2 lets them.
 */
export async function startRecovery(db: Db, databaseUrl: string): Promise<Recovering> {
  const instance: Registered = await registerInstance(db, databaseUrl);
  beginRecovery(instance.id);
  const stopping = new AbortController();
  const { signal } = stopping;
  const mirrored: Mirrored = new Map();
  let stopDecider: (() => Promise<void>) | undefined;
  let checking: Promise<void> = Promise.resolve();

  const guarded = (event: string, work: () => Promise<void>) =>
    work().catch((error: Error) => {
      if (!signal.aborted) log.warn({ event, message: error.message });
    });
  const checkNowAndThen = async () => {
    while (!signal.aborted) {
      await guarded('recovery-check-failed', () => checkOnce(db, instance.id, mirrored));
      await sleep(CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const done = recover(db, instance.id, signal).then(({ found }) => {
    if (signal.aborted) return;
    if (found > 0) log.warn({ event: 'recovered', found });
    stopDecider = startDecider(db);
    checking = checkNowAndThen();
  });
  const whole = done.then(
    () => guarded('not-checked-whole', () => checkWhole(db, instance.id, signal)),
    () => undefined,
  );
  return {
    done,
    whole,
    instance: instance.id,
    async close() {
      stopping.abort();
      await done.catch(() => undefined);
      await Promise.all([stopDecider?.(), checking, whole]);
      await instance.close();
    },
  };
}

/** BR-1: the whole of the chains, and of the mirrors, in the background after a boot. What it finds joins the reports. */
async function checkWhole(db: Db, self: string, stopping: AbortSignal): Promise<void> {
  const report = new Report(self);
  const engine = await report.begin(db, 'engine');
  await checkChains(db, telling(engine), { whole: true, stopping });
  await report.end(db, engine);
  const amendment = await report.begin(db, 'amendment');
  await recoverMirrors(db, telling(amendment), { whole: true, stopping });
  await report.end(db, amendment);
  if (report.found > 0) await report.keep(db);
}

/** A recovery as it was kept, for the report page. */
export type KeptRecovery = Omit<Recovery, 'alerts'> & { at: Instant };

/**
 * BR-5: the latest recoveries with what they found and the proof, newest first, for operators.
 * @throws Problem `forbidden`
 */
export async function readRecoveries(q: Queryable, viewer: Viewer, limit = 20): Promise<{ recoveries: KeptRecovery[]; alerts: Alert[] }> {
  if (viewer?.role !== 'operator') throw forbidden('operator');
  return { recoveries: await rows<KeptRecovery>(q, LATEST, [limit]), alerts: await openAlerts(q) };
}

/** The latest recovery as the API answers it. @throws Problem `forbidden` */
export async function readRecovery(q: Queryable, viewer: Viewer): Promise<Recovery> {
  const { recoveries, alerts } = await readRecoveries(q, viewer, 1);
  const [latest] = recoveries;
  return { instance: latest?.instance ?? '', steps: latest?.steps ?? [], alerts };
}
