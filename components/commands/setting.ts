'use client';

/** Whether single keys do anything (WCAG 2.1.4): a choice of this browser, kept in it. */
import { useSyncExternalStore } from 'react';

const KEY = 'holdfast.single-keys';
const listeners = new Set<() => void>();

/** True unless this browser's viewer switched single keys off. */
export function singleKeys(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

export function setSingleKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // A browser that keeps nothing leaves them on.
  }
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

export const useSingleKeys = (): boolean => useSyncExternalStore(subscribe, singleKeys, () => true);
