'use client';

import clsx from 'clsx';
import { serverNow, useHydrated, useServerNow } from './clock';
import { exactText, relativeText, utcText } from './duration';
import { useMadeAt } from './made-at';

const MINUTES = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const;
const formatters = new Map<boolean, Intl.DateTimeFormat>();

/** Formatters are slow to make: each once, when it is needed. */
function formatter(withYear: boolean): Intl.DateTimeFormat {
  const made = formatters.get(withYear) ?? new Intl.DateTimeFormat(undefined, withYear ? { ...MINUTES, year: 'numeric' } : MINUTES);
  formatters.set(withYear, made);
  return made;
}

/** In the viewer's zone; the year is said where it is another than now. */
function localText(at: string): string {
  const date = new Date(at);
  return formatter(date.getFullYear() !== new Date(serverNow()).getFullYear()).format(date);
}

/**
 * An instant (T-2): UTC until scripts run, then the viewer's zone and a relative form, with
 * the whole UTC instant as the title. The relative form's place is kept for it meanwhile, so
 * that nothing on the page moves when it comes.
 */
export function Time({ at, relative = true }: { at: string; relative?: boolean }) {
  const hydrated = useHydrated();
  const madeAt = useMadeAt();
  return (
    <time dateTime={at} title={exactText(at)} className="tabular-nums">
      <span className="inline-block">{hydrated ? localText(at) : utcText(at, madeAt)}</span>
      {relative && <Relative at={at} madeAt={madeAt} />}
    </time>
  );
}

function Relative({ at, madeAt }: { at: string; madeAt: number | undefined }) {
  const now = useServerNow(10_000);
  const known = now ?? madeAt;
  if (known === undefined) return null;
  return (
    <>
      {' '}
      <span className={clsx('relative-time', now === undefined && 'invisible')}>({relativeText(Date.parse(at), known)})</span>
    </>
  );
}
