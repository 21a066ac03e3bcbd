import type { Db } from '../db/pool';
import type { Caller } from '../principals/record';
import { hasRole } from '../roles';
import { offersPractice } from './guide';
import { readPractice, type Practice } from './read';

/** Where a viewer is on the guided first visit; `practice` is undefined before it began. Undefined for whom it is not offered. */
export async function readTour(db: Db, caller: Caller | undefined): Promise<{ practice: Practice | undefined } | undefined> {
  if (!caller || !hasRole(caller.role, 'coworker') || caller.kind !== 'person') return undefined;
  const practice = await readPractice(db, caller.id);
  return practice || (await offersPractice(db)) ? { practice } : undefined;
}
