import { describe, expect, it } from 'vitest';
import { durationText, exactText, relativeText, utcText } from './duration';

describe('durationText', () => {
  it.each([
    [27 * 3_600_000, '1 d 3 h'],
    [3 * 3_600_000 + 12 * 60_000, '3 h 12 min'],
    [12 * 60_000 + 5_000, '12 min 05 s'],
    [59_999, '1 min 00 s'],
    [41_001, '42 s'],
    [1, '1 s'],
    [0, '0 s'],
    [-5_000, '0 s'],
  ])('%i ms is %s', (ms, text) => expect(durationText(ms)).toBe(text));
});

describe('relativeText', () => {
  it.each([
    [-3_000, 'just now'],
    [-40_000, 'less than a minute ago'],
    [40_000, 'in less than a minute'],
    [-5 * 60_000, '5 minutes ago'],
    [2 * 3_600_000, 'in 2 hours'],
    [-86_400_000, 'yesterday'],
    [-40 * 86_400_000, 'last month'],
  ])('%i ms away is %s', (difference, text) => expect(relativeText(1e12 + difference, 1e12)).toBe(text));
});

describe('texts of an instant', () => {
  it('shows minutes in UTC, and all six decimals where they are asked for', () => {
    expect(utcText('2026-11-30T10:59:28.123456Z')).toBe('30 Nov 2026, 10:59 UTC');
    expect(exactText('2026-11-30T10:59:28.123456Z')).toBe('2026-11-30 10:59:28.123456 UTC');
  });
});
