/**
 * The grants that this page knew its viewer to hold. When one ends that the viewer has not
 * given back itself, the page says so (`grant-watch.tsx`), whatever else it shows by then.
 */
import { store, storedText } from '../storage';

const grants = new Map<string, { viewer: string; grant: number }>();
const givenBack = new Set<string>();

/** Remembers that the viewer holds a container's lock with this grant. */
export function remember(slug: string, viewer: string, grant: number): void {
  const known = grants.get(slug);
  if (known?.grant !== grant || known.viewer !== viewer) givenBack.delete(slug);
  grants.set(slug, { viewer, grant });
}

// Other tabs of this browser must know, too, that the viewer gave its grant back by itself.
const key = (slug: string): string => `holdfast.given.${slug}`;

/** The grant that this viewer held last and that has ended unasked, or undefined. */
export function lost(slug: string, viewer: string): number | undefined {
  const known = grants.get(slug);
  if (known?.viewer !== viewer || givenBack.has(slug)) return undefined;
  return storedText(key(slug)) === String(known.grant) ? undefined : known.grant;
}

/** The viewer gives its grant back by itself: its end is no news. */
export function letGo(slug: string): void {
  givenBack.add(slug);
  const known = grants.get(slug);
  if (known) store(key(slug), String(known.grant));
}

/** It was not taken back. */
export function hold(slug: string): void {
  givenBack.delete(slug);
  store(key(slug), undefined);
}

export function forgetGrant(slug: string): void {
  grants.delete(slug);
  givenBack.delete(slug);
}
