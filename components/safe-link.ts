/** The links that written text may carry (W-4): http, https, mailto, a path, a fragment. Pure. */

const SAFE_SCHEMES = /^(https?|mailto)$/i;

/** What stands before the first colon, where that comes before any path, query or fragment. */
const schemeOf = (href: string): string | undefined => /^([^/?#\\]*?):/.exec(href)?.[1];

/** The link, or undefined when it has a scheme other than the safe ones, however disguised. */
export function safeLink(href: string | null | undefined): string | undefined {
  if (!href) return undefined;
  const scheme = schemeOf(href);
  return scheme === undefined || SAFE_SCHEMES.test(scheme) ? href : undefined;
}

/** True for a safe link that leaves this site. */
export const isExternal = (href: string): boolean => schemeOf(href) !== undefined || /^[\\/]{2}/.test(href);
