'use client';

/** Asks for the palette or the sheet from anywhere on the page; `Commands` shows them. */
export type Overlay = 'palette' | 'sheet';

const listeners = new Set<(overlay: Overlay) => void>();

export const openOverlay = (overlay: Overlay): void => listeners.forEach((listener) => listener(overlay));

export function onOverlay(listener: (overlay: Overlay) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** A Mac's chords go with Command; its Control and K cut a line in every field. */
export const isMac = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);
