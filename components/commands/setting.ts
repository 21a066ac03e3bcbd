'use client';

/** Whether single keys do anything (WCAG 2.1.4): a choice of this browser, kept in it. */
import { useSyncExternalStore } from 'react';
import { store, storedText } from '../storage';

const KEY = 'holdfast.single-keys';
const listeners = new Set<() => void>();

/** True unless this browser's viewer switched single keys off. */
export const singleKeys = (): boolean => storedText(KEY) !== 'off';

export function setSingleKeys(on: boolean): void {
  store(KEY, on ? undefined : 'off');
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
