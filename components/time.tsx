'use client';

import { serverNow, useHydrated, useServerNow } from './clock';
import { exactText, relativeText, utcText } from './duration';

const MINUTES = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
const local = new Intl.DateTimeFormat(undefined, MINUTES);
const localWithYear = new Intl.DateTimeFormat(undefined, { ...MINUTES, year: 'numeric' });

/** In the viewer's zone; the year is said where it is another than now. */
function localText(at: string): string {
  const date = new Date(at);
  return (date.getFullYear() === new Date(serverNow()).getFullYear() ? local : localWithYear).format(date);
}

/**
 * An instant (T-2): UTC until scripts run, then the viewer's zone and a relative form, with
 * the whole UTC instant as the title.
 */
export function Time({ at, relative = true }: { at: string; relative?: boolean }) {
  const hydrated = useHydrated();
  return (
    <time dateTime={at} title={exactText(at)} className="tabular-nums">
      <span className="inline-block">{hydrated ? localText(at) : utcText(at)}</span>
      {relative && <Relative at={at} />}
    </time>
  );
}

function Relative({ at }: { at: string }) {
  const now = useServerNow(10_000);
  if (now === undefined) return null;
  return (
    <>
      {' '}
      <span className="inline-block text-ink-faint">({relativeText(Date.parse(at), now)})</span>
    </>
  );
}
