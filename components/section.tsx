import type { ReactNode } from 'react';

/** A titled part of a page, in a card. `flush` lets a table or a list run to the card's edge. */
export function Section({ title, id, aside, intro, flush = false, children }: { title: ReactNode; id: string; aside?: ReactNode; intro?: ReactNode; flush?: boolean; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="card min-w-0">
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 px-4 pt-4 sm:px-5">
        <h2 id={id} dir="auto" className="min-w-0 text-[1.0625rem] font-semibold break-words">
          {title}
        </h2>
        {aside && <div className="text-[0.875rem] text-ink-soft">{aside}</div>}
        {intro && <div className="w-full text-[0.9375rem] text-ink-soft">{intro}</div>}
      </header>
      <div className={flush ? 'pt-2' : 'px-4 pt-3 pb-5 sm:px-5'}>{children}</div>
    </section>
  );
}
