import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from './digest';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('digests are over the RFC 8785 form', () => {
  test('as the reference implementation writes it, for every JSON value', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }).map((s) => s.toWellFormed()));
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        fc.constantFrom(null, undefined),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(text, tie('json'), { maxKeys: 6, noNullPrototype: true }),
      ),
    }));
    fc.assert(fc.property(json.filter((v) => v !== undefined), (value) => {
        expect(digestOf(value)).toBe(sha256(canonicalize(value)!));
      }), { numRuns: 1000 });
  });

  test('as RFC 8785 prints it: numbers as ECMAScript writes them, members by UTF-16 code units', () => {
    const value = { numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 1e-27, -0], string: '€$\u000f\nA\'B"\\\\"/', literals: [null, true, false] };
    expect(digestOf(value)).toBe(
      sha256('{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'),
    );
    expect(digestOf({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, ö: 7 })).toBe(
      sha256('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'),
    );
  });

  test('what is no JSON value has none', () => {
    for (const value of [NaN, Infinity, undefined, '\ud800', { a: ['\udc00'] }, { '\ud800': 1 }]) expect(() => digestOf(value)).toThrow();
  });
});
