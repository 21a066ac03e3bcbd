/**
 * Works with what this browser keeps for our site. A browser may refuse that altogether, or
 * be full: then nothing is kept, and nothing else breaks.
 * @param otherwise what it gives then
 */
export function inStorage<T>(work: (storage: Storage) => T, otherwise: T): T {
  try {
    return work(localStorage);
  } catch {
    return otherwise;
  }
}

/** Keeps a text, or keeps it no more. */
export const store = (key: string, text: string | undefined): void =>
  inStorage((storage) => (text === undefined ? storage.removeItem(key) : storage.setItem(key, text)), undefined);

/** A text that is kept, or null. */
export const storedText = (key: string): string | null => inStorage((storage) => storage.getItem(key), null);
