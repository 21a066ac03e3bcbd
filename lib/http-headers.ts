/** The security headers of every answer, pages and API alike, and the cross-site check. Pure. */

export type SecurityHeaderOptions = {
  /** Lets the scripts of one page run; an answer without it runs and loads nothing. */
  nonce?: string;
  /** True when the site is served over https. */
  https?: boolean;
};

/**
 * The Content-Security-Policy. Pages load from this origin only, and run only scripts that
 * carry the nonce or were loaded by one that does; styles come from files, never inline.
 */
export function contentSecurityPolicy({ nonce, https }: SecurityHeaderOptions = {}): string {
  if (nonce === undefined) return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(nonce)) throw new Error('a nonce is base64');
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(https ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

/** All security headers of an answer. `same-origin` referrers keep the Origin of our own forms. */
export function securityHeaders(options: SecurityHeaderOptions = {}): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(options),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(options.https ? { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' } : {}),
  };
}

/** True when the configured public address is https. */
export const isHttps = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https://') ?? false;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);

/**
 * True when a browser says that another site sent this request, and its method may change
 * something. Callers that are no browsers send neither header, and carry no cookies of ours.
 * @param host the request's Host header
 * @param publicUrl the configured public address, where a proxy rewrites Host
 */
export function isCrossSite(method: string, headers: { get(name: string): string | null }, host: string | null, publicUrl?: string): boolean {
  if (SAFE_METHODS.has(method.toUpperCase())) return false;
  if (headers.get('sec-fetch-site') === 'cross-site') return true;
  const origin = headers.get('origin');
  if (origin === null) return false;
  const from = hostOf(origin);
  if (from === undefined) return true;
  return from !== host && !(publicUrl !== undefined && from === hostOf(publicUrl));
}
