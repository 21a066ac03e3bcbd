/**
 * `npm run bench:pages`: what pages cost a browser. On a running server, as `api.mjs`; needs a Chromium. Budgets:
 *
 * - scripts of the lock page: at most 45 kB (gzip) beyond a bare page of the framework
 * - layout shift while loading, at phone and desktop, on a slow line: 0
 * - Lighthouse, phone and desktop: 95 or more for performance, accessibility and best practices
 */
import { randomUUID } from 'node:crypto';
import { openBrowser, personNamed, signedIn } from './browser.mjs';
import { line, machine } from './figures.mjs';
import { agentNamed, asks, base, must, operator, site } from './kit.mjs';
import { openAuditor } from './lighthouse.mjs';
import { call } from './load.mjs';
import { shiftOf } from './shift.mjs';
import { version, weigh, withBare } from './weight.mjs';

const SCRIPT_BUDGET_KB = 45;
const LEAST_SCORE = 95;
/** The one zone and tongue whose times the server can foretell: elsewhere they become a little wider or narrower. */
const HERE = { locale: 'en-GB', timezoneId: 'UTC' };
const PHONE = { ...HERE, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const DESKTOP = { ...HERE, viewport: { width: 1440, height: 900 } };

const verdict = (kept) => (kept ? 'kept' : 'MISSED');

/** A public container at work: a lead with drafts, an entry, a petition, notes and leases. */
async function workplace(lead) {
  const slug = `bench-pages-${randomUUID().slice(0, 8)}`;
  const waiter = await agentNamed('waiter');
  const as = (token, method, path, body, status, headers) => must(call(base, token, method, path, { body, headers }), status);
  await as(operator, 'POST', '/containers', { slug, title: 'Charts of the coast', prefix: 'CH', public: true, description: 'Soundings, *as they are read*.' }, 201);
  const at = `/containers/${slug}`;
  await as(lead.token, 'POST', `${at}/lock/acquire`, { reason: 'The spring edition of the charts' }, 200, { 'if-match': '"1"' });
  await as(lead.token, 'PUT', `${at}/lock/notes`, { notes: '## Plan\n\n- soundings of the inner basin\n- the northern approach\n' }, 200, { 'if-match': '"2"' });
  await as(lead.token, 'POST', `${at}/leases`, { grant: 1, to: lead.id, count: 40 }, 201);
  await as(lead.token, 'POST', `${at}/leases`, { grant: 1, to: waiter.id, count: 10 }, 201);
  const { leases } = await as(lead.token, 'GET', `${at}/collaboration`, undefined, 200);
  for (let push = 0; push < 3; push++) {
    const entries = Array.from({ length: 4 }, (_, i) => ({ identifier: `CH-${push * 4 + i + 1}`, title: `Sheet ${push * 4 + i + 1}`, body: 'Sounded twice.\n\n'.repeat(8) }));
    await as(lead.token, 'POST', `${at}/landings`, { grant: 1, message: `Sheets of day ${push + 1}`, entries, keepLeases: leases.map((l) => l.id) }, 201, { 'idempotency-key': randomUUID() });
  }
  await as(lead.token, 'POST', `${at}/blocks`, { grant: 1, title: 'The northern approach', assignee: waiter.id }, 201);
  await as(waiter.token, 'POST', `${at}/petitions`, { reason: 'To check the soundings' }, 201);
  await as(lead.token, 'PUT', `${at}/drafts/CH-13`, { grant: 1, title: 'Sheet 13', body: 'Not yet sounded.' }, 200, { 'if-match': '"0"' });
  return slug;
}

async function tellWeight(viewers, slug) {
  console.log(`\nScripts of the lock page, gzip (next ${version('next')}, react ${version('react')})`);
  const bare = await withBare((url) => weigh(viewers[0].desktop, url));
  line('a bare page of the framework', `${bare.total.toFixed(1)} kB`);
  for (const { who, desktop } of viewers) {
    const { total, scripts } = await weigh(desktop, `${site}/c/${slug}/lock`);
    const more = total - bare.total;
    line(who, `${total.toFixed(1)} kB: ${more.toFixed(1)} kB more, of ${SCRIPT_BUDGET_KB}: ${verdict(more <= SCRIPT_BUDGET_KB)}`);
    line('', scripts.slice(0, 12).map(({ name, size }) => `${name} ${size.toFixed(1)}`).join(', '));
  }
}

async function tellShift(viewers, slug) {
  console.log(`\nLayout shift while loading, slow line: 0 is wanted (${machine()})`);
  const pages = { board: '/', overview: `/c/${slug}`, lock: `/c/${slug}/lock`, collaboration: `/c/${slug}/collaboration`, register: `/c/${slug}/register`, drafts: `/c/${slug}/drafts` };
  for (const { who, phone, desktop, drafts } of viewers) {
    for (const [name, path] of Object.entries(pages)) {
      if (name === 'drafts' && !drafts) continue;
      const found = { phone: await shiftOf(phone, site + path), desktop: await shiftOf(desktop, site + path) };
      const told = Object.entries(found).map(([form, { value, moved }]) => `${form} ${value.toFixed(4)}${value > 0 ? ` (${moved.join(' | ')})` : ''}`);
      line(`${name}, ${who}`, `${told.join('  ')}  ${verdict(Object.values(found).every(({ value }) => value === 0))}`);
    }
  }
}

async function tellAudits(viewers, slug) {
  const auditor = await openAuditor();
  const tell = async (name, url, form, cookie) => {
    console.log(`\nLighthouse, ${name}, ${form} (${machine()})`);
    for (const { category, score, scores, failed } of await auditor.audit(url, form, cookie)) {
      line(category, `${score}, the middle of ${scores.join(', ')}: ${verdict(score >= LEAST_SCORE)}`);
      for (const what of failed) line('', what);
    }
  };
  // What this machine, as busy as it is, gives to a page with nothing on it: no page of ours can do better.
  await withBare((url) => tell('a bare page of the framework', url, 'mobile'));
  for (const { who, desktop } of viewers) {
    const cookie = (await desktop.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
    for (const form of ['mobile', 'mobile, slowed down', 'desktop']) await tell(`lock page, ${who}`, `${site}/c/${slug}/lock`, form, cookie);
  }
  await auditor.close();
}

const browser = await openBrowser();
const [lead, coworker] = await Promise.all(['Lead', 'Coworker'].map((name) => personNamed(name)));
const slug = await workplace(lead);
const viewers = [];
for (const [who, person] of [['signed out', undefined], ['coworker', coworker], ['the lead', lead]]) {
  const open = (options) => (person ? signedIn(browser, person, options) : browser.newContext(options));
  viewers.push({ who, phone: await open(PHONE), desktop: await open(DESKTOP), drafts: person !== undefined });
}

if (asks('weight')) await tellWeight(viewers, slug);
if (asks('audits')) await tellAudits(viewers.slice(0, 2), slug);
// Last: “just now” has become minutes by then, which grow no wider while a page loads.
if (asks('shift')) await tellShift(viewers, slug);
process.exit(0);
