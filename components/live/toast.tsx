import { Bell, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Notice } from '../../lib/notices/read';
import { Link } from '../link';
import { noticeText } from '../notice-text';

/** How long a notice stays on the page when nobody points at it, in milliseconds. It stays in the inbox. */
const SHOWN_MS = 20_000;

/** A notice as it comes. It goes by itself, but not while somebody reads it with pointer or focus. */
export function Toast({ notice, close }: { notice: Notice; close: () => void }) {
  const { title, sentence, next, href, place } = noticeText(notice);
  const [read, setRead] = useState(false);
  useEffect(() => {
    if (read) return;
    const over = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(over);
    // The time counts from when the notice came, not from each reading of the page.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [read, notice.id]);
  return (
    <div
      onPointerEnter={() => setRead(true)}
      onPointerLeave={() => setRead(false)}
      onFocus={() => setRead(true)}
      onBlur={() => setRead(false)}
      className="pointer-events-auto flex items-start gap-3 rounded-xl border border-line bg-surface p-3.5 text-[0.9375rem] shadow-lg"
    >
      <Bell aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
      <div className="min-w-0 grow">
        <p className="font-semibold break-words">{title}</p>
        <p className="mt-0.5 break-words">{sentence}</p>
        {next && <p className="mt-0.5 break-words text-ink-soft">Next: {next}</p>}
        <p className="mt-1.5 flex flex-wrap gap-x-4 text-[0.875rem]">
          <Link href={href} className="link min-w-0 break-words">
            {notice.container ? `${place} of ${notice.container.title}` : place}
          </Link>
          <Link href="/notices" className="link">
            All notices
          </Link>
        </p>
      </div>
      <button type="button" onClick={close} className="icon-button -m-1.5 shrink-0">
        <X aria-hidden className="size-4" />
        <span className="sr-only">Close this notice</span>
      </button>
    </div>
  );
}
