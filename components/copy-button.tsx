'use client';

import clsx from 'clsx';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useHydrated } from './clock';
import { announce } from './live-region';

/** Puts a text on the clipboard. It keeps its room but does not show before scripts run: without them the text itself can be selected. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const hydrated = useHydrated();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
    } catch {
      announce('The browser did not let us copy: select the text instead.');
    }
  };
  const Icon = copied ? Check : Copy;
  return (
    <button type="button" onClick={copy} className={clsx('button button-small', !hydrated && 'invisible')}>
      <Icon aria-hidden className="size-4" />
      {copied ? 'Copied' : label}
    </button>
  );
}
