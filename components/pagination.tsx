import { ArrowLeft, ArrowRight } from 'lucide-react';
import { Link } from './link';

/** Pages of a cursor-paged list: back to its start, and on. Shows nothing where the list is whole. */
export function Pagination({ first, next, label = 'Pages', firstText = 'Newest', nextText = 'Older' }: { first?: string | null; next?: string | null; label?: string; firstText?: string; nextText?: string }) {
  if (!first && !next) return null;
  return (
    <nav aria-label={label} className="mt-4 flex justify-between gap-3">
      {first ? (
        <Link href={first} className="button button-small">
          <ArrowLeft aria-hidden className="size-4" />
          {firstText}
        </Link>
      ) : (
        <span />
      )}
      {next && (
        <Link href={next} rel="next" className="button button-small">
          {nextText}
          <ArrowRight aria-hidden className="size-4" />
        </Link>
      )}
    </nav>
  );
}
