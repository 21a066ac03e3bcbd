import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference } from './diff-lines';

const numbered = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);

describe('difference', () => {
  it('shows what changed with three lines around it, and counts what it leaves out', () => {
    const before = numbered(1, 40);
    const after = before.with(9, 'ten').with(29, 'thirty');
    const found = difference(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
    expect(found.hunks.map((h) => [h.skipped, h.lines.length])).toEqual([
      [6, 8],
      [13, 8],
    ]);
    expect([found.added, found.removed, found.skippedAfter]).toEqual([2, 2, 7]);
    expect(found.hunks[0]!.lines.map((l) => l.kind[0]).join('')).toBe('sssrasss');
    expect(found.hunks[0]!.lines[3]).toEqual({ kind: 'removed', text: 'line 10', before: 10 });
  });

  it('finds nothing in equal texts', () => {
    expect(difference('a\nb', 'a\nb')).toEqual({ hunks: [], added: 0, removed: 0, skippedAfter: 2 });
  });

  it('shows every line once, in order, whatever the texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map((l) => l.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { hunks, skippedAfter } = difference(before, after);
        let [b, a] = [0, 0];
        for (const hunk of hunks) {
          [b, a] = [b + hunk.skipped, a + hunk.skipped];
          for (const line of hunk.lines) {
            if (line.before !== undefined) expect(line.before).toBe(++b);
            if (line.after !== undefined) expect(line.after).toBe(++a);
          }
        }
        expect(b + skippedAfter).toBe(before.split('\n').length - 1);
        expect(a + skippedAfter).toBe(after.split('\n').length - 1);
      }),
    );
  });
});
