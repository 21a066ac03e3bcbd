import type { GrantEnd } from '../lib/lock-page/grants';

/** How a grant ended, in a word and in a sign of its own shape. */
export const ENDS: Record<GrantEnd, { word: string; path: string; filled?: boolean; className: string }> = {
  released: { word: 'released', path: 'M-4.5 0.5 -1.5 3.5 4.5 -3.5', className: 'stroke-good' },
  cleared: { word: 'fell silent, cleared by an operator', path: 'M-3.5 -3.5 3.5 3.5M3.5 -3.5 -3.5 3.5', className: 'stroke-silent' },
  superseded: { word: 'fell silent, superseded', path: 'M-4 -4 0 0 -4 4M0.5 -4 4.5 0 0.5 4', className: 'stroke-silent' },
  held: { word: 'held now', path: 'M0 -4.5 4.5 0 0 4.5 -4.5 0z', filled: true, className: 'fill-held stroke-held' },
  silent: { word: 'silent now', path: 'M0 -5 5 4H-5zM0 -1.5V1M0 2.4V2.6', className: 'stroke-silent' },
};

/** How many grants ended how: `9 released; 1 held now`. */
export const endedText = (ended: Record<GrantEnd, number>): string =>
  (Object.keys(ended) as GrantEnd[])
    .filter((end) => ended[end] > 0)
    .map((end) => `${ended[end]} ${ENDS[end].word}`)
    .join('; ');

/** The sign alone, about the origin of the picture that it stands in. */
export const EndSign = ({ end }: { end: GrantEnd }) => (
  <path d={ENDS[end].path} fill={ENDS[end].filled ? undefined : 'none'} strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" className={ENDS[end].className} />
);

/** The sign with its word. */
export const GrantEndText = ({ end }: { end: GrantEnd }) => (
  <span className="inline-flex items-center gap-1.5">
    <svg aria-hidden width="14" height="14" viewBox="-7 -7 14 14" className="shrink-0">
      <EndSign end={end} />
    </svg>
    {ENDS[end].word}
  </span>
);
