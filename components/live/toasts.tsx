'use client';

import { Bell, X } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { useEffect, useState } from 'react';
import type { Notice } from '../../lib/notices/read';
import { Link } from '../link';
import { noticeText } from '../notice-text';
import { alertViewer, permission } from './notify';
import { refreshWithin } from './refresher';
import { stayOn } from './store';
import { useLive } from './use-live';

/** How many are shown; the others are in the inbox. */
const MOST = 3;

/** Notices that this browser tab has shown, or had when it was loaded. */
let known: Set<string> | undefined;

/** Tells of notices as they come: on the page, without taking the focus, and by the browser where nobody looks. */
export function Toasts({ unread }: { unread: number }) {
  const notices = useLive((live) => live.notices);
  const path = usePathname();
  const [shown, setShown] = useState<Notice[]>([]);

  useEffect(() => stayOn(permission() === 'on'), []);
  const count = notices?.unread;
  useEffect(() => {
    if (count !== undefined && count !== unread) refreshWithin(0);
  }, [count, unread]);

  useEffect(() => {
    if (!notices) return;
    const fresh = known ? notices.newest.filter((notice) => !known!.has(notice.id)) : [];
    known = new Set([...(known ?? []), ...notices.newest.map((notice) => notice.id)]);
    const unreadIds = new Set(notices.newest.map((notice) => notice.id));
    for (const notice of fresh) alertViewer({ tag: notice.id, title: notice.container?.title ?? 'Holdfast', body: noticeText(notice), href: hrefOf(notice) });
    // What was read elsewhere goes.
    // eslint-disable-next-line react-hooks/set-state-in-effect
    setShown((before) => [...fresh, ...before.filter((notice) => unreadIds.has(notice.id))].slice(0, MOST));
  }, [notices]);

  return (
    <div role="log" aria-live="polite" aria-label="New notices" data-testid="toasts" className="pointer-events-none fixed right-0 bottom-0 z-20 flex w-full max-w-sm flex-col gap-2 p-4">
      {path !== '/notices' &&
        shown.map((notice) => (
          <div key={notice.id} className="pointer-events-auto flex items-start gap-3 rounded-xl border border-line bg-surface p-3.5 text-[0.9375rem] shadow-lg">
            <Bell aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
            <div className="min-w-0 grow">
              {notice.container && <p className="truncate text-[0.8125rem] text-ink-soft">{notice.container.title}</p>}
              <p className="break-words">{noticeText(notice)}</p>
              <p className="mt-1 flex gap-4 text-[0.875rem]">
                <Link href={hrefOf(notice)} className="link">
                  Go there
                </Link>
                <Link href="/notices" className="link">
                  All notices
                </Link>
              </p>
            </div>
            <button type="button" onClick={() => setShown((before) => before.filter((n) => n.id !== notice.id))} className="icon-button -m-1.5 shrink-0">
              <X aria-hidden className="size-4" />
              <span className="sr-only">Close this notice</span>
            </button>
          </div>
        ))}
    </div>
  );
}

const hrefOf = (notice: Notice): string => (notice.container ? `/c/${notice.container.slug}/lock` : '/notices');
