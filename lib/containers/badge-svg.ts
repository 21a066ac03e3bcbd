/** The badge as a picture for READMEs and dashboards (section 10), and how long it may be kept (W-2). Pure. */
import type { Badge } from '../lock-page/badge';
import { micros, SECOND, type Instant } from '../time';

/** What the picture tells. `holder` is a name, or null when nobody is on the lock page. */
export type BadgeFace = { title: string; badge: Badge; holder: string | null; caution: boolean };

/** Each on a ground of its own, with white text at 4.5:1 or better: so it reads on a light page and on a dark one. */
const GROUND: Record<Badge, string> = { OPEN: '#1c6638', HANDOVER: '#5b3a9e', HELD: '#134f8f', 'HOLDER SILENT': '#b3261e' };
const LABEL_GROUND = '#3d4340';
const CAUTION_GROUND = '#ffd28a';
const CAUTION_INK = '#4a2f00';

const HEIGHT = 22;
const PAD = 8;
const NAME_LENGTH = 28;
const TITLE_LENGTH = 200;

/** What XML cannot hold, and marks that would turn the direction of the text around a name. */
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\uffff]|\p{Cs}/gu;
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for XML, in an element or an attribute. */
export const escapeXml = (text: string): string => text.replace(UNFIT, ' ').replace(/[&<>"']/g, (c) => ENTITIES[c]!);

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text's first `length` letters as people count them, with an ellipsis where more follow. */
function shorten(text: string, length: number): string {
  const letters = [...graphemes.segment(text.replace(UNFIT, ' ').replace(/\s+/g, ' ').trim())].map((s) => s.segment);
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : letters.join('');
}

/** A letter's width at 11 px in the widest of the typefaces asked for, in px: on the large side, so that text never meets its edge. */
function letterWidth(letter: string): number {
  if (/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f000}-\u{3ffff}]/u.test(letter)) return 12;
  if (/[MW@%…—]/.test(letter)) return 11;
  if (/[A-Z0-9mw]/.test(letter)) return 8.4;
  if (/[ijl.,:;'|! ]/.test(letter)) return 4.4;
  if (/[\u0020-\u024f]/.test(letter)) return 7.2;
  return 9;
}

/** A text's width at 11 px, estimated, in whole px. */
export const textWidth = (text: string): number => Math.ceil([...graphemes.segment(text)].reduce((sum, { segment }) => sum + letterWidth(segment), 0));

/**
 * The badge as an SVG: "lock", the badge, the holder, and a mark while the caution is on. It
 * needs no style and no font of its own, and each text is fitted to the room that it was given.
 */
export function badgeSvg(face: BadgeFace): string {
  const holder = face.holder === null ? '' : shorten(face.holder, NAME_LENGTH);
  const name = holder ? `: ${holder}` : '';
  const value = `${face.badge}${name}`;
  const [left, middle] = [textWidth('lock') + 2 * PAD, textWidth(value) + 2 * PAD];
  const mark = face.caution ? textWidth('caution') + 14 + 2 * PAD : 0;
  const width = left + middle + mark;
  const said = `${shorten(face.title, TITLE_LENGTH)}, lock: ${value}${face.caution ? ', caution' : ''}`;
  const text = (at: number, room: number, words: string, ink = '#ffffff') =>
    `<text x="${at}" y="15" textLength="${room}" lengthAdjust="spacingAndGlyphs" fill="${ink}">${escapeXml(words)}</text>`;
  const ground = (at: number, room: number, fill: string) => `<rect x="${at}" width="${room}" height="${HEIGHT}" fill="${fill}"/>`;
  const triangle = left + middle + PAD;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${escapeXml(said)}">`,
    `<title>${escapeXml(said)}</title>`,
    `<clipPath id="edge"><rect width="${width}" height="${HEIGHT}" rx="4"/></clipPath>`,
    '<g clip-path="url(#edge)">',
    ground(0, left, LABEL_GROUND),
    ground(left, middle, GROUND[face.badge]),
    ...(mark ? [ground(left + middle, mark, CAUTION_GROUND)] : []),
    '</g>',
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${HEIGHT - 1}" rx="3.5" fill="none" stroke="#8a918d"/>`,
    '<g font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">',
    text(PAD, left - 2 * PAD, 'lock'),
    text(left + PAD, middle - 2 * PAD, value),
    ...(mark
      ? [
          `<path d="M${triangle + 5} 6l5.5 10h-11z" fill="none" stroke="${CAUTION_INK}" stroke-width="1.4" stroke-linejoin="round"/><path d="M${triangle + 5} 9.5v3M${triangle + 5} 14v.6" stroke="${CAUTION_INK}" stroke-width="1.3"/>`,
          text(triangle + 14, mark - 2 * PAD - 14, 'caution', CAUTION_INK),
        ]
      : []),
    '</g>',
    '</svg>',
  ].join('');
}

/** As long as the picture may be kept, in seconds (W-2). */
const KEPT_AT_MOST = 5;

/**
 * W-2: `Cache-Control` of the picture. Kept for 5 s at most and never past the next change by
 * time, rounded down; caches count from when they asked, which was before `now`.
 * @param changesAt when the badge changes by time alone; null when it does not
 */
export function badgeCaching(now: Instant, changesAt: Instant | null, isPublic: boolean): string {
  const left = changesAt === null ? KEPT_AT_MOST : Math.floor((micros(changesAt) - micros(now)) / SECOND);
  return `${isPublic ? 'public' : 'private'}, max-age=${Math.max(0, Math.min(KEPT_AT_MOST, left))}, must-revalidate`;
}
