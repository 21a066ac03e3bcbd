import clsx from 'clsx';
import { difference, type DiffLine } from './diff-lines';

const LOOKS: Record<DiffLine['kind'], { sign: string; spoken: string; className: string }> = {
  same: { sign: ' ', spoken: '', className: '' },
  added: { sign: '+', spoken: 'added: ', className: 'bg-good-soft text-good' },
  removed: { sign: '−', spoken: 'removed: ', className: 'bg-danger-soft text-danger' },
};

const count = (n: number, what: string): string => `${n} ${n === 1 ? 'line' : 'lines'} ${what}`;

function Skipped({ lines }: { lines: number }) {
  if (lines === 0) return null;
  return <p className="border-y border-line bg-sunken px-3 py-1 text-ink-faint">{count(lines, 'unchanged')}</p>;
}

/** What changed between two texts, line by line, with signs and words beside the colours. */
export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const { hunks, added, removed, skippedAfter } = difference(before, after);
  if (hunks.length === 0) return <p className="text-[0.9375rem] text-ink-soft">The texts are the same.</p>;
  return (
    <figure>
      <figcaption className="mb-2 text-[0.875rem] text-ink-soft">
        {label}: {count(added, 'added')}, {count(removed, 'removed')}
      </figcaption>
      <div tabIndex={0} role="region" aria-label={label} className="max-h-[70vh] overflow-auto rounded-lg border border-line bg-surface font-mono text-[0.8125rem] leading-6">
        {hunks.map((hunk, i) => (
          <div key={i}>
            <Skipped lines={hunk.skipped} />
            {hunk.lines.map((line, at) => {
              const { sign, spoken, className } = LOOKS[line.kind];
              return (
                <div key={at} className={clsx('flex', className)}>
                  <span aria-hidden className="w-10 shrink-0 pr-2 text-right text-ink-faint select-none max-sm:hidden">
                    {line.before}
                  </span>
                  <span aria-hidden className="w-10 shrink-0 pr-2 text-right text-ink-faint select-none max-sm:hidden">
                    {line.after}
                  </span>
                  <span aria-hidden className="w-6 shrink-0 text-center font-semibold select-none">
                    {sign}
                  </span>
                  <span className="min-w-0 flex-1 pr-3 [overflow-wrap:anywhere] whitespace-pre-wrap">
                    {spoken && <span className="sr-only">{spoken}</span>}
                    {line.text || '\u200b'}
                  </span>
                </div>
              );
            })}
          </div>
        ))}
        <Skipped lines={skippedAfter} />
      </div>
    </figure>
  );
}
