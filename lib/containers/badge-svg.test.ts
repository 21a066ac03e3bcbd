import { describe, expect, test } from 'vitest';
import { BADGES } from '../lock-page/badge';
import { instant, micros, SECOND } from '../time';
import { badgeCaching, badgeSvg, escapeXml, textWidth } from './badge-svg';

const NOW = '2026-05-04T10:00:00.000000Z';
const inSeconds = (s: number) => instant(micros(NOW) + Math.round(s * SECOND));
const face = { title: 'Handbook', badge: 'HELD', holder: 'Lea', caution: false } as const;
const maxAge = (value: string) => Number(/max-age=(\d+)/.exec(value)![1]);
const texts = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

describe('the badge as a picture', () => {
  test.each(BADGES)('shows %s in words, and says so to who cannot see it', (badge) => {
    const svg = badgeSvg({ ...face, badge, holder: null });
    expect(texts(svg)).toEqual(['lock', badge]);
    expect(svg).toContain(`role="img" aria-label="Handbook, lock: ${badge}"`);
    expect(svg).toContain(`<title>Handbook, lock: ${badge}</title>`);
  });

  test('names who is on the lock page, and marks the caution with a sign and a word (LP-10)', () => {
    expect(texts(badgeSvg(face))).toEqual(['lock', 'HELD: Lea']);
    const cautious = badgeSvg({ ...face, badge: 'HOLDER SILENT', caution: true });
    expect(texts(cautious)).toEqual(['lock', 'HOLDER SILENT: Lea', 'caution']);
    expect(cautious).toContain('lock: HOLDER SILENT: Lea, caution"');
  });

  test('fits every text into the room that it was given, whatever the letters', () => {
    for (const holder of ['i', 'WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW', '漢字'.repeat(40), '👩‍👩‍👧‍👦'.repeat(40), 'é'.repeat(60), ' a  b ']) {
      const svg = badgeSvg({ ...face, holder, caution: true });
      const width = Number(/ width="(\d+)"/.exec(svg)![1]);
      for (const [, at, room] of svg.matchAll(/<text x="(\d+)" y="15" textLength="(\d+)"/g)) expect(Number(at) + Number(room)).toBeLessThanOrEqual(width - 8);
      expect(width).toBeLessThan(640);
      expect([...new Intl.Segmenter().segment(texts(svg)[1]!)].length).toBeLessThanOrEqual('HELD: '.length + 28);
    }
    expect(textWidth('WWW')).toBeGreaterThan(textWidth('iii'));
  });

  test('lets nothing out of a hostile name or title', () => {
    const hostile = `</title><script>alert(1)</script>"' onload='x'&\u0000\u0008\u202e\u2066\ufffe`;
    const svg = badgeSvg({ ...face, title: hostile, holder: hostile });
    expect(svg).not.toMatch(/<script|' onload|" onload|[\u0000-\u0008\u202e\u2066\ufffe]/);
    expect(svg.match(/<\/title>/g)).toHaveLength(1);
    expect(svg.match(/<(?!\/?(svg|title|clipPath|rect|g|text|path)\b)/g)).toBeNull();
    expect(escapeXml(`a<b>&"'`)).toBe('a&lt;b&gt;&amp;&quot;&#39;');
  });
});

describe('W-2: how long the picture may be kept', () => {
  test('is 5 s at most, never past the next change by time', () => {
    for (const left of [0.000001, 0.4, 0.999999, 1, 1.5, 2.999999, 3, 4.999999, 5, 5.1, 3600]) {
      expect(maxAge(badgeCaching(NOW, inSeconds(left), true))).toBeLessThanOrEqual(Math.min(5, left));
    }
    expect(maxAge(badgeCaching(NOW, inSeconds(3.7), true))).toBe(3);
    expect(maxAge(badgeCaching(NOW, inSeconds(3600), true))).toBe(5);
    expect(maxAge(badgeCaching(NOW, inSeconds(-1), true))).toBe(0);
    expect(maxAge(badgeCaching(NOW, null, true))).toBe(5);
  });

  test('is for everybody where the container is public, else for who read it; and is not to be served stale', () => {
    expect(badgeCaching(NOW, null, true)).toBe('public, max-age=5, must-revalidate');
    expect(badgeCaching(NOW, null, false)).toBe('private, max-age=5, must-revalidate');
  });
});
