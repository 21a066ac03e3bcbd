/** The building blocks of every input schema, shared by the API and the forms. */
import { z } from '@hono/zod-openapi';

/** Characters as people count them: code points, not UTF-16 units. */
const length = (s: string): number => {
  let n = 0;
  for (const _ of s) n++;
  return n;
};

/** Text of `min` to `max` characters; `blank: false` refuses white space alone. */
export function text(min: number, max: number, options: { blank?: boolean } = {}) {
  const blank = options.blank ?? min === 0;
  return z
    .string()
    .refine((s) => s.length <= max * 2 && length(s) <= max, { error: `must have at most ${max} characters` })
    .refine((s) => min === 0 || length(s) >= min, { error: min === 1 ? 'must not be empty' : `must have at least ${min} characters` })
    .refine((s) => blank || s === '' || s.trim() !== '', { error: 'must not be blank' });
}

/** Markdown of at most `kib` KiB of UTF-8. */
export const markdown = (kib: number) =>
  z.string().refine((s) => s.length <= kib * 1024 && Buffer.byteLength(s) <= kib * 1024, { error: `must have at most ${kib} KiB` });

/** An integer from `min` to `max`; 2^53 − 1 at most, so that JSON carries it exactly. */
export const integer = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z
    .number({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a whole number') })
    .refine((n) => Number.isSafeInteger(n) && n >= min && n <= max, { error: `must be a whole number from ${min} to ${max}` });

export const grant = integer(1);
export const uuid = z.string().refine((s) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(s), { error: 'must be a UUID' });

const MAX_DEPTH = 64;

/**
 * Where a value holds text that PostgreSQL or UTF-8 cannot keep: U+0000 or a lone
 * surrogate, in a string or in a member's name. Undefined when there is none.
 */
export function unstorable(value: unknown, path = '', depth = 0): { path: string; message: string } | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path, message: 'must not contain U+0000' };
    if (!value.isWellFormed()) return { path, message: 'must not contain a lone surrogate' };
    return undefined;
  }
  if (depth > MAX_DEPTH) return { path: path.slice(0, 200).toWellFormed(), message: 'is nested too deeply' };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = unstorable(value[i], `${path}[${i}]`, depth + 1);
      if (fault) return fault;
    }
  } else if (value && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      const at = path ? `${path}.${key}` : key;
      if (key.includes('\0') || !key.isWellFormed()) return { path, message: 'has a member whose name cannot be stored' };
      const fault = unstorable(inner, at, depth + 1);
      if (fault) return fault;
    }
  }
  return undefined;
}
