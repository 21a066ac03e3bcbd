'use client';

import { useHydrated, useServerNow } from './clock';
import { exactText, relativeText, utcText } from './duration';

const local = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });

/**
 * An instant (T-2): UTC until scripts run, then the viewer's zone and a relative form, with
 * the whole UTC instant as the title.
 */
export function Time({ at, relative = true }: { at: string; relative?: boolean }) {
  const hydrated = useHydrated();
  return (
    <time dateTime={at} title={exactText(at)} className="tabular-nums">
      {hydrated ? local.format(Date.parse(at)) : utcText(at)}
      {relative && <Relative at={at} />}
    </time>
  );
}

function Relative({ at }: { at: string }) {
  const now = useServerNow(10_000);
  if (now === undefined) return null;
  return <span className="whitespace-nowrap text-ink-faint"> ({relativeText(Date.parse(at), now)})</span>;
}
