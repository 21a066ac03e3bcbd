/** SHA-256 over RFC 8785 canonical JSON (R-5, G-3, E-6). Pure. */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** Where a chain begins. */
export const NO_DIGEST = '0'.repeat(64);

/** Text that JSON writes as it stands, in quotes: printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

const isLeftOut = (value: unknown): boolean => value === undefined || typeof value === 'symbol';

/** The RFC 8785 form: the library's, several times as fast for what is mostly plain text, as long chains are (BR-1). */
function canonical(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${Array.from(value, (v) => (isLeftOut(v) ? 'null' : canonical(v))).join(',')}]`;
  if (typeof value === 'object' && !('toJSON' in value)) {
    const members = value as Record<string, unknown>;
    let text = '';
    for (const name of Object.keys(members).sort()) {
      if (!isLeftOut(members[name])) text += `${text && ','}${canonical(name)}:${canonical(members[name])}`;
    }
    return `{${text}}`;
  }
  const form = canonicalize(value);
  if (form === undefined) throw new Error('not a JSON value');
  return form;
}

/** SHA-256 of the RFC 8785 form of a JSON value, 64 lower-case hex digits. */
export const digestOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');
