/**
 * The grants that this page knew its viewer to hold. When one ends that the viewer has not
 * given back itself, the page says so (`grant-watch.tsx`), whatever else it shows by then.
 */
const grants = new Map<string, number>();
const givenBack = new Set<string>();

/** Remembers that the viewer holds a container's lock with this grant. */
export function remember(slug: string, grant: number): void {
  if (grants.get(slug) !== grant) givenBack.delete(slug);
  grants.set(slug, grant);
}

/** The grant that was held last and has ended unasked, or undefined. */
export const lost = (slug: string): number | undefined => (givenBack.has(slug) ? undefined : grants.get(slug));

/** The viewer gives its grant back by itself: its end is no news. */
export const letGo = (slug: string): void => void givenBack.add(slug);
/** It was not taken back. */
export const hold = (slug: string): void => void givenBack.delete(slug);

export function forgetGrant(slug: string): void {
  grants.delete(slug);
  givenBack.delete(slug);
}
