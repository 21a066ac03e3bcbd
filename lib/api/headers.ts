import { invalidInput, Problem } from '../problems';
import { idempotencyKey } from '../schemas/inputs';

/** A base that is no revision of anything: it never holds (LP-2). */
const NO_REVISION = -1;

/**
 * W-2: the base of a revision-checked edit: exactly one strong tag.
 * @throws Problem `precondition-required`, `invalid-input`
 */
export function readIfMatch(value: string | undefined): number {
  if (value === undefined) throw new Problem('precondition-required', 'Say which revision you saw: If-Match: "<revision>".');
  const tag = /^"([\x21\x23-\x7e\x80-\xff]*)"$/.exec(value.trim())?.[1];
  if (tag === undefined) throw invalidInput({ path: 'If-Match', message: 'must be exactly one strong tag, as "7"' });
  const revision = /^(0|[1-9]\d{0,15})$/.test(tag) ? Number(tag) : NO_REVISION;
  return Number.isSafeInteger(revision) ? revision : NO_REVISION;
}

/**
 * the key that makes a landing's repeat harmless.
 * @throws Problem `idempotency-key-required`, `invalid-input`
 */
export function readIdempotencyKey(value: string | undefined): string {
  if (value === undefined || value === '') throw new Problem('idempotency-key-required', 'Send an Idempotency-Key: the same one again when you repeat this landing.');
  if (!idempotencyKey.safeParse(value).success) throw invalidInput({ path: 'Idempotency-Key', message: 'must be 1 to 200 characters, not blank' });
  return value;
}
