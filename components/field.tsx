'use client';

import type { ComponentProps, ReactNode } from 'react';
import { FieldFaults, FieldFrame } from './field-frame';
import { useField } from './form-context';

type Common = {
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  /** Says so beside the label; the others are required. */
  optional?: boolean;
};

type FieldProps = Common & Omit<ComponentProps<'input'>, 'name' | 'id' | 'value' | 'className' | 'style' | 'defaultValue'> & { defaultValue?: string | number };

/** A line of text, a number, a password. */
export function Field({ name, label, hint, optional, defaultValue, type = 'text', ...input }: FieldProps) {
  const { id, faults, value, aria } = useField(name, defaultValue?.toString(), hint);
  return (
    <FieldFrame id={id} label={label} hint={hint} faults={faults} optional={optional}>
      <input dir="auto" {...input} {...aria} id={id} name={name} type={type} defaultValue={type === 'password' ? undefined : value} className="input" />
    </FieldFrame>
  );
}

/** One of several. */
export function SelectField({ name, label, hint, optional, options, defaultValue }: Common & { options: { value: string; label: string }[]; defaultValue?: string }) {
  const { id, faults, value, aria } = useField(name, defaultValue, hint);
  return (
    <FieldFrame id={id} label={label} hint={hint} faults={faults} optional={optional}>
      <select {...aria} id={id} name={name} defaultValue={value} className="input">
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** Yes or no. */
export function CheckboxField({ name, label, hint, value: sent = 'on', defaultChecked = false }: Common & { value?: string; defaultChecked?: boolean }) {
  const { id, faults, aria, posted } = useField(name, undefined, hint);
  const checked = posted ? (posted[name]?.split('\n').includes(sent) ?? false) : defaultChecked;
  return (
    <div className="flex gap-2.5">
      <input {...aria} id={`${id}-${sent}`} name={name} type="checkbox" value={sent} defaultChecked={checked} className="mt-1 size-4.5 shrink-0 accent-accent" />
      <div className="min-w-0">
        <label htmlFor={`${id}-${sent}`} className="text-[0.9375rem] font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-[0.875rem] text-ink-soft">
            {hint}
          </p>
        )}
        <FieldFaults id={id} faults={faults} />
      </div>
    </div>
  );
}
