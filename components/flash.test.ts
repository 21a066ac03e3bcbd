import { describe, expect, it } from 'vitest';
import { flashOf, flashValue } from './flash';
import { refusalText } from './refusal-text';

describe('a message for the next page', () => {
  it('comes back as it was, with whether it is a refusal', () => {
    for (const flash of [{ text: 'Saved.', refused: false }, { text: 'A later grant exists.', refused: true }]) expect(flashOf(flashValue(flash))).toEqual(flash);
  });

  it('is cut without leaving half a character, which no cookie can carry', () => {
    const value = flashValue({ text: `x${'😀'.repeat(300)}`, refused: false });
    expect(value.length).toBeLessThanOrEqual(400);
    expect(() => encodeURIComponent(value)).not.toThrow();
  });
});

describe('a refusal in one line', () => {
  it('keeps the facts of a receipt (R-2)', () => {
    const members = { yourGrant: 1, currentGrant: 2, holder: { id: 'x', name: 'Hugo', kind: 'person' } };
    expect(refusalText({ title: 'A later grant exists', detail: 'Another grant has been given since.', members })).toBe(
      'A later grant exists. Another grant has been given since. Your grant: 1. Current grant: 2, held by Hugo.',
    );
    expect(refusalText({ title: 'T', detail: 'D', members: { ...members, holder: null } })).toContain('held by nobody');
  });

  it('says title and detail otherwise', () => {
    expect(refusalText({ title: 'Push before you release', detail: 'Nothing was pushed.' })).toBe('Push before you release. Nothing was pushed.');
  });
});
