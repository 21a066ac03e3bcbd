/**
 * How far this instance's recovery is (BR-2), and which instance this is (BR-3). Shared by the
 * bundles of one process, so it sits on `globalThis`.
 */
import { Problem } from '../problems';

export const STEPS = ['engine', 'amendment', 'runner'] as const;
export type Step = (typeof STEPS)[number];

type Phase = { instanceId: string | undefined; done: Set<Step> };

const KEY = Symbol.for('holdfast.phase');
type Shared = typeof globalThis & { [KEY]?: Phase };
const phase = (): Phase => ((globalThis as Shared)[KEY] ??= { instanceId: undefined, done: new Set() });

/** Begins this process's recovery as `instanceId`. */
export function beginRecovery(instanceId: string): void {
  Object.assign(phase(), { instanceId, done: new Set<Step>() });
}

/** Marks a step as finished. */
export function finishStep(step: Step): void {
  phase().done.add(step);
}

/** The step that runs now; undefined once all are done. */
export const runningStep = (): Step | undefined => STEPS.find((step) => !phase().done.has(step));

/** Passes once `step` is done (BR-2). @throws Problem `recovering` (step: the one that runs now) */
export function requireStep(step: Step): void {
  if (phase().done.has(step)) return;
  throw new Problem('recovering', 'This server is still recovering. Try again in a moment.', { step: runningStep() });
}

/** This instance, which hosts the passes whose start it accepts (BR-3). */
export function thisInstance(): string {
  const { instanceId } = phase();
  if (!instanceId) throw new Error('recovery has not begun');
  return instanceId;
}
