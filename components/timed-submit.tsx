'use client';

import { useId, useState, type ReactNode } from 'react';
import { useReached } from './clock';
import { Countdown } from './countdown';
import { Submit } from './submit';
import { Time } from './time';

type Props = {
  /** From when its form can be sent. */
  from: string;
  /** The server's instant at which the page was made. */
  now: string;
  children: ReactNode;
  /** As in `Submit`. */
  command?: string;
  /** Told when the time has come while the page is open. */
  whenPossible: string;
};

/**
 * A dangerous button that is possible from an instant on. Before, it says from when and counts
 * down, and its form cannot be sent, with or without scripts; at that instant it is enabled by
 * itself. The server decides all the same.
 */
export function TimedSubmit({ from, now, command, children, whenPossible }: Props) {
  const id = useId();
  const reached = useReached(from, now);
  const [waited] = useState(!reached);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Submit variant="danger" command={command} blocked={reached ? undefined : { describedBy: id }}>
        {children}
      </Submit>
      <p id={id} className="min-w-0 text-[0.9375rem] text-ink-soft">
        {reached ? (
          waited && <>Possible since <Time at={from} /></>
        ) : (
          <>
            Possible from <Time at={from} relative={false} />, in <Countdown until={from} now={now} over="a moment" />
          </>
        )}
      </p>
      <span aria-live="polite" className="sr-only">
        {waited && reached && whenPossible}
      </span>
    </div>
  );
}
