import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instant, micros, plusSeconds, SECOND, type Instant } from '../time';
import { layTurns, runningTurn, turnOf, type Waiter } from './turns';

const T0 = '2026-05-04T10:00:00.000007Z';
const W = 900;
/** Minutes after T0. */
const at = (minutes: number): Instant => plusSeconds(T0, minutes * 60);
/** A waiter who petitioned an hour before T0 unless told otherwise. */
const waiter = (id: string, more: Partial<Waiter> = {}): Waiter => ({ id, principalId: id, at: at(-60), endedAt: null, ...more });
const slotsOf = (queue: Waiter[]) => layTurns(T0, W, queue).slots.map(({ waiter: w, begin, end }) => [w.id, begin, end]);

describe('Q-3: turns', () => {
  test('with nobody waiting, any coworker may from T0', () => {
    const turns = layTurns(T0, W, []);
    expect(turns).toEqual({ slots: [], othersFrom: T0 });
    expect(turnOf(turns, 'd')).toBe(T0);
  });

  test('the head has W alone, then the next waiter may, and who does not wait stands behind all', () => {
    const turns = layTurns(T0, W, [waiter('b'), waiter('c')]);
    expect(turnOf(turns, 'b')).toBe(T0);
    expect(turnOf(turns, 'c')).toBe(at(15));
    expect(turnOf(turns, 'd')).toBe(at(30));
  });

  test('a turn stays once it has begun: the head still may when its window has gone by', () => {
    const turns = layTurns(T0, W, [waiter('b'), waiter('c')]);
    expect(turnOf(turns, 'b') <= at(29)).toBe(true);
    expect(runningTurn(turns, at(29))?.waiter.id).toBe('c');
  });

  test('a slot runs from its begin to just before its end, and before and after all slots the first waiter is named', () => {
    const turns = layTurns(T0, W, [waiter('b'), waiter('c')]);
    expect(runningTurn(turns, T0)?.waiter.id).toBe('b');
    expect(runningTurn(turns, instant(micros(at(15)) - 1))?.waiter.id).toBe('b');
    expect(runningTurn(turns, at(15))?.waiter.id).toBe('c');
    expect(runningTurn(turns, at(-1))?.waiter.id).toBe('b');
    expect(runningTurn(turns, at(30))?.waiter.id).toBe('b');
    expect(runningTurn(layTurns(T0, W, []), T0)).toBeUndefined();
  });

  test('one withdrawn before its slot begins has none', () => {
    expect(slotsOf([waiter('b'), waiter('c', { endedAt: at(10) }), waiter('d')])).toEqual([
      ['b', T0, at(15)],
      ['d', at(15), at(30)],
    ]);
    expect(slotsOf([waiter('b', { endedAt: T0 }), waiter('c')])).toEqual([['c', T0, at(15)]]);
  });

  test('one withdrawn within its slot ends it then, and the next slot begins', () => {
    expect(slotsOf([waiter('b', { endedAt: at(4) }), waiter('c')])).toEqual([['c', at(4), at(19)]]);
  });

  test('one withdrawn after its slot had its whole window: the next slot does not move', () => {
    expect(slotsOf([waiter('b', { endedAt: at(20) }), waiter('c')])).toEqual([['c', at(15), at(30)]]);
  });

  test('a late petition’s slot begins no earlier than the petition', () => {
    expect(slotsOf([waiter('b'), waiter('c', { at: at(40) })])).toEqual([
      ['b', T0, at(15)],
      ['c', at(40), at(55)],
    ]);
    expect(layTurns(T0, W, [waiter('b'), waiter('c', { at: at(40) })]).othersFrom).toBe(at(55));
  });

  test('a late petition that comes while slots still run stands at their end', () => {
    expect(slotsOf([waiter('b'), waiter('c', { at: at(2) })])).toEqual([
      ['b', T0, at(15)],
      ['c', at(15), at(30)],
    ]);
  });

  test('who withdrew and petitioned anew stands where the new petition does', () => {
    const turns = layTurns(T0, W, [
      waiter('b1', { principalId: 'b', endedAt: at(5) }),
      waiter('c'),
      waiter('b2', { principalId: 'b', at: at(6) }),
    ]);
    expect(turnOf(turns, 'c')).toBe(at(5));
    expect(turnOf(turns, 'b')).toBe(at(20));
  });

  test('no other’s withdrawal or late petition ever shortens or moves a slot that has begun, and each slot lasts the whole window', () => {
    const queue = fc
      .array(fc.record({ came: fc.integer({ min: -50, max: 100 }), stayed: fc.option(fc.integer({ min: 0, max: 80 })) }), {
        minLength: 1,
        maxLength: 8,
      })
      .map((drawn) =>
        drawn
          .sort((a, b) => a.came - b.came)
          .map(({ came, stayed }, i) =>
            waiter(`p${i}`, { at: at(came), endedAt: stayed === null || came + stayed > 100 ? null : at(came + stayed) }),
          ),
      );
    const now = at(100);
    fc.assert(
      fc.property(queue, fc.nat(), (before, pick) => {
        const waiting = before.filter((w) => w.endedAt === null);
        if (waiting.length === 0) return;
        const gone = waiting[pick % waiting.length]!;
        const after = [...before.map((w) => (w === gone ? { ...w, endedAt: now } : w)), waiter('late', { at: now })];
        const then = layTurns(T0, W, before).slots;
        const later = layTurns(T0, W, after).slots;
        for (const slot of later) expect(micros(slot.end) - micros(slot.begin)).toBe(W * SECOND);
        for (const { waiter: w, begin, end } of then.filter((s) => s.begin <= now && s.waiter !== gone)) {
          expect(later.find((s) => s.waiter.id === w.id)).toMatchObject({ begin, end });
        }
        for (const { waiter: w, begin } of then.filter((s) => s.waiter !== gone))
          expect(turnOf({ slots: later, othersFrom: '' }, w.principalId) <= begin).toBe(true);
      }),
    );
  });
});
