/** The guide: an agent that shows newcomers a handover. Nobody can sign in as it. */
import { createContainer } from '../containers/create';
import type { Db } from '../db/pool';
import { demoStage } from '../demo/stage';
import { acquire } from '../lock-page/acquire';
import { readLock } from '../lock-page/read';
import { release } from '../lock-page/release';
import { createPrincipal } from '../principals/create';
import { findPrincipal } from '../principals/read';
import { HOST, type Caller, type Principal } from '../principals/record';
import { isProblem, notFound } from '../problems';
import { land } from '../register/land';
import { practicePrefix, readPractice, type Practice } from './read';

const GUIDE = 'Guide';
/** Long enough for somebody who reads every word; past it the newcomer's turn comes all the same. */
const TERM_SECONDS = 1_800;
const WINDOW_SECONDS = 300;

/** Whether this database has the demo, and so the guided first visit. */
export const offersPractice = async (db: Db): Promise<boolean> => (await demoStage(db))?.state === 'done';

async function guide(db: Db): Promise<Principal> {
  const there = await findPrincipal(db, GUIDE);
  if (there) return there;
  try {
    return await createPrincipal(db, HOST, { name: GUIDE, kind: 'agent', role: 'coworker' });
  } catch (error) {
    const made = isProblem(error) && error.code === 'name-taken' ? await findPrincipal(db, GUIDE) : undefined;
    if (made) return made;
    throw error;
  }
}

/**
 * Begins a newcomer's practice: a container of its own, in which the guide holds the lock.
 * Goes on with one that is not done.
 * @throws Problem `not-found` where there is no demo, and those of `createContainer` and `acquire`
 */
export async function startPractice(db: Db, caller: Caller): Promise<Practice> {
  if (!(await offersPractice(db))) throw notFound('demo');
  const before = await readPractice(db, caller.id);
  if (before && before.step !== 'done') return before;
  const host = await guide(db);
  const prefix = practicePrefix(caller.id);
  const number = before ? Number(before.slug.slice(prefix.length)) + 1 : 1;
  const slug = `${prefix}${number}`;
  try {
    await createContainer(db, HOST, {
      slug,
      title: `${caller.name}’s practice`,
      description: 'A place to try the lock: what you do here is real, and harms nothing.',
      prefix: 'PR',
      termSeconds: TERM_SECONDS,
      windowSeconds: WINDOW_SECONDS,
    });
  } catch (error) {
    // Begun in another tab a moment ago.
    if (!isProblem(error) || error.code !== 'slug-taken') throw error;
  }
  const lock = await readLock(db, slug, caller);
  if (!lock.holder && lock.grant === 0) {
    try {
      await acquire(db, slug, host.id, lock.revision, { reason: 'Showing a newcomer how the lock is handed over' });
    } catch (error) {
      // The other tab's guide holds it already.
      if (!isProblem(error) || !['edit-conflict', 'lock-held', 'already-holder'].includes(error.code)) throw error;
    }
  }
  return (await readPractice(db, caller.id))!;
}

/**
 * Has the guide push and release, once the newcomer waits. Does nothing when there is nothing to hand over.
 * @throws Problem those of `land` and `release`
 */
export async function handOver(db: Db, caller: Caller): Promise<void> {
  const practice = await readPractice(db, caller.id);
  if (practice?.step !== 'turn') return;
  const { slug } = practice;
  const host = await guide(db);
  const lock = await readLock(db, slug, caller);
  if (lock.holder?.id !== host.id) return;
  try {
    await land(db, slug, host.id, `guide-${lock.grant}`, { grant: lock.grant, message: 'Nothing to land: I only kept the place', entries: [] });
    await release(db, slug, host.id, lock.revision, { grant: lock.grant });
  } catch (error) {
    // Asked in another tab, too: it has handed over already.
    if ((await readPractice(db, caller.id))?.step === 'turn') throw error;
  }
}
