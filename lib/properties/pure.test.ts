import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layTurns, runningTurn, turnOf, type Turns, type Waiter } from '../lock-page/turns';
import { digestOf, entryDigest, landingDigest, NO_DIGEST } from '../register/digest';
import { identifierOf, numberOf } from '../register/identifier';
import { remainderOf } from '../register/reclaim';
import { fromPostgres, instant, micros, plusSeconds, SECOND } from '../time';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20261130), numRuns: 300 });

/** Whole microseconds from 1970 to 2200. */
const moment = fc.integer({ min: 0, max: 7_258_118_400_000_000 }).map(instant);
const T0 = '2026-11-30T10:00:00.000000Z';
const after = (us: number) => instant(micros(T0) + us);

describe('time (T-2)', () => {
  test('an instant survives micros and back, to the microsecond', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 7_258_118_400_000_000 }), (us) => micros(instant(us)) === us));
    fc.assert(fc.property(moment, (at) => instant(micros(at)) === at && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(at)));
  });

  test('instants are ordered as their strings are', () => {
    fc.assert(fc.property(moment, moment, (a, b) => a < b === micros(a) < micros(b) && (a === b) === (micros(a) === micros(b))));
  });

  test('seconds are added exactly', () => {
    fc.assert(fc.property(moment, fc.integer({ min: 0, max: 86_400 }), (at, s) => micros(plusSeconds(at, s)) - micros(at) === s * SECOND));
  });

  test('what PostgreSQL prints in UTC is read to the microsecond, other zones are not', () => {
    const printed = (at: string) => at.replace('T', ' ').replace(/\.?0*Z$/, '+00');
    fc.assert(fc.property(moment, (at) => fromPostgres(printed(at)) === at));
    expect(() => fromPostgres('2026-11-30 10:00:00+01')).toThrow();
  });
});

