/**
 * Typed text that is kept in the browser until it is saved (W-3): it survives a reload, an
 * expired session and a lost connection. Signing out removes it.
 */
export type Kept = { base: string; values: Record<string, string> };

const PREFIX = 'holdfast.kept.';
/** Browsers give a site a few megabytes; a longer text is not kept. */
const MAX_CHARACTERS = 1_000_000;

// A browser may refuse storage altogether; then nothing is kept, and nothing else breaks.
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function keep(key: string, kept: Kept): void {
  const text = JSON.stringify(kept);
  if (text.length <= MAX_CHARACTERS) attempt(() => localStorage.setItem(PREFIX + key, text));
}

export const forget = (key: string): void => void attempt(() => localStorage.removeItem(PREFIX + key));

export function recall(key: string): Kept | undefined {
  return attempt(() => {
    const found = JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') as Kept | null;
    return found && typeof found.base === 'string' && typeof found.values === 'object' ? found : undefined;
  });
}

export function forgetAll(): void {
  attempt(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  });
}
