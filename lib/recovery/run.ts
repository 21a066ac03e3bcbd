/** BR-1: recovery at boot, in its fixed order, and the same check while running. */
import { gridVersions, kickMirror, recoverMirrors, releaseDeadWriteLocks, startDecider, type Finding } from '../amendment';
import { raiseAlert, openAlerts, type Alert } from '../alerts';
import type { Viewer } from '../containers/access';
import { beginRecovery, finishStep, type Step } from '../db/phase';
import { row, rows, statement, type Db, type Queryable } from '../db/pool';
import { forbidden } from '../db/state';
import { chains, verifyChain } from '../engine';
import { log } from '../log';
import { dropDeadRoleLocks } from '../runner';
import type { Instant } from '../time';
import { registerInstance, type Registered } from './instance';
import { endedInstances, markDeadInstances } from './liveness';
import { resolveOrphans } from './orphans';

export type StepReport = { name: Step; startedAt: Instant; endedAt: Instant; found: Finding[] };
/** What a recovery found and did (BR-5). */
export type Recovery = { instance: string; steps: StepReport[]; alerts: Alert[] };

const NOW = statement('SELECT clock_timestamp() AS now');
const clock = async (q: Queryable): Promise<Instant> => (await row<{ now: Instant }>(q, NOW))!.now;

async function checkChains(db: Db, whole: boolean): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const id of await chains(db)) {
    const { ok, firstBad } = await verifyChain(db, id, { whole });
    if (ok) continue;
    await raiseAlert(db, id, 'chain-broken', { ...firstBad });
    found.push({ what: 'checkpoint chain', id, proof: `checkpoint ${firstBad!.sequence}: ${firstBad!.reason}`, done: 'alert raised, closed to new passes and amendments' });
  }
  return found;
}

const STEP_WORK: Record<Step, (db: Db, self: string) => Promise<Finding[]>> = {
  async engine(db, self) {
    const broken = await checkChains(db, false);
    await markDeadInstances(db, self);
    return [...broken, ...(await resolveOrphans(db, await endedInstances(db), self))];
  },
  async amendment(db) {
    const released = await releaseDeadWriteLocks(db, await endedInstances(db));
    return [...released, ...(await recoverMirrors(db))];
  },
  async runner(db) {
    return (await dropDeadRoleLocks(db)).map((lock) => ({ what: 'role lock', id: `${lock.role} in ${lock.context}`, proof: `its pass ${lock.id} does not run`, done: 'dropped' }));
  },
};

const KEEP = statement(`INSERT INTO recovery (instance_id, at, steps) VALUES ($1, clock_timestamp(), $2)`);
const LATEST = statement(`SELECT instance_id AS instance, at, steps FROM recovery ORDER BY id DESC LIMIT $1`);

/** Runs the steps in their order, each finished before the next begins, and keeps the report. */
async function recover(db: Db, self: string): Promise<StepReport[]> {
  const steps: StepReport[] = [];
  for (const name of ['engine', 'amendment', 'runner'] as const) {
    const startedAt = await clock(db);
    const found = await STEP_WORK[name](db, self);
    steps.push({ name, startedAt, endedAt: await clock(db), found });
    finishStep(name);
  }
  await rows(db, KEEP, [self, JSON.stringify(steps)]);
  return steps;
}

/** How often a live instance looks for what others left. */
const CHECK_MS = 3_000;

/** The same check while running (BR-3): an orphan does not wait for a boot. Keeps a report only when it found something. */
export async function checkOnce(db: Db, self: string, mirrored: Map<string, number>): Promise<void> {
  await markDeadInstances(db, self);
  const ended = await endedInstances(db);
  const at = await clock(db);
  const engine = await resolveOrphans(db, ended, self);
  const amendment = await releaseDeadWriteLocks(db, ended);
  const runner = await STEP_WORK.runner(db, self);
  if (engine.length + amendment.length + runner.length > 0) {
    const endedAt = await clock(db);
    const step = (name: Step, found: Finding[]): StepReport => ({ name, startedAt: at, endedAt, found });
    await rows(db, KEEP, [self, JSON.stringify([step('engine', engine), step('amendment', amendment), step('runner', runner)])]);
    log.warn({ event: 'orphans-resolved', passes: engine.length, writeLocks: amendment.length, roleLocks: runner.length });
  }
  for (const { id, version } of await gridVersions(db)) {
    if (mirrored.get(id) === version) continue;
    await kickMirror(db, id);
    mirrored.set(id, version);
  }
}

export type Recovering = {
  /** Resolves when all steps are done. */
  done: Promise<void>;
  instance: string;
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
  let closed = false;
  let stopDecider: (() => Promise<void>) | undefined;
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const mirrored = new Map<string, number>();
  const check = () => {
    checking ??= checkOnce(db, instance.id, mirrored)
      .catch((error: Error) => log.warn({ event: 'recovery-check-failed', message: error.message }))
      .finally(() => (checking = undefined));
  };
  const done = recover(db, instance.id).then((steps) => {
    if (closed) return;
    const found = steps.reduce((sum, step) => sum + step.found.length, 0);
    if (found > 0) log.warn({ event: 'recovered', found });
    stopDecider = startDecider(db);
    timer = setInterval(check, CHECK_MS);
    // The whole of the chains, in the background (BR-1).
    checkChains(db, true).catch((error: Error) => log.warn({ event: 'chains-not-checked', message: error.message }));
  });
  return {
    done,
    instance: instance.id,
    async close() {
      closed = true;
      clearInterval(timer);
      await done.catch(() => undefined);
      await stopDecider?.();
      await checking;
      await instance.close();
    },
  };
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
