import { describe, expect, test } from 'vitest';
import { instant, micros } from '../time';
import { badgeOf, cautionOf } from './badge';

const EXPIRY = '2026-05-04T10:00:00.000000Z';
const before = instant(micros(EXPIRY) - 1);
const free = { holderId: null, expiresAt: EXPIRY };
const held = { holderId: 'a', expiresAt: EXPIRY };

describe('the badge (section 3)', () => {
  test.each([
    ['OPEN', 'no holder and nobody waits', free, before, 0],
    ['OPEN', 'nothing was ever granted', { holderId: null, expiresAt: null }, before, 0],
    ['HANDOVER', 'no holder and somebody waits', free, before, 1],
    ['HELD', 'a holder, one microsecond before the expiry', held, before, 0],
    ['HELD', 'a holder before the expiry, whoever waits', held, before, 3],
    ['HOLDER SILENT', 'a holder at the expiry to the microsecond', held, EXPIRY, 0],
    ['HOLDER SILENT', 'a holder past the expiry, whoever waits', held, instant(micros(EXPIRY) + 1), 2],
  ] as const)('is %s with %s', (badge, _when, page, now, waiting) => {
    expect(badgeOf(page, now, waiting)).toBe(badge);
  });
});

describe('LP-10: the caution', () => {
  const quiet = { cautionSince: null, cautionGrant: null, grant: 7 };
  const off = { caution: false, cautionSince: null, cautionGrant: null };

  test('is off while somebody holds and nobody fell silent', () => {
    expect(cautionOf({ ...held, ...quiet }, before)).toEqual(off);
    expect(cautionOf({ ...free, ...quiet }, EXPIRY)).toEqual(off);
  });

  test('is on from the expiry to the microsecond, since then and for that grant', () => {
    expect(cautionOf({ ...held, ...quiet }, EXPIRY)).toEqual({ caution: true, cautionSince: EXPIRY, cautionGrant: 7 });
  });

  test('names the first grant that fell silent, not a later one', () => {
    const stored = { cautionSince: '2026-05-03T10:00:00.000000Z', cautionGrant: 5, grant: 7 };
    expect(cautionOf({ ...held, ...stored }, EXPIRY)).toEqual({ caution: true, cautionSince: stored.cautionSince, cautionGrant: 5 });
    expect(cautionOf({ ...free, ...stored }, EXPIRY)).toEqual({ caution: true, cautionSince: stored.cautionSince, cautionGrant: 5 });
  });
});
