'use client';

import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { FieldFrame } from './field-frame';
import { useField } from './form-context';

type Props = {
  name: string;
  label: ReactNode;
  hint?: ReactNode;
  optional?: boolean;
  /** In the typeface of code, for Markdown. */
  mono?: boolean;
} & Omit<ComponentProps<'textarea'>, 'name' | 'id' | 'value' | 'className' | 'style'>;

/** From so many rows on, a field is made for long texts. */
const LONG = 8;

/** Lines of text. */
export function TextArea({ name, label, hint, optional, mono = false, defaultValue, rows = 4, ...area }: Props) {
  const { id, faults, value, aria } = useField(name, defaultValue?.toString(), hint);
  return (
    <FieldFrame id={id} label={label} hint={hint} faults={faults} optional={optional}>
      <textarea dir="auto" {...area} {...aria} id={id} name={name} rows={rows} defaultValue={value} className={clsx('input', rows >= LONG && 'input-long', mono && 'font-mono text-[0.875rem]')} />
    </FieldFrame>
  );
}
