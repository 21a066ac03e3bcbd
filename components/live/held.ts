/**
 * The grants that this page knew its viewer to hold. When one ends that the viewer has not
 * given back itself, the page says so (`grant-watch.tsx`), whatever else it shows by then.
 */
const grants = new Map<string, { viewer: string; grant: number }>();
const givenBack = new Set<string>();

/** Remembers that the viewer holds a container's lock with this grant. */
export function remember(slug: string, viewer: string, grant: number): void {
  const known = grants.get(slug);
  if (known?.grant !== grant || known.viewer !== viewer) givenBack.delete(slug);
  grants.set(slug, { viewer, grant });
}

/** The grant that this viewer held last and that has ended unasked, or undefined. */
export function lost(slug: string, viewer: string): number | undefined {
  const known = grants.get(slug);
  return known?.viewer === viewer && !givenBack.has(slug) ? known.grant : undefined;
}

/** The viewer gives its grant back by itself: its end is no news. */
export const letGo = (slug: string): void => void givenBack.add(slug);
/** It was not taken back. */
export const hold = (slug: string): void => void givenBack.delete(slug);

export function forgetGrant(slug: string): void {
  grants.delete(slug);
  givenBack.delete(slug);
}
