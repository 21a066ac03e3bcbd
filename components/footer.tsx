import { SheetButton } from './commands/palette-button';

/** The foot of every page. */
export function Footer() {
  return (
    <footer className="site-footer border-t border-line text-[0.8125rem] text-ink-soft">
      <div className="page-width flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
        <p>Times are yours; point at one for the whole instant in UTC.</p>
        <SheetButton />
      </div>
    </footer>
  );
}
