import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('.', import.meta.url)) } },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    include: ['lib/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'components/**/*.test.{ts,tsx}', 'app/**/*.test.ts'],
    globalSetup: ['lib/testing/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    env: { TZ: 'UTC' },
  },
});
