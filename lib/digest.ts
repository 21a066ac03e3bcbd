/** SHA-256 over RFC 8785 canonical JSON (R-5, G-3, E-6). Pure. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Where a chain begins. */
export const NO_DIGEST = '0'.repeat(64);

/** SHA-256 of the RFC 8785 form of a JSON value, 64 lower-case hex digits. */
export function digestOf(value: unknown): string {
  const canonical = canonicalize(value);
  if (canonical === undefined) throw new Error('not a JSON value');
  return createHash('sha256').update(canonical).digest('hex');
}
