'use client';

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import { endPending, startPending, useLatePath } from './pending';

/** The line at the top while a page is on its way. It hears of every link that Next takes. */
export function PendingLine() {
  const path = usePathname();
  const query = useSearchParams();
  const late = useLatePath();
  useEffect(() => endPending, [path, query]);

  useEffect(() => {
    // After Next, which prevents the browser's own navigation where it goes by itself.
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!event.defaultPrevented || !link?.href) return;
      const to = new URL(link.href);
      if (to.origin === location.origin && to.pathname + to.search !== location.pathname + location.search) startPending(to.pathname);
    };
    addEventListener('click', onClick);
    addEventListener('pageshow', endPending);
    return () => {
      removeEventListener('click', onClick);
      removeEventListener('pageshow', endPending);
    };
  }, []);

  return (
    <>
      {late !== undefined && <div aria-hidden className="pending-line" />}
      <p role="status" className="sr-only">
        {late !== undefined && 'Loading the page'}
      </p>
    </>
  );
}
