import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy, isCrossSite, isHttps, securityHeaders } from './http-headers';

describe('contentSecurityPolicy', () => {
  it('lets a page run only what carries its nonce, and nothing inline', () => {
    const policy = contentSecurityPolicy({ nonce: 'bm9uY2U=' });
    expect(policy).toContain("script-src 'self' 'nonce-bm9uY2U=' 'strict-dynamic'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('lets an answer without a page load nothing', () => {
    expect(contentSecurityPolicy()).toBe("default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  });

  it('refuses a nonce that would break out of its quotes', () => {
    expect(() => contentSecurityPolicy({ nonce: "x'; script-src *" })).toThrow();
  });
});

describe('securityHeaders', () => {
  it('asks for https to stay only where the site is https', () => {
    expect(securityHeaders({ https: true })['Strict-Transport-Security']).toMatch(/max-age=31536000/);
    expect(securityHeaders()).not.toHaveProperty('Strict-Transport-Security');
    expect(securityHeaders()['X-Content-Type-Options']).toBe('nosniff');
    expect(isHttps('https://a.example')).toBe(true);
    expect(isHttps('http://a.example')).toBe(false);
    expect(isHttps(undefined)).toBe(false);
  });
});

describe('isCrossSite', () => {
  const host = 'localhost:3000';
  const sent = (method: string, headers: Record<string, string>, publicUrl?: string) => isCrossSite(method, new Headers(headers), host, publicUrl);

  it('passes reading, our own pages, and callers that are no browsers', () => {
    expect(sent('GET', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).toBe(false);
    expect(sent('POST', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' })).toBe(false);
    expect(sent('POST', {})).toBe(false);
  });

  it('refuses another origin, an opaque one, another port, and what the browser calls cross-site', () => {
    expect(sent('POST', { origin: 'https://evil.example' })).toBe(true);
    expect(sent('POST', { origin: 'null' })).toBe(true);
    expect(sent('POST', { origin: 'http://localhost:3001' })).toBe(true);
    expect(sent('DELETE', { 'sec-fetch-site': 'cross-site' })).toBe(true);
  });

  it('accepts the public address where a proxy rewrites Host', () => {
    expect(sent('POST', { origin: 'https://holdfast.example' }, 'https://holdfast.example/')).toBe(false);
    expect(sent('POST', { origin: 'https://evil.example' }, 'https://holdfast.example/')).toBe(true);
  });
});
