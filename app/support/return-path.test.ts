import { describe, expect, it } from 'vitest';
import { refererPath, safeReturnPath } from './return-path';

describe('safeReturnPath', () => {
  it('keeps a path of this site with its query and fragment', () => {
    for (const path of ['/', '/c/alpha/lock', '/c/alpha?q=a%20b&badge=HELD', '/c/alpha/entries/HF-1#r2', '/?to=//evil.example']) {
      expect(safeReturnPath(path)).toBe(path);
    }
  });

  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'evil.example',
    '',
    '/\tevil',
    '/\n/evil.example',
    '/a\r\nSet-Cookie: a=b',
    '/\u0000',
    ' /x',
    `/${'x'.repeat(3_000)}`,
    undefined,
    null,
    7,
    ['/x'],
  ])('goes to the board instead of %j', (hostile) => {
    expect(safeReturnPath(hostile)).toBe('/');
    expect(safeReturnPath(hostile, '/admin')).toBe('/admin');
  });
});

describe('refererPath', () => {
  it('takes the path of a page of ours, and of no other', () => {
    expect(refererPath('http://localhost:3000/c/a?x=1#y', 'localhost:3000')).toBe('/c/a?x=1');
    expect(refererPath('https://evil.example/c/a', 'localhost:3000')).toBe('/');
    expect(refererPath('nonsense', 'localhost:3000')).toBe('/');
    expect(refererPath(null, 'localhost:3000', '/x')).toBe('/x');
  });
});
