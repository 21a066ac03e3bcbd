import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merge } from './merge';

const text = (...lines: string[]): string => lines.join('\n');

describe('merge', () => {
  const base = text('one', 'two', 'three', 'four', 'five');

  it('takes both changes where they do not touch', () => {
    expect(merge(base, text('ONE', 'two', 'three', 'four', 'five'), text('one', 'two', 'three', 'four', 'five', 'six'))).toEqual({
      text: text('ONE', 'two', 'three', 'four', 'five', 'six'),
      clean: true,
    });
  });

  it('keeps both where they do, between markers', () => {
    expect(merge(base, text('one', 'MINE', 'three', 'four', 'five'), text('one', 'THEIRS', 'three', 'four', 'five'))).toEqual({
      text: text('one', '<<<<<<< yours', 'MINE', '=======', 'THEIRS', '>>>>>>> theirs', 'three', 'four', 'five'),
      clean: false,
    });
  });

  it('sees the same change once, and a deletion beside an edit as a conflict', () => {
    const both = text('one', 'two', '3', 'four', 'five');
    expect(merge(base, both, both)).toEqual({ text: both, clean: true });
    expect(merge(base, text('one', 'two', 'four', 'five'), both)?.clean).toBe(false);
  });

  it('gives a side back where the other changed nothing, and loses no line of either', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 12 }).map((l) => l.join('\n'));
    fc.assert(
      fc.property(lines, lines, lines, (b, mine, theirs) => {
        expect(merge(b, mine, b)).toEqual({ text: mine, clean: true });
        expect(merge(b, b, theirs)).toEqual({ text: theirs, clean: true });
        const merged = merge(b, mine, theirs)!;
        const kept = new Set(merged.text.split('\n'));
        const old = new Set(b.split('\n'));
        for (const line of [...mine.split('\n'), ...theirs.split('\n')]) if (!old.has(line)) expect(kept.has(line)).toBe(true);
      }),
    );
  });
});
