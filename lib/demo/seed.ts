/**
 * The demo: containers in every state, with people to sign in as. It is made with the same
 * functions as everything else, so its histories are true; silence is made by short terms.
 * A start that was cut short leaves it to the next one: people and passwords are planned in a
 * file first, and what is not there yet is made.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { initGrid } from '../amendment';
import { propose } from '../engine';
import { assignBlock } from '../collaboration/block';
import { lease } from '../collaboration/lease';
import { editCollaborationNotes } from '../collaboration/notes';
import { petition } from '../collaboration/petition';
import { changeContainer } from '../containers/change';
import { createContainer, type NewContainer } from '../containers/create';
import { row, rows, statement, type Db } from '../db/pool';
import { saveDraft } from '../drafts/save';
import { acquire } from '../lock-page/acquire';
import { heartbeat } from '../lock-page/heartbeat';
import { editLockNotes } from '../lock-page/notes';
import { release } from '../lock-page/release';
import { createPrincipal } from '../principals/create';
import { HOST, type Principal } from '../principals/record';
import { findPrincipal } from '../principals/read';
import { setPassword } from '../principals/set-password';
import { land } from '../register/land';
import { completePass, startPass } from '../runner';
import { plan, type Planned } from './accounts';
import { beginDemo, demoStage, finishDemo } from './stage';
import { CONTAINERS, ENTRIES, GLOSSARY_GRID, type PEOPLE } from './texts';

type Cast = Record<keyof typeof PEOPLE, Principal>;

/** Whoever was planned, as it is, with its password; made where it is not there yet. */
async function person(db: Db, { name, role, kind, password }: Planned): Promise<Principal> {
  const there = await findPrincipal(db, name);
  if (!there) return createPrincipal(db, HOST, { name, role, kind, password });
  return password === undefined ? there : setPassword(db, HOST, there.id, password);
}

/**
 * Seeds the demo into a database that has no container yet, or goes on where an earlier start
 * was cut short; does nothing otherwise.
 * @param recovered resolves when passes can be started
 * @param asked true when it was asked for, so that a first start which left it out does not count
 */
export async function seedDemo(db: Db, dataDir: string, recovered: Promise<void>, asked = false): Promise<void> {
  await beginDemo(db, asked);
  const stage = await demoStage(db);
  if (stage?.state !== 'begun') return;
  const cast = {} as Cast;
  for (const planned of await plan(db, dataDir, stage.id)) cast[planned.key] = await person(db, planned);
  await recovered;
  await seedContainers(db, cast);
  await finishDemo(db);
}

/** Terms end this long after they began, where the demo wants a silent holder. */
const SHORT_TERM_SECONDS = 1;

/** What happens in a container, told with the functions that people and agents call. */
type Story = (db: Db, slug: string, cast: Cast) => Promise<void>;

async function lead(db: Db, slug: string, who: Principal, reason: string): Promise<number> {
  return (await acquire(db, slug, who.id, await lockRevision(db, slug), { reason })).grant;
}

async function push(db: Db, slug: string, who: Principal, grant: number, entries: readonly { title: string; body: string }[], message: string): Promise<void> {
  const { from, id } = await lease(db, slug, who.id, { grant, to: who.id, count: entries.length });
  const prefix = CONTAINERS[slug]!.prefix!;
  await land(db, slug, who.id, `demo-${slug}-${grant}`, {
    grant,
    message,
    entries: entries.map((entry, i) => ({ ...entry, identifier: `${prefix}-${from + i}`, leaseId: id })),
  });
}

