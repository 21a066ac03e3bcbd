import { describe, expect, it } from 'vitest';
import { dayText, durationText, exactText, relativeText, utcText } from './duration';

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
    [-40_000, 'seconds ago'],
    [40_000, 'in seconds'],
    [-5 * 60_000, '5 minutes ago'],
    [2 * 3_600_000, 'in 2 hours'],
    [-86_400_000, 'yesterday'],
    [86_400_000, 'tomorrow'],
    [-3 * 86_400_000, '3 days ago'],
    [-40 * 86_400_000, 'last month'],
    [40 * 86_400_000, 'next month'],
    [3 * 365 * 86_400_000, 'in 3 years'],
    [-60_000, '1 minute ago'],
    [90 * 60_000, 'in 1 hour'],
  ])('%i ms away is %s', (difference, text) => expect(relativeText(1e12 + difference, 1e12)).toBe(text));
});

describe('texts of an instant', () => {
  it('shows minutes in UTC, and all six decimals where they are asked for', () => {
    expect(utcText('2026-11-30T10:59:28.123456Z')).toBe('30 Nov 2026, 10:59 UTC');
    expect(utcText('2026-09-03T00:05:00.000000Z')).toBe('3 Sep 2026, 00:05 UTC');
    expect(utcText('2026-09-03T00:05:00.000000Z', Date.parse('2026-12-01T00:00:00Z'))).toBe('3 Sep, 00:05 UTC');
    expect(utcText('2026-09-03T00:05:00.000000Z', Date.parse('2027-01-01T00:00:00Z'))).toBe('3 Sep 2026, 00:05 UTC');
    expect(dayText(Date.parse('2026-09-03T00:00:00Z'))).toBe('3 Sep');
    expect(exactText('2026-11-30T10:59:28.123456Z')).toBe('2026-11-30 10:59:28.123456 UTC');
  });
});
