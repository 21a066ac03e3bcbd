'use client';

import { useId } from 'react';
import type { Conflict as ConflictData } from './action-result';
import { useHydrated } from './clock';
import { Diff } from './diff';
import { merge } from './merge';
import { Principal } from './principal';
import { Time } from './time';

function Side({ title, text }: { title: string; text: string }) {
  const id = useId();
  return (
    <div className="min-w-0">
      <p id={id} className="mb-1 text-[0.8125rem] font-medium text-ink-soft">
        {title}
      </p>
      <div tabIndex={0} role="region" aria-labelledby={id} className="plain-text max-h-72 overflow-auto rounded-lg border border-line bg-surface p-3">
        {text || <span className="text-ink-faint">empty</span>}
      </div>
    </div>
  );
}

/**
 * W-3: the page changed while you wrote. Yours, theirs and the base stand side by side; yours
 * stays in the form, and saving again puts it on the new revision.
 * @param labels the fields' labels by name
 * @param use puts a text into the field of that name
 */
export function Conflict({ conflict, yours, labels, use }: { conflict: ConflictData; yours: Record<string, string>; labels: Record<string, string>; use: (name: string, text: string) => void }) {
  const hydrated = useHydrated();
  const changed = Object.entries(conflict.theirs).filter(([name, theirs]) => name in yours && yours[name] !== theirs);
  return (
    <div className="@container mt-3 space-y-4 text-ink">
      <p className="text-[0.9375rem]">
        {'author' in conflict && conflict.author !== undefined && (
          <>
            <Principal principal={conflict.author} /> saved{' '}
          </>
        )}
        revision {conflict.revision}
        {conflict.at && (
          <>
            {' '}
            on <Time at={conflict.at} />
          </>
        )}
        . What you wrote is still in the form below. Saving again puts it on revision {conflict.revision}.
      </p>
      {changed.map(([name, theirs]) => {
        const base = conflict.base?.[name];
        const mine = yours[name]!;
        const merged = base === undefined ? undefined : merge(base, mine, theirs);
        return (
          <div key={name} className="space-y-3">
            {changed.length > 1 && <p className="text-[0.875rem] font-semibold">{labels[name] ?? name}</p>}
            <div className="grid gap-3 @xl:auto-cols-fr @xl:grid-flow-col">
              <Side title="Yours" text={mine} />
              <Side title={`Theirs (revision ${conflict.revision})`} text={theirs} />
              {base !== undefined && <Side title="What you began with" text={base} />}
            </div>
            <details>
              <summary className="w-fit text-[0.875rem] font-medium">{base === undefined ? 'How theirs differs from yours' : 'What they changed'}</summary>
              <div className="mt-2">
                <Diff before={base ?? mine} after={theirs} label={base === undefined ? 'From yours to theirs' : 'From what you began with to theirs'} />
              </div>
            </details>
            {hydrated && (
              <div className="flex flex-wrap gap-2">
                {merged && (
                  <button type="button" className="button button-small" onClick={() => use(name, merged.text)}>
                    {merged.clean ? 'Put both together' : 'Put both together, clashes marked'}
                  </button>
                )}
                <button type="button" className="button button-small" onClick={() => use(name, theirs)}>
                  Take theirs
                </button>
                <button type="button" className="button button-small" onClick={() => use(name, mine)}>
                  Back to yours
                </button>
              </div>
            )}
          </div>
        );
      })}
    </div>
  );
}