const STORIES: Record<string, Story> = {
  'harbour-survey': async (db, slug, { ben }) => void (await lead(db, slug, ben, 'Soundings of the inner basin')),

  'tide-tables': async (db, slug, { cleo }) => void (await lead(db, slug, cleo, 'Recomputing the spring tides')),

  async 'field-handbook'(db, slug, { ann, ben }) {
    const grant = await lead(db, slug, ann, 'First edition of the safety chapter');
    await push(db, slug, ann, grant, ENTRIES.handbook, 'The safety chapter');
    await release(db, slug, ann.id, await lockRevision(db, slug), { grant });
    await editLockNotes(db, slug, ben.id, await lockRevision(db, slug), { notes: 'The next edition starts after the **winter survey**.' });
  },

  async glossary(db, slug, { ann, ben, olga, agent }) {
    const grant = await lead(db, slug, ann, 'Terms for the spring release');
    await push(db, slug, ann, grant, ENTRIES.glossary, 'The first ten terms');
    await lease(db, slug, ann.id, { grant, to: agent.id, count: 20 });
    await assignBlock(db, slug, ann.id, { grant, title: 'Terms from the tide tables', description: 'One entry a term, with its *source*.', assignee: agent.id });
    const mine = await lease(db, slug, ann.id, { grant, to: ann.id, count: 5 });
    await saveDraft(db, slug, ann.id, `GL-${mine.from}`, 0, { grant, title: 'Neap tide', body: 'The smallest range of the fortnight. See **Spring tide**.' });
    await petition(db, slug, ben.id, { reason: 'Corrections from the harbour survey' });
    await heartbeat(db, slug, ann.id, await lockRevision(db, slug), { grant });

    await initGrid(db, slug, olga.id, GLOSSARY_GRID);
    const collected = await startPass(db, slug, ann.id, { grant, arrow: 'collect-terms' });
    await propose(db, slug, ann.id, collected.id, 'every-term-has-a-source', { to: 'pass' });
    await completePass(db, slug, ann.id, collected.id, { grant });
    const defined = await startPass(db, slug, ann.id, { grant, arrow: 'define-terms' });
    await propose(db, slug, ann.id, defined.id, 'links-resolve', { to: 'pass' });
    await propose(db, slug, ann.id, defined.id, 'reads-well', { to: 'awaiting-attestation' });
    await completePass(db, slug, ann.id, defined.id, { grant });
    await startPass(db, slug, ann.id, { grant, arrow: 'collect-tides' });
  },

  async 'chart-index'(db, slug, { ann, ben, cleo }) {
    const grant = await lead(db, slug, ben, 'Renumbering the sheets');
    await push(db, slug, ben, grant, ENTRIES.charts, 'Sheets 1 and 2');
    await petition(db, slug, ann.id, { reason: 'Sheet 3 needs the new datum' });
    await petition(db, slug, cleo.id, { reason: 'Checking the cross references' });
    await editCollaborationNotes(db, slug, ann.id, 1, { notes: 'Whoever is next: **sheet 2** still cites the old datum.' });
    await release(db, slug, ben.id, await lockRevision(db, slug), { grant });
  },
};

/** What follows once the first holder is silent. */
const SEQUELS: Record<string, Story> = {
  'harbour-survey': async (db, slug, { ann }) => void (await petition(db, slug, ann.id, { reason: 'The basin chart goes to print' })),
  'tide-tables': async (db, slug, { ben }) => void (await lead(db, slug, ben, 'Taking over after silence')),
};

const THERE = statement('SELECT slug, term_seconds AS "termSeconds", revision FROM container');

/** Makes the containers that are not there yet. One whose story was cut short stays as it is, but never with the short term. */
async function seedContainers(db: Db, cast: Cast): Promise<void> {
  const there = new Set((await rows<{ slug: string }>(db, THERE)).map((c) => c.slug));
  // The silent come first: they fall silent while the others are made.
  for (const [slug, story] of Object.entries(STORIES)) {
    if (there.has(slug)) continue;
    const { silent, ...container } = CONTAINERS[slug]!;
    const made: NewContainer = { ...container, slug, ...(silent ? { termSeconds: SHORT_TERM_SECONDS } : {}) };
    await createContainer(db, cast.olga.id, made);
    await story(db, slug, cast);
  }
  await sleep(SHORT_TERM_SECONDS * 1000 + 100);
  for (const { slug, termSeconds, revision } of await rows<{ slug: string; termSeconds: number; revision: number }>(db, THERE)) {
    if (!SEQUELS[slug] || termSeconds !== SHORT_TERM_SECONDS) continue;
    await changeContainer(db, slug, cast.olga.id, revision, { termSeconds: 4 * 3600, summary: 'The usual term' });
    await SEQUELS[slug](db, slug, cast);
  }
}

const REVISION = statement(`SELECT l.revision FROM lock_page l JOIN container c ON c.id = l.container_id WHERE c.slug = $1`);
const lockRevision = async (db: Db, slug: string): Promise<number> => (await row<{ revision: number }>(db, REVISION, [slug]))!.revision;
