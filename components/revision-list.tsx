import { ChevronRight } from 'lucide-react';
import type { PrincipalRef } from '../lib/roles';
import type { Instant } from '../lib/time';
import { foldRuns } from './fold-runs';
import { Link } from './link';
import { Principal } from './principal';
import { Time } from './time';

export type RevisionItem = {
  revision: number;
  kind: string;
  author: PrincipalRef | null;
  at: Instant;
  summary: string;
  reason?: string;
  /** The page that shows what it changed. */
  href?: string;
};

function Revision({ item }: { item: RevisionItem }) {
  return (
    <div className="grid grid-cols-[min(3.25rem,16%)_minmax(0,1fr)] gap-x-3 px-4 py-3 sm:px-5">
      <span className="pt-px font-mono text-[0.875rem] text-ink-faint">
        <span className="sr-only">Revision </span>
        {item.revision}
      </span>
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="rounded bg-sunken px-1.5 font-mono text-[0.75rem] leading-5 text-ink-soft">{item.kind}</span>
          <span className="min-w-0 break-words">{item.summary}</span>
        </p>
        {item.reason && <p className="mt-1 text-[0.9375rem] break-words text-ink-soft">Reason: <bdi>{item.reason}</bdi></p>}
        <p className="mt-1 flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-[0.875rem] text-ink-soft">
          <Principal principal={item.author} />
          <Time at={item.at} />
          {item.href && (
            <Link href={item.href} className="link">
              What changed<span className="sr-only"> in revision {item.revision}</span>
            </Link>
          )}
        </p>
      </div>
    </div>
  );
}

function Run({ items }: { items: RevisionItem[] }) {
  const [newest, oldest] = [items[0]!, items.at(-1)!];
  return (
    <details className="group">
      <summary className="grid grid-cols-[min(3.25rem,16%)_minmax(0,1fr)] gap-x-3 px-4 py-2.5 -outline-offset-2 hover:bg-sunken sm:px-5">
        <ChevronRight aria-hidden className="mt-1 size-4 text-ink-faint transition-transform group-open:rotate-90" />
        <span className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-[0.875rem] text-ink-soft">
          <span className="text-[0.9375rem] text-ink">
            {items.length} {newest.kind}s
          </span>
          <Principal principal={newest.author} />
          <span>
            revisions {oldest.revision} to {newest.revision}, the last <Time at={newest.at} />
          </span>
        </span>
      </summary>
      <ol className="divide-y divide-line border-t border-line bg-sunken/50">
        {items.map((item) => (
          <li key={item.revision}>
            <Revision item={item} />
          </li>
        ))}
      </ol>
    </details>
  );
}

/** A page's history, newest first, with runs of heartbeats folded (W-1). */
export function RevisionList({ items, label }: { items: RevisionItem[]; label: string }) {
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {foldRuns(items).map((folded) =>
        'run' in folded ? (
          <li key={folded.run[0]!.revision}>
            <Run items={folded.run} />
          </li>
        ) : (
          <li key={folded.one.revision}>
            <Revision item={folded.one} />
          </li>
        ),
      )}
    </ol>
  );
}
