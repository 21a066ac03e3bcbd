import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Fault } from './action-result';

/** A field's label, hint and faults around its control. */
export function FieldFrame({ id, label, hint, faults, optional, children }: { id: string; label: ReactNode; hint?: ReactNode; faults: Fault[]; optional?: boolean; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-[0.9375rem] font-medium">
        {label}
        {optional && <span className="font-normal text-ink-faint"> (optional)</span>}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="mb-1.5 text-[0.875rem] text-ink-soft">
          {hint}
        </p>
      )}
      {children}
      <FieldFaults id={id} faults={faults} />
    </div>
  );
}

export function FieldFaults({ id, faults }: { id: string; faults: Fault[] }) {
  if (faults.length === 0) return null;
  return (
    <p id={`${id}-fault`} className="mt-1.5 flex gap-1.5 text-[0.875rem] font-medium text-danger">
      <CircleAlert aria-hidden className="mt-[0.1875rem] size-4 shrink-0" />
      <span className="min-w-0 break-words first-letter:uppercase">{faults.map((fault) => fault.message).join('; ')}</span>
    </p>
  );
}
