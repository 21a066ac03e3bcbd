'use client';

import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useHydrated } from './clock';
import { announce } from './live-region';

/** Puts a text on the clipboard. Without scripts there is no button: the text itself can be selected. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const hydrated = useHydrated();
  const [copied, setCopied] = useState(false);
  if (!hydrated) return null;
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
    <button type="button" onClick={copy} className="button button-small">
      <Icon aria-hidden className="size-4" />
      {copied ? 'Copied' : label}
    </button>
  );
}
