import clsx from 'clsx';
import type { ReactNode } from 'react';

export type Fact = {
  label: string;
  value: ReactNode;
  /** A long value: it has a row to itself. */
  wide?: boolean;
};

/** Labelled values, such as the fields of a lock page. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl className="facts">
      {facts.map((fact) => (
        <div key={fact.label} className={clsx('min-w-0', fact.wide && 'col-span-full')}>
          <dt className="text-[0.8125rem] text-ink-faint">{fact.label}</dt>
          <dd className="mt-0.5 break-words">{fact.value}</dd>
        </div>
      ))}
    </dl>
  );
}
