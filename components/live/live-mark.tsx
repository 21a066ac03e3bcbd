'use client';

import clsx from 'clsx';
import { useLive } from './use-live';

const WORDS = { starting: 'Connecting', live: 'Live', polling: 'Asking now and then', stale: 'Out of date', 'signed-out': 'Signed out', gone: 'Not here any more' } as const;

/** Whether this page follows by itself. */
export function LiveMark() {
  const status = useLive((live) => live.status);
  return (
    <span data-testid="live" data-status={status} className={clsx('inline-flex items-center gap-1.5 text-[0.8125rem] text-ink-faint', status === 'starting' && 'invisible')}>
      <span aria-hidden className={clsx('live-dot', status === 'live' ? 'live-dot-on' : 'live-dot-off')} />
      {WORDS[status]}
    </span>
  );
}
