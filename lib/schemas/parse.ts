import type { z } from '@hono/zod-openapi';
import { invalidInput, type InputFault } from '../problems';
import { unstorable } from './text';

/** `entries[3].title`, as faults name their place. */
export function pathText(path: readonly PropertyKey[]): string {
  let out = '';
  for (const key of path) out += typeof key === 'number' ? `[${key}]` : out ? `.${String(key)}` : String(key);
  return out;
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'is required' : `must be ${EXPECTED[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return issue.input === undefined ? 'is required' : issue.message;
  return issue.message;
}
const EXPECTED: Record<string, string> = { string: 'text', number: 'a number', boolean: 'true or false', array: 'a list', object: 'an object', int: 'a whole number' };

/** Longest list of faults that an answer carries. */
const MAX_FAULTS = 100;

/**
 * The input as the schema types it.
 * @param whole what a fault of the whole input is said of
 * @throws Problem `invalid-input` with every fault and its path
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, whole = 'body'): z.output<S> {
  const hostile = unstorable(input);
  if (hostile) throw invalidInput({ path: hostile.path || whole, message: hostile.message });
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const faults: InputFault[] = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: pathText([...issue.path, key]).slice(0, 200).toWellFormed() || whole, message: 'is not known here' }))
      : [{ path: pathText(issue.path) || whole, message: messageOf(issue) }],
  );
  throw invalidInput(...faults.slice(0, MAX_FAULTS));
}
