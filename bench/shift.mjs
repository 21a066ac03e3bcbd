/** How much a page's layout moves while it loads. */
import { setTimeout as sleep } from 'node:timers/promises';

const SETTLE_MS = 2_000;
/** As a phone on a slow line: what comes late moves what came before. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };

/** The sum of a load's layout shifts (CLS counts the worst window of five seconds; a load is shorter), and what moved. */
export async function shiftOf(context, url) {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Network.emulateNetworkConditions', SLOW);
  await page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (!hadRecentInput) window.shifts.push({ value, moved: sources.map(({ node }) => node?.className || node?.nodeName || node?.textContent?.slice(0, 30)) });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(url, { waitUntil: 'load' });
  await sleep(SETTLE_MS);
  const shifts = await page.evaluate(() => window.shifts);
  await page.close();
  return { value: shifts.reduce((sum, { value }) => sum + value, 0), moved: shifts.flatMap(({ moved }) => moved) };
}
