import { defineConfig, devices } from '@playwright/test';
import { BROWSER_FLAGS, findBrowser } from './scripts/setup/browser.mjs';

// The tests sign people in by the dozen, in their own processes too.
process.env.HOLDFAST_RATE_LIMIT = 'off';

const executablePath = (await findBrowser()) ?? undefined;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/support/server.ts',
  // Pictures by the platform and browser that drew them (decision 11).
  snapshotPathTemplate: '{testDir}/screenshots/{arg}{ext}',
  outputDir: 'test-results',
  fullyParallel: false,
  workers: 2,
  // Three browsers on a busy machine may be late once; what is wrong is wrong twice. The list says which were late.
  retries: 1,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    ...devices['Desktop Chrome'],
    // Recording costs as much as the browser itself.
    trace: 'on-first-retry',
    timezoneId: 'UTC',
    locale: 'en-GB',
    // A colour that is on its way from one theme to the other is nobody's to judge.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath, args: BROWSER_FLAGS },
  },
  projects: [{ name: 'desktop' }],
});
