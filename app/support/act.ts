import 'server-only';
import { randomUUID } from 'node:crypto';
import { refresh } from 'next/cache';
import { headers } from 'next/headers';
import { redirect, unstable_rethrow } from 'next/navigation';
import type { z } from 'zod';
import { MADE_FOR, type ActionResult, type Conflict, type Fault, type Refused } from '@/components/action-result';
import { refusalText } from '@/components/refusal-text';
import { log } from '@/lib/log';
import type { Caller } from '@/lib/principals/record';
import { isProblem, Problem, type InputFault } from '@/lib/problems';
import { limitWrites } from '@/lib/rate-limit/limit';
import { runtime } from '@/lib/runtime';
import { unstorable } from '@/lib/schemas/text';
import { renewSession } from '@/lib/sign-in/session';
import { fromForm, pathText, typedValues } from './form-data';
import { currentPath, isScripted } from './request';
import { applySetCookie, leaveFlash } from './set-cookies';

export type ActOptions<T> = {
  /** Told in the live region once it is done. */
  message: string | ((result: T) => string);
  /** The page to go to; without it one stays where the form is. */
  to?: string | ((result: T) => string | undefined);
  /** A secret to show this once, such as a new token. */
  once?: (result: T) => string | undefined;
  /** For an `edit-conflict`: what stands there now, by field name (W-3). Given the problem's `current`. */
  conflict?: (current: never) => Conflict | undefined | Promise<Conflict | undefined>;
  /** True for a caller who holds: its writes have a budget of their own (section 10). */
  holding?: (caller: Caller) => boolean | Promise<boolean>;
};

const told = <T, R>(value: R | ((result: T) => R), result: T): R => (typeof value === 'function' ? (value as (result: T) => R)(result) : value);

/** What is wrong with each entry of a landing (R-3), as faults. */
type EntryFault = { index: number; identifier?: string; message: string };
const isEntryFault = (fault: InputFault | EntryFault): fault is EntryFault => 'index' in fault;

function faultsOf(problem: Problem): Fault[] {
  const errors = problem.members.errors as (InputFault | EntryFault)[] | undefined;
  return (errors ?? []).map((fault) =>
    isEntryFault(fault) ? { path: `entries[${fault.index}]`, message: `${fault.identifier ? `${fault.identifier} ` : ''}${fault.message}` } : { path: fault.path, message: fault.message },
  );
}

async function refusedFor(problem: Problem, values: Record<string, string>, conflict?: ActOptions<unknown>['conflict']): Promise<Refused> {
  const { current, errors: _, ...members } = problem.members;
  return {
    status: 'refused',
    code: problem.code,
    title: problem.title,
    detail: problem.message,
    faults: faultsOf(problem),
    values,
    ...(Object.keys(members).length > 0 ? { members } : {}),
    ...(problem.code === 'edit-conflict' && current !== undefined && conflict ? { current: await conflict(current as never) } : {}),
  };
}

/** An error that nobody foresaw: one generic message, and a log line with its id. */
function unknownError(error: unknown, values: Record<string, string>): Refused {
  const id = randomUUID().slice(0, 8);
  log.error({ event: 'action-failed', id, error: error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : String(error) });
  const { title } = new Problem('internal', '');
  return { status: 'refused', code: 'internal', title, detail: `Try again. If it happens again, tell an operator this number: ${id}.`, faults: [], values };
}

/**
 * The refusal for whatever an action threw; what Next throws to steer (redirects) goes on.
 * @param values what was typed, to be shown again
 */
export async function refusal(error: unknown, values: Record<string, string>, conflict?: ActOptions<unknown>['conflict']): Promise<Refused> {
  unstable_rethrow(error);
  try {
    return isProblem(error) ? await refusedFor(error, values, conflict) : unknownError(error, values);
  } catch (second) {
    return unknownError(second, values);
  }
}

/**
 * The members that `schema` knows, read from a form and checked.
 * @throws Problem `invalid-input` that names each field at fault
 */
export function parseForm<S extends z.ZodObject>(data: FormData, schema: S): z.output<S> {
  const input = fromForm(data, schema);
  const unfit = unstorable(input);
  if (unfit) throw new Problem('invalid-input', unfit.message, { errors: [unfit] });
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => ({ path: pathText(issue.path), message: issue.message }));
  throw new Problem('invalid-input', 'Look at the fields that are marked.', { errors });
}

/**
 * After success: goes to `to`, or stays. A plain post is answered by a redirect, so that a
 * reload does not post again, and its message travels in a cookie; our own script stays on
 * the page, which is read again, so that what else was typed there is not lost.
 */
export async function finish(message: string, to?: string): Promise<ActionResult> {
  const here = await currentPath();
  if ((await isScripted()) && (to === undefined || to === here)) {
    refresh();
    return { status: 'done', message };
  }
  await leaveFlash(message);
  redirect(to ?? here);
}

/**
 * One server action: reads the form, authenticates, counts the write, calls `run`, and turns
 * its outcome into an answer. Roles and grants are checked by what `run` calls, inside its
 * transaction; nothing is taken from the page that the form stood on.
 */
export async function act<S extends z.ZodObject, T>(data: FormData, schema: S, run: (input: z.output<S>, caller: Caller) => Promise<T>, options: ActOptions<T>): Promise<ActionResult> {
  const values = typedValues(data);
  try {
    const shared = runtime();
    const { caller, setCookie } = await renewSession(shared, new Headers(await headers()));
    if (!caller) throw new Problem('unauthenticated', 'Your session has ended.');
    const madeFor = data.get(MADE_FOR);
    if (madeFor !== null && madeFor !== caller.id) throw new Problem('unauthenticated', `This page was made for somebody else: ${caller.name} has signed in in this browser since. Nothing was changed.`);
    const input = parseForm(data, schema);
    await limitWrites(shared, caller.id, (await options.holding?.(caller)) ?? false);
    const result = await run(input, caller);
    await applySetCookie(setCookie);

    const message = told(options.message, result);
    const once = options.once?.(result);
    if (once === undefined) return await finish(message, told(options.to, result));
    refresh();
    return { status: 'done', message, once };
  } catch (error) {
    const refused = await refusal(error, values, options.conflict as ActOptions<unknown>['conflict']);
    // The page that answers a plain post may have no such form any more (another holds by now).
    if (refused.faults.length === 0 && !(await isScripted())) await leaveFlash(refusalText(refused), { refused: true });
    return refused;
  }
}
