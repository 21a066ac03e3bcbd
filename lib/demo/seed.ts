/**
 * The demo: containers in every state, with people to sign in as. It is made with the same
 * functions as everything else, so its histories are true; silence is made by short terms.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { initGrid } from '../amendment';
import { propose } from '../engine';
import { assignBlock } from '../collaboration/block';
import { lease } from '../collaboration/lease';
import { editCollaborationNotes } from '../collaboration/notes';
import { petition } from '../collaboration/petition';
import { changeContainer } from '../containers/change';
import { createContainer, type NewContainer } from '../containers/create';
import { row, statement, type Db } from '../db/pool';
import type { PrincipalKind, Role } from '../roles';
import { saveDraft } from '../drafts/save';
import { acquire } from '../lock-page/acquire';
import { heartbeat } from '../lock-page/heartbeat';
import { editLockNotes } from '../lock-page/notes';
import { release } from '../lock-page/release';
import { createPrincipal } from '../principals/create';
import { HOST, type Principal } from '../principals/record';
import { land } from '../register/land';
import { completePass, startPass } from '../runner';
import { CONTAINERS, ENTRIES, GLOSSARY_GRID, PEOPLE } from './texts';

export type DemoAccount = { name: string; role: Role; password: string };

const EMPTY = statement('SELECT NOT EXISTS (SELECT 1 FROM principal) AS empty');
const FILE = 'demo-accounts.json';

/** The demo's accounts with their passwords, as the first start kept them for its owner; none where there is no demo. */
export async function demoAccounts(dataDir: string): Promise<DemoAccount[]> {
  try {
    return JSON.parse(await readFile(join(dataDir, FILE), 'utf8')) as DemoAccount[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Seeds the demo into a database that has no principal yet; does nothing otherwise.
 * @param recovered resolves when passes can be started
 */
export async function seedDemo(db: Db, dataDir: string, recovered: Promise<void>): Promise<void> {
  if (!(await row<{ empty: boolean }>(db, EMPTY))!.empty) return;
  const accounts: DemoAccount[] = [];
  const cast = {} as Record<keyof typeof PEOPLE, Principal>;
  for (const [key, { name, role, kind }] of Object.entries(PEOPLE) as [keyof typeof PEOPLE, { name: string; role: Role; kind: PrincipalKind }][]) {
    const password = kind === 'person' ? randomBytes(9).toString('base64url') : undefined;
    cast[key] = await createPrincipal(db, HOST, { name, role, kind, password });
    if (password) accounts.push({ name, role, password });
  }
  await writeFile(join(dataDir, FILE), JSON.stringify(accounts, null, 2), { mode: 0o600 });
  await recovered;
  await seedContainers(db, cast);
}

/** Terms end this long after they began, where the demo wants a silent holder. */
const SHORT_TERM_SECONDS = 1;

async function seedContainers(db: Db, { ann, ben, cleo, olga, agent }: Record<keyof typeof PEOPLE, Principal>): Promise<void> {
  const make = (container: NewContainer) => createContainer(db, olga.id, container);
  const lead = async (slug: string, who: Principal, reason: string) => {
    const page = await acquire(db, slug, who.id, await lockRevision(db, slug), { reason });
    return page.grant;
  };
  const push = async (slug: string, who: Principal, grant: number, entries: readonly { title: string; body: string }[], message: string) => {
    const { from, id } = await lease(db, slug, who.id, { grant, to: who.id, count: entries.length });
    const prefix = CONTAINERS[slug]!.prefix!;
    await land(db, slug, who.id, `demo-${slug}-${grant}`, {
      grant,
      message,
      entries: entries.map((entry, i) => ({ ...entry, identifier: `${prefix}-${from + i}`, leaseId: id })),
    });
  };
  const slugs = Object.keys(CONTAINERS);
  for (const slug of slugs) {
    const { silent, ...container } = CONTAINERS[slug]!;
    await make({ ...container, slug, ...(silent ? { termSeconds: SHORT_TERM_SECONDS } : {}) });
  }

  // Two fall silent while the others are made.
  const silentSince = Date.now();
  await lead('harbour-survey', ben, 'Soundings of the inner basin');
  await lead('tide-tables', cleo, 'Recomputing the spring tides');

  const handbook = await lead('field-handbook', ann, 'First edition of the safety chapter');
  await push('field-handbook', ann, handbook, ENTRIES.handbook, 'The safety chapter');
  await release(db, 'field-handbook', ann.id, await lockRevision(db, 'field-handbook'), { grant: handbook });
  await editLockNotes(db, 'field-handbook', ben.id, await lockRevision(db, 'field-handbook'), { notes: 'The next edition starts after the **winter survey**.' });

  const glossary = await lead('glossary', ann, 'Terms for the spring release');
  await push('glossary', ann, glossary, ENTRIES.glossary, 'The first ten terms');
  await lease(db, 'glossary', ann.id, { grant: glossary, to: agent.id, count: 20 });
  await assignBlock(db, 'glossary', ann.id, { grant: glossary, title: 'Terms from the tide tables', description: 'One entry a term, with its *source*.', assignee: agent.id });
  const mine = await lease(db, 'glossary', ann.id, { grant: glossary, to: ann.id, count: 5 });
  await saveDraft(db, 'glossary', ann.id, `GL-${mine.from}`, 0, { grant: glossary, title: 'Neap tide', body: 'The smallest range of the fortnight. See **Spring tide**.' });
  await petition(db, 'glossary', ben.id, { reason: 'Corrections from the harbour survey' });
  await heartbeat(db, 'glossary', ann.id, await lockRevision(db, 'glossary'), { grant: glossary });

  await initGrid(db, 'glossary', olga.id, GLOSSARY_GRID);
  const collected = await startPass(db, 'glossary', ann.id, { grant: glossary, arrow: 'collect-terms' });
  await propose(db, 'glossary', ann.id, collected.id, 'every-term-has-a-source', { to: 'pass' });
  await completePass(db, 'glossary', ann.id, collected.id, { grant: glossary });
  const defined = await startPass(db, 'glossary', ann.id, { grant: glossary, arrow: 'define-terms' });
  await propose(db, 'glossary', ann.id, defined.id, 'links-resolve', { to: 'pass' });
  await propose(db, 'glossary', ann.id, defined.id, 'reads-well', { to: 'awaiting-attestation' });
  await completePass(db, 'glossary', ann.id, defined.id, { grant: glossary });
  await startPass(db, 'glossary', ann.id, { grant: glossary, arrow: 'collect-tides' });

  const charts = await lead('chart-index', ben, 'Renumbering the sheets');
  await push('chart-index', ben, charts, ENTRIES.charts, 'Sheets 1 and 2');
  await petition(db, 'chart-index', ann.id, { reason: 'Sheet 3 needs the new datum' });
  await petition(db, 'chart-index', cleo.id, { reason: 'Checking the cross references' });
  await editCollaborationNotes(db, 'chart-index', ann.id, 1, { notes: 'Whoever is next: **sheet 2** still cites the old datum.' });
  await release(db, 'chart-index', ben.id, await lockRevision(db, 'chart-index'), { grant: charts });

  await sleep(Math.max(0, SHORT_TERM_SECONDS * 1000 + 100 - (Date.now() - silentSince)));
  for (const slug of slugs) {
    if (CONTAINERS[slug]!.silent) await changeContainer(db, slug, olga.id, 1, { termSeconds: 4 * 3600, summary: 'The usual term' });
  }
  await petition(db, 'harbour-survey', ann.id, { reason: 'The basin chart goes to print' });
  await lead('tide-tables', ben, 'Taking over after silence');
}

const REVISION = statement(`SELECT l.revision FROM lock_page l JOIN container c ON c.id = l.container_id WHERE c.slug = $1`);
const lockRevision = async (db: Db, slug: string): Promise<number> => (await row<{ revision: number }>(db, REVISION, [slug]))!.revision;
