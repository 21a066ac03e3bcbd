import { describe, expect, test } from 'vitest';
import { plusSeconds } from '../time';
import { missedBeats, rhythmOf } from './rhythm';

const T0 = '2026-05-04T10:00:00.000000Z';
const after = (...seconds: number[]) => seconds.map((s) => plusSeconds(T0, s));
const HOUR = 3600;

describe('the rhythm of a holder', () => {
  test('is the median gap of its heartbeats, so that one long gap does not blur it', () => {
    expect(rhythmOf(after(0, 600, 1200, 1800, 9000), 4 * HOUR)).toEqual({ seconds: 600, from: 'beats' });
    expect(rhythmOf(after(0, 600, 1400), 4 * HOUR)).toEqual({ seconds: 700, from: 'beats' });
  });

  test('is a third of the term where no heartbeat came after the beginning', () => {
    expect(rhythmOf(after(0), 4 * HOUR)).toEqual({ seconds: 4800, from: 'term' });
    expect(rhythmOf([], 60)).toEqual({ seconds: 20, from: 'term' });
  });

  test('is never made of a burst: one a second at most, or a third of the shortest terms', () => {
    expect(rhythmOf(after(0, 0.01, 0.02), 4 * HOUR)).toEqual({ seconds: 1, from: 'beats' });
    expect(rhythmOf(after(0, 0.01), 1).seconds).toBeCloseTo(1 / 3);
  });
});

describe('the heartbeats that did not come', () => {
  test('are each one rhythm after the one before, all before the expiry', () => {
    expect(missedBeats(T0, plusSeconds(T0, 4 * HOUR), { seconds: 4800, from: 'term' })).toEqual({ count: 2, at: after(4800, 9600) });
    expect(missedBeats(T0, plusSeconds(T0, 3601), { seconds: 1800, from: 'beats' })).toEqual({ count: 2, at: after(1800, 3600) });
  });

  test('are two where a third of the term is expected, whatever the term', () => {
    for (const term of [1, 7, 10, 100, 14_400, 86_400]) expect([term, missedBeats(T0, plusSeconds(T0, term), rhythmOf([T0], term)).count]).toEqual([term, 2]);
  });

  test('are none where the grant ran to its cap while the holder was still there', () => {
    expect(missedBeats(T0, plusSeconds(T0, 600), { seconds: 3600, from: 'beats' })).toEqual({ count: 0, at: [] });
    expect(missedBeats(T0, T0, { seconds: 3600, from: 'beats' })).toEqual({ count: 0, at: [] });
  });

  test('are counted all and named up to 200', () => {
    const missed = missedBeats(T0, plusSeconds(T0, 24 * HOUR), { seconds: 1, from: 'beats' });
    expect(missed.count).toBe(24 * HOUR - 1);
    expect(missed.at).toHaveLength(200);
    expect(missed.at.at(-1)).toBe(plusSeconds(T0, 200));
  });
});
