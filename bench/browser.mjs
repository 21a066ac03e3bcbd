/** A browser for the benchmarks, and people to sign in. */
import { randomUUID } from 'node:crypto';
import { chromium } from '@playwright/test';
import { BROWSER_FLAGS, findBrowser } from '../scripts/setup/browser.mjs';
import { base, must, operator, site } from './kit.mjs';
import { call } from './load.mjs';

/** The Chromium of this machine. */
export async function browserPath() {
  const path = await findBrowser();
  if (path) return path;
  console.error('There is no Chromium here: install one, or set CHROMIUM_PATH.');
  process.exit(2);
}

/** Starts it. */
export const openBrowser = async () => chromium.launch({ executablePath: await browserPath(), args: BROWSER_FLAGS });

/** A new person with a password. */
export async function personNamed(name, role = 'coworker') {
  const made = { name: `${name} ${randomUUID().slice(0, 8)}`, password: randomUUID() };
  const { id } = await must(call(base, operator, 'POST', '/principals', { body: { ...made, kind: 'person', role } }), 201);
  const { token } = await must(call(base, operator, 'POST', `/principals/${id}/tokens`, { body: {} }), 201);
  return { ...made, id, token };
}

/** A browser of its own, signed in by the form. */
export async function signedIn(browser, { name, password }, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${site}/sign-in`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${site}/`);
  await page.close();
  return context;
}
