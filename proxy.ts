import { NextResponse, type NextRequest } from 'next/server';
import { isCrossSite, isHttps, securityHeaders } from './lib/http-headers';

/** Gives every page its nonce and headers, and refuses posts from other sites. */
export function proxy(request: NextRequest): NextResponse {
  const publicUrl = process.env.HOLDFAST_URL;
  const https = isHttps(publicUrl);

  if (isCrossSite(request.method, request.headers, request.headers.get('host'), publicUrl)) {
    return new NextResponse('This request came from another site and was refused.\n', {
      status: 403,
      headers: { ...securityHeaders({ https }), 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  }

  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const answer = securityHeaders({ nonce, https });
  const passedOn = new Headers(request.headers);
  passedOn.set('Content-Security-Policy', answer['Content-Security-Policy']!); // Next reads the nonce from it
  const response = NextResponse.next({ request: { headers: passedOn } });
  for (const [name, value] of Object.entries(answer)) response.headers.set(name, value);
  return response;
}

export const config = { matcher: '/((?!api/|_next/static/).*)' };
