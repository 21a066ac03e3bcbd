'use client';

import { startTransition, useOptimistic } from 'react';
import type { Theme } from './theme';

/** The theme, and the way to another: shown at once, then kept by the server. */
export function useTheme(theme: Theme, keep: (data: FormData) => Promise<void>): [Theme, (next: Theme) => void] {
  const [shown, show] = useOptimistic(theme);
  const choose = (next: Theme) => {
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    startTransition(async () => {
      show(next);
      const data = new FormData();
      data.set('theme', next);
      await keep(data);
    });
  };
  return [shown, choose];
}