describe('turns (Q-3)', () => {
  const MINUTE = 60 * SECOND;
  /** A queue in petition order: some came before T0, some since; some were withdrawn after they came. */
  const queue = fc
    .array(
      fc.record({
        came: fc.integer({ min: -60 * MINUTE, max: 120 * MINUTE }),
        stayed: fc.option(fc.integer({ min: 1, max: 60 * MINUTE }), { nil: null }),
      }),
      { maxLength: 8 },
    )
    .map((petitions) =>
      petitions
        .sort((a, b) => a.came - b.came)
        .map(({ came, stayed }, i): Waiter => ({
          id: `${i}`,
          principalId: `p${i}`,
          at: after(came),
          endedAt: stayed === null ? null : after(came + stayed),
        }))
        .filter((w) => w.endedAt === null || w.endedAt > T0),
    );
  const windowSeconds = fc.integer({ min: 1, max: 3600 });
  const slotOf = (turns: Turns<Waiter>, { id }: Waiter) => turns.slots.find((s) => s.waiter.id === id);

  test('each waiter has one slot, a whole window long, in queue order, not before T0 or its petition, and no two overlap', () => {
    fc.assert(
      fc.property(queue, windowSeconds, (waiters, window) => {
        const { slots, othersFrom } = layTurns(T0, window, waiters);
        expect(slots.map((s) => s.waiter)).toEqual(waiters.filter((w) => w.endedAt === null));
        let end = T0;
        for (const slot of slots) {
          expect(slot.begin >= end && slot.begin >= slot.waiter.at).toBe(true);
          expect(micros(slot.end) - micros(slot.begin)).toBe(window * SECOND);
          end = slot.end;
        }
        expect(othersFrom >= end).toBe(true);
      }),
    );
  });

  test('a withdrawal moves nobody back, and no slot that has begun', () => {
    fc.assert(
      fc.property(queue, windowSeconds, fc.nat(), fc.integer({ min: 1, max: 180 * MINUTE }), (waiters, window, pick, later) => {
        const staying = waiters.filter((w) => w.endedAt === null);
        fc.pre(staying.length > 0);
        const leaver = staying[pick % staying.length]!;
        const now = after(later);
        fc.pre(leaver.at < now && waiters.every((w) => w.at <= now && (w.endedAt === null || w.endedAt <= now)));
        const before = layTurns(T0, window, waiters);
        const since = layTurns(
          T0,
          window,
          waiters.map((w) => (w === leaver ? { ...w, endedAt: now } : w)),
        );
        for (const { waiter, begin, end } of before.slots) {
          if (waiter === leaver) continue;
          const slot = slotOf(since, waiter)!;
          expect(slot.begin <= begin).toBe(true);
          if (begin <= now) expect([slot.begin, slot.end]).toEqual([begin, end]);
          else expect(slot.begin >= now || slot.begin === begin).toBe(true);
        }
        expect(since.othersFrom <= before.othersFrom).toBe(true);
      }),
    );
  });

  test('a late petition takes nothing from those before it', () => {
    fc.assert(
      fc.property(queue, windowSeconds, fc.nat(120 * MINUTE), (waiters, window, later) => {
        const at = [after(later), ...waiters.map((w) => w.at)].sort().at(-1)!;
        const late: Waiter = { id: 'late', principalId: 'late', at, endedAt: null };
        const before = layTurns(T0, window, waiters);
        const since = layTurns(T0, window, [...waiters, late]);
        expect(since.slots.slice(0, -1)).toEqual(before.slots);
        expect(slotOf(since, late)!.begin >= before.othersFrom).toBe(true);
      }),
    );
  });

  test('who is not waiting stands behind all; the running slot is the only one that holds the moment, else the first waiter stands for it', () => {
    fc.assert(
      fc.property(queue, windowSeconds, fc.integer({ min: 0, max: 300 * MINUTE }), (waiters, window, later) => {
        const turns = layTurns(T0, window, waiters);
        const now = after(later);
        expect(turnOf(turns, 'a stranger')).toBe(turns.othersFrom);
        for (const slot of turns.slots) expect(turnOf(turns, slot.waiter.principalId)).toBe(slot.begin);
        const running = turns.slots.filter((s) => s.begin <= now && now < s.end);
        expect(running.length).toBeLessThanOrEqual(1);
        expect(runningTurn(turns, now)).toBe(running[0] ?? turns.slots[0]);
      }),
    );
  });

  test('a waiter withdrawn before its slot begins has none; one withdrawn in it gives the rest away', () => {
    const at = (minutes: number) => after(minutes * MINUTE);
    const a: Waiter = { id: 'a', principalId: 'a', at: at(-3), endedAt: at(5) };
    const b: Waiter = { id: 'b', principalId: 'b', at: at(-2), endedAt: at(4) };
    const c: Waiter = { id: 'c', principalId: 'c', at: at(-1), endedAt: null };
    expect(layTurns(T0, 900, [a, b, c]).slots).toEqual([{ waiter: c, begin: at(5), end: at(20) }]);
  });
});

describe('identifiers (L-1) and what is left of a lease (L-4)', () => {
  const prefix = fc.stringMatching(/^[A-Z]{2,8}$/);
  const number = fc.oneof(
    fc.integer({ min: 1, max: 2000 }),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    fc.constantFrom(1, Number.MAX_SAFE_INTEGER),
  );

  test('an identifier is read back as its number, under its own prefix alone', () => {
    fc.assert(
      fc.property(
        prefix,
        number,
        (p, n) =>
          numberOf(p, identifierOf(p, n)) === n &&
          numberOf(`${p.slice(0, 7)}Q`, identifierOf(p, n)) === (`${p.slice(0, 7)}Q` === p ? n : undefined),
      ),
    );
  });

  test('whatever is read as a number is written as it was read', () => {
    const near = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^TS-[-+ 0-9.eEx_]{0,20}$/));
    fc.assert(
      fc.property(near, (text) => numberOf('TS', text) === undefined || identifierOf('TS', numberOf('TS', text)!) === text),
      { numRuns: 2000 },
    );
  });

  test.each([
    'TS-0',
    'TS-01',
    'TS-',
    'TS1',
    'ts-1',
    'TS-1 ',
    ' TS-1',
    'TS-1\n',
    'TS--1',
    'TS-+1',
    'TS-1.0',
    'TS-1e3',
    'TS-0x1',
    'TS-١',
    'TS-9007199254740992',
    'TS-99999999999999999999',
    'XTS-1',
    '',
  ])('%j is malformed', (text) => expect(numberOf('TS', text)).toBeUndefined());

  test('what is left and what is spent make up the range again; what is left lies in ascending pieces that do not touch', () => {
    const range = fc.record({
      from: fc.integer({ min: 1, max: 500 }),
      size: fc.integer({ min: 1, max: 60 }),
      marks: fc.array(fc.nat(59), { maxLength: 60 }),
    });
    fc.assert(
      fc.property(range, ({ from, size, marks }) => {
        const spent = [...new Set(marks.filter((m) => m < size).map((m) => from + m))].sort((a, b) => a - b);
        const left = remainderOf(from, from + size - 1, spent);
        const numbers = left.flatMap((p) => Array.from({ length: p.through - p.from + 1 }, (_, i) => p.from + i));
        expect([...numbers, ...spent].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => from + i));
        left.slice(1).forEach((piece, i) => expect(piece.from).toBeGreaterThan(left[i]!.through + 1));
      }),
    );
  });
});

