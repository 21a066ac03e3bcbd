import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { awaitsAttestation, CLAUSE_STATES, isLegal, isOpen, isVerdict, movesFrom, type ClauseStatus } from './moves';

/** Section 8's table, as it stands there. */
const TABLE = `
| pending | running pass fail awaiting-attestation unevaluated |
| running | pass fail unevaluated |
| awaiting-attestation | pass fail insufficient-basis unevaluated |
| insufficient-basis | awaiting-attestation pass fail |
| pass | |
| fail | |
| unevaluated | |`;
const LEGAL = new Map(
  TABLE.trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, from, to]) => [from as ClauseStatus, to!.split(' ').filter(Boolean) as ClauseStatus[]]),
);
const PAIRS = CLAUSE_STATES.flatMap((from) => CLAUSE_STATES.map((to) => [from, to] as const));

describe('section 8: the clause states and their moves', () => {
  test('there are seven states, and the table has a line for each', () => {
    expect([...LEGAL.keys()].sort()).toEqual([...CLAUSE_STATES].sort());
    expect(PAIRS).toHaveLength(49);
  });

  test.each(PAIRS)('%s → %s', (from, to) => {
    expect(isLegal(from, to)).toBe(LEGAL.get(from)!.includes(to));
    expect(movesFrom(from).includes(to)).toBe(isLegal(from, to));
  });

  test('no move leaves a clause where it is, and none leaves pass, fail or unevaluated', () => {
    for (const state of CLAUSE_STATES) expect(isLegal(state, state)).toBe(false);
    for (const end of ['pass', 'fail', 'unevaluated'] as const) expect(movesFrom(end)).toEqual([]);
  });

  test('every state but pending is reached from pending, and every history of legal moves that goes on ends or waits for an attestation', () => {
    const reached = new Set<ClauseStatus>(['pending']);
    for (const from of reached) for (const to of movesFrom(from)) reached.add(to);
    expect(reached.size).toBe(7);
    fc.assert(
      fc.property(fc.array(fc.nat(10), { maxLength: 40 }), (choices) => {
        let at: ClauseStatus = 'pending';
        for (const choice of choices) {
          const next: ClauseStatus[] = [...movesFrom(at)];
          if (next.length === 0) break;
          const to: ClauseStatus = next[choice % next.length]!;
          expect(isLegal(at, to)).toBe(true);
          at = to;
        }
        if (choices.length >= 2) expect(isOpen(at)).toBe(false);
      }),
    );
  });

  test('E-2: on an attested clause pass, fail and insufficient-basis are verdicts; on a machine’s nothing is', () => {
    expect(CLAUSE_STATES.filter((to) => isVerdict('attested', to))).toEqual(['pass', 'fail', 'insufficient-basis']);
    expect(CLAUSE_STATES.filter((to) => isVerdict('machine', to))).toEqual([]);
  });

  test('N-2, BR-4: pending and running keep a pass from completing; two others wait for an attestation', () => {
    expect(CLAUSE_STATES.filter(isOpen)).toEqual(['pending', 'running']);
    expect(CLAUSE_STATES.filter(awaitsAttestation)).toEqual(['awaiting-attestation', 'insufficient-basis']);
  });
});
