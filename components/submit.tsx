'use client';

import clsx from 'clsx';
import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';
import { useForm } from './form-context';
import { useLive } from './live/use-live';

type Props = {
  children: ReactNode;
  /** What the button says while its form is on its way. */
  pendingText?: string;
  variant?: 'primary' | 'plain' | 'danger' | 'quiet';
  small?: boolean;
  /** The action in words, for the command palette. */
  command?: string;
  /** For a form with several buttons. */
  name?: string;
  value?: string;
  /** Its form cannot be sent yet: it can be reached and read, and says why. */
  blocked?: { describedBy: string };
};

/** Sends its form, once. It stays focusable while it waits, and offers to save again after a conflict. */
export function Submit({ children, pendingText = 'Working…', variant = 'primary', small = false, command, name, value, blocked }: Props) {
  const { pending, state } = useForm();
  const frozen = useLive((live) => live.frozen);
  const again = state.status === 'refused' && state.current ? `Save again, on revision ${state.current.revision}` : undefined;
  return (
    <button
      type={blocked ? 'button' : 'submit'}
      name={name}
      value={value}
      data-command={blocked ? undefined : command}
      aria-disabled={pending || frozen || blocked !== undefined || undefined}
      aria-describedby={blocked?.describedBy}
      className={clsx('button', variant !== 'plain' && `button-${variant}`, small && 'button-small', blocked && 'button-blocked')}
    >
      {pending && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {pending ? pendingText : (again ?? children)}
    </button>
  );
}
