import { describe, expect, it } from 'vitest';
import type { Notice } from '../lib/notices/read';
import { noticeInstant, noticeText } from './notice-text';

const container = { slug: 'tide-tables', title: 'Tide tables' };
const AT = '2026-11-30T10:00:00.000000Z';

/** Each kind as it is stored, with a word of its sentence and where it leads. */
const KINDS: [Notice['kind'], Record<string, unknown>, RegExp, string][] = [
  ['lock-cleared', { grant: 3, by: 'Olga', reason: 'Gone home' }, /Olga cleared your grant 3, because “Gone home”/, '/drafts'],
  ['grant-superseded', { grant: 3, by: 'Ann' }, /Ann acquired the lock after your grant 3 had run out/, '/drafts'],
  ['grant-ends-soon', { grant: 3, expiresAt: AT }, /grant 3 is about to run out/, '/lock'],
  ['cap-near', { grant: 3, capAt: AT, expiresAt: AT }, /24 hours/, '/lock'],
  ['grant-expired', { grant: 3, expiresAt: AT }, /grant 3 ran past its expiry. Nothing under it can land; what you wrote is kept/, '/lock'],
  ['holder-silent', { grant: 3, holder: 'Ben', expiresAt: AT }, /Grant 3 of Ben ran out without a release/, '/lock'],
  ['holder-silent', { grant: 3, holder: 'Ben', expiresAt: AT, how: 'superseded', by: 'Ann' }, /Ann has acquired since/, '/lock'],
  ['holder-silent', { grant: 3, holder: 'Ben', expiresAt: AT, how: 'cleared', by: 'Olga' }, /Olga has cleared it since/, '/lock'],
  ...(['grant-unknown', 'grant-superseded', 'grant-cleared', 'grant-released', 'not-holder', 'grant-expired'] as const).map(
    (code): [Notice['kind'], Record<string, unknown>, RegExp, string] => [
      'push-refused',
      { code, yourGrant: 2, currentGrant: 3, holder: 'Ben', message: 'Second edition' },
      /^Your push “Second edition” under grant 2 was refused: [^-]+\. Nothing has landed\.$/,
      '/lock',
    ],
  ),
  ['petition-made', { by: 'Ann', reason: 'Chapter two' }, /^Ann waits, because “Chapter two”\.$/, '/lock'],
  ['petition-withdrawn', { by: 'Olga' }, /Olga withdrew your petition/, '/lock'],
  ['petition-withdrawn', { by: null }, /role or state changed/, '/lock'],
  ['petition-withdrawn', { by: 'Olga', archived: true }, /Olga archived the container/, ''],
  ['petition-lapsed', { acquiredBy: 'Ann' }, /whole turn went by twice/, '/lock'],
  ['turn-begun', {}, /You may acquire the lock now/, '/lock'],
  ['lease-given', { by: 'Ben', prefix: 'HF', from: 1, through: 9 }, /Ben leased HF-1 to HF-9 to you/, '/collaboration'],
  ['block-assigned', { by: 'Ben', title: 'Tide terms' }, /Ben assigned you “Tide terms”/, '/collaboration'],
];

describe('a notice in words', () => {
  it.each(KINDS)('%s %j', (kind, details, sentence, page) => {
    const text = noticeText({ kind, details, container });
    expect(text.sentence).toMatch(sentence);
    expect(text.href).toBe(`/c/tide-tables${page}`);
    expect(text.title.length).toBeGreaterThan(5);
    expect(text.title.length).toBeLessThan(60);
    expect(JSON.stringify(text)).not.toMatch(/undefined|null/);
  });

  it('leads to the inbox where there is no container', () => expect(noticeText({ kind: 'turn-begun', details: {}, container: null }).href).toBe('/notices'));

  it('has an instant where one is near', () => {
    expect(noticeInstant({ kind: 'grant-ends-soon', details: { expiresAt: AT } })).toEqual({ label: 'It ends', at: AT });
    expect(noticeInstant({ kind: 'turn-begun', details: {} })).toBeUndefined();
  });
});