describe('digests (R-5, RFC 8785)', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  test('RFC 8785, 3.2.2: literals, numbers and strings', () => {
    const value = JSON.parse(String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`);
    const canonical = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonicalize(value)).toBe(canonical);
    expect(digestOf(value)).toBe(sha256(canonical));
  });

  test('RFC 8785, 3.2.3: members are sorted by UTF-16 code units', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const order = [...canonicalize(value)!.matchAll(/:"([^"]*)"/g)].map(([, text]) => text);
    expect(order).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['41b3de4355555553', '333333333.3333332'],
  ])('RFC 8785, appendix B: the double %s is %s', (bits, text) => {
    expect(canonicalize(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  test('the order of members says nothing, every value says something', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : value && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([k, v]) => [k, reversed(v)]),
            )
          : value;
    fc.assert(fc.property(json, (value) => digestOf(reversed(value)) === digestOf(value)));
    fc.assert(fc.property(json, json, (a, b) => (digestOf(a) === digestOf(b)) === (canonicalize(a) === canonicalize(b))));
  });

  test('the form of the register’s digests does not change', () => {
    const entry = { identifier: 'HF-1', title: 'Zoë’s “first”', body: '# One\n\r\t\u0001', author: '00000000-0000-4000-8000-000000000001' };
    const digest = entryDigest(entry);
    expect(digest).toBe(
      sha256(
        String.raw`{"author":"00000000-0000-4000-8000-000000000001","body":"# One\n\r\t\u0001","identifier":"HF-1","title":"Zoë’s “first”"}`,
      ),
    );
    const landing = {
      container: '00000000-0000-4000-8000-0000000000c1',
      sequence: 1,
      grant: 7,
      author: entry.author,
      message: '',
      at: T0,
      entries: [{ identifier: 'HF-1', digest }],
      previousDigest: NO_DIGEST,
    };
    expect(landingDigest(landing)).toBe(
      sha256(
        `{"at":"${T0}","author":"${entry.author}","container":"${landing.container}","entries":[{"digest":"${digest}","identifier":"HF-1"}],"grant":7,"message":"","previousDigest":"${NO_DIGEST}","sequence":1}`,
      ),
    );
  });

  test('no member of a landing can change without its digest', () => {
    const landing = {
      container: 'c',
      sequence: 1,
      grant: 7,
      author: 'a',
      message: 'm',
      at: T0,
      entries: [{ identifier: 'HF-1', digest: NO_DIGEST }],
      previousDigest: NO_DIGEST,
    };
    const changes = [
      { container: 'd' },
      { sequence: 2 },
      { grant: 8 },
      { author: 'b' },
      { message: 'n' },
      { at: after(1) },
      { entries: [] },
      { entries: [{ identifier: 'HF-2', digest: NO_DIGEST }] },
      { previousDigest: 'f'.repeat(64) },
    ];
    expect(new Set([landing, ...changes.map((change) => ({ ...landing, ...change }))].map(landingDigest)).size).toBe(changes.length + 1);
  });
});
