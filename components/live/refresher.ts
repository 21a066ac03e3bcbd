/** Reads the page again, once for all that ask, when somebody sees it. */
import { startTransition } from 'react';

let read: (() => void) | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let due = Infinity;
let owed = false;

/** What reads the page again; the page's root gives it. */
export function setRefresher(refresh: () => void): () => void {
  read = refresh;
  const onVisible = () => {
    if (!document.hidden && owed) refreshNow();
  };
  document.addEventListener('visibilitychange', onVisible);
  return () => document.removeEventListener('visibilitychange', onVisible);
}

function refreshNow(): void {
  clearTimeout(timer);
  timer = undefined;
  due = Infinity;
  // Nobody looks: it is read when somebody does.
  owed = document.hidden;
  if (!owed && read) startTransition(read);
}

/** Has the page read again within so many milliseconds; by chance, so that many pages do not ask at once. */
export function refreshWithin(ms: number): void {
  const at = Date.now() + Math.random() * ms;
  if (at >= due) return;
  due = at;
  clearTimeout(timer);
  timer = setTimeout(refreshNow, at - Date.now());
}
