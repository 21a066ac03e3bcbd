const ELSEWHERE = 'http://elsewhere.invalid';
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/**
 * Where to go back to: a path of this site, or `otherwise` for anything that a browser could
 * read as another site (`//evil.example`, `/\evil.example`, control characters).
 */
export function safeReturnPath(to: unknown, otherwise = '/'): string {
  if (typeof to !== 'string' || to.length > 2_000 || !to.startsWith('/') || UNSAFE.test(to)) return otherwise;
  if (!URL.canParse(to, ELSEWHERE)) return otherwise;
  const url = new URL(to, ELSEWHERE);
  if (url.origin !== ELSEWHERE || url.pathname.startsWith('//')) return otherwise;
  return `${url.pathname}${url.search}${url.hash}`;
}

/** The path of the page that a request came from, where its Referer is a page of ours. */
export function refererPath(referer: string | null, host: string | null, otherwise = '/'): string {
  if (!referer || !URL.canParse(referer)) return otherwise;
  const url = new URL(referer);
  return url.host === host ? safeReturnPath(`${url.pathname}${url.search}`, otherwise) : otherwise;
}
