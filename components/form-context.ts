'use client';

import { createContext, useContext } from 'react';
import type { ActionResult } from './action-result';

/** What a form tells its fields. */
export type FormState = {
  id: string;
  state: ActionResult;
  pending: boolean;
};

export const FormContext = createContext<FormState | undefined>(undefined);

export function useForm(): FormState {
  const found = useContext(FormContext);
  if (!found) throw new Error('A field stands in a Form');
  return found;
}

/** What a field needs from its form: its ids, what was typed before, and what is wrong with it. */
export function useField(name: string, defaultValue: string | undefined, hint: unknown) {
  const { id: form, state } = useForm();
  const id = fieldId(form, name);
  const refused = state.status === 'refused' ? state : undefined;
  const faults = refused?.faults.filter((fault) => fault.path === name || fault.path.startsWith(`${name}[`) || fault.path.startsWith(`${name}.`)) ?? [];
  const described = [hint ? `${id}-hint` : '', faults.length ? `${id}-fault` : ''].filter(Boolean).join(' ');
  return {
    id,
    faults,
    value: refused?.values[name] ?? defaultValue,
    /** All that was typed, where the form was refused. */
    posted: refused?.values,
    aria: { 'aria-describedby': described || undefined, 'aria-invalid': faults.length > 0 || undefined } as const,
  };
}

export const fieldId = (form: string, name: string): string => `${form}-${name}`;
