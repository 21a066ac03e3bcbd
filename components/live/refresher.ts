/** Reads the page again, once for all that ask, when somebody sees it. */
import { startTransition } from 'react';
import { reachable } from './store';

let read: (() => void) | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let due = Infinity;
let owed = false;

/** What reads the page again; the page's root gives it. */
export function setRefresher(refresh: () => void): () => void {
  read = refresh;
  const onVisible = () => {
    if (!document.hidden && owed) void refreshNow();
  };
  document.addEventListener('visibilitychange', onVisible);
  return () => document.removeEventListener('visibilitychange', onVisible);
}

/** A page that could not be read again is tried again after so long, in milliseconds. */
const AGAIN_MS = 3_000;

async function refreshNow(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  due = Infinity;
  // Nobody looks: it is read when somebody does.
  owed = document.hidden;
  if (owed || !read) return;
  // A reading that fails makes the browser go to the address anew, and a server that is away would cost the whole page.
  if (await reachable()) startTransition(read);
  else refreshWithin(AGAIN_MS);
}

/** Has the page read again within so many milliseconds; by chance, so that many pages do not ask at once. */
export function refreshWithin(ms: number): void {
  const at = Date.now() + Math.random() * ms;
  if (at >= due) return;
  due = at;
  clearTimeout(timer);
  timer = setTimeout(() => void refreshNow(), at - Date.now());
}
