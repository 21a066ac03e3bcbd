'use client';

import { LogOut } from 'lucide-react';
import { forgetAll } from './kept-text';

/** Signs out, and removes what this browser kept of the viewer's typing. */
export function SignOutButton({ name, action }: { name: string; action: () => Promise<void> }) {
  return (
    <form action={action} onSubmit={forgetAll}>
      <button type="submit" className="icon-button gap-2 sm:px-2.5">
        <LogOut aria-hidden className="size-5 sm:size-4" strokeWidth={1.75} />
        <span className="text-[0.9375rem] max-sm:sr-only">
          Sign out<span className="sr-only sm:hidden"> {name}</span>
        </span>
      </button>
    </form>
  );
}
