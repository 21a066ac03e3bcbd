import type { NextConfig } from 'next';

const host = process.env.HOLDFAST_URL ? [new URL(process.env.HOLDFAST_URL).host] : [];

const config: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  // `npm test` checks the types of everything, tests included.
  typescript: { ignoreBuildErrors: true },
  // Titles are in the head for everyone, also where no script runs.
  htmlLimitedBots: /.*/,
  serverExternalPackages: ['pg', 'pino', 'better-auth', 'graphile-worker', 'rate-limiter-flexible', '@prisma/client', '@prisma/adapter-pg'],
  experimental: {
    // A push of 8 MiB and what multipart adds.
    serverActions: { bodySizeLimit: '9mb', allowedOrigins: host },
    proxyClientMaxBodySize: '10mb',
  },
  headers: async () => [{ source: '/:path*', headers: [{ key: 'X-Content-Type-Options', value: 'nosniff' }] }],
};

export default config;
