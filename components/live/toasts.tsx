'use client';

import dynamic from 'next/dynamic';
import { usePathname } from 'next/navigation';
import { useEffect, useState } from 'react';
import type { Notice } from '../../lib/notices/read';
import { Lazily } from './lazily';
import { alertViewer, permission } from './notify';
import { refreshWithin } from './refresher';
import { stayOn } from './store';
import { useLive } from './use-live';

const Toast = dynamic(() => import('./toast').then((m) => m.Toast));

/** How many are shown; the others are in the inbox. */
const MOST = 3;

/** Notices that this browser tab has shown, or had when it was loaded; and the time up to which there were more than it was told. */
let known: { ids: Set<string>; through: string } | undefined;

async function alertOf(notice: Notice): Promise<void> {
  const { noticeText } = await import('../notice-text');
  const { title, sentence, href } = noticeText(notice);
  alertViewer({ tag: notice.id, title, body: sentence, href });
}

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
    if (!notices) {
      // Another person's are about to come, or none have come yet.
      known = undefined;
      // eslint-disable-next-line react-hooks/set-state-in-effect
      return setShown([]);
    }
    // Older ones move up as newer ones are read: they are no news.
    const { newest } = notices;
    const before = known;
    const fresh = before ? newest.filter(({ id, at }) => !before.ids.has(id) && at > before.through) : [];
    const untold = notices.unread > newest.length ? (newest.at(-1)?.at ?? '') : '';
    const through = before && before.through > untold ? before.through : untold;
    known = { ids: new Set([...(before?.ids ?? []), ...newest.map((notice) => notice.id)]), through };
    const unreadIds = new Set(notices.newest.map((notice) => notice.id));
    for (const notice of fresh) alertOf(notice).catch(() => undefined);
    // What was read elsewhere goes.
    setShown((were) => [...fresh, ...were.filter((notice) => unreadIds.has(notice.id))].slice(0, MOST));
  }, [notices]);

  return (
    <div role="log" aria-live="polite" aria-label="New notices" data-testid="toasts" className="pointer-events-none fixed right-0 bottom-0 z-20 flex w-full max-w-sm flex-col gap-2 p-4 max-sm:bottom-16">
      {path !== '/notices' && shown.map((notice) => (
          <Lazily key={notice.id}>
            <Toast notice={notice} close={() => setShown((before) => before.filter((n) => n.id !== notice.id))} />
          </Lazily>
        ))}
    </div>
  );
}
