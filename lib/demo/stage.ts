/** How far the demo of a database is. Kept there, so that whatever else a start finds, it does not guess. */
import { randomUUID } from 'node:crypto';
import { row, rows, statement, type Db } from '../db/pool';

/** `begun`: a start is making it, or was cut short. `id` ties it to the file with its passwords. */
export type DemoStage = { state: 'begun' | 'done' | 'left-out'; id: string };

// Made once, into a database that has no container; a first start that left it out decides for later ones that do not ask.
const BEGIN = statement(`
  INSERT INTO setting (key, value) SELECT 'demo', $1 WHERE NOT EXISTS (SELECT 1 FROM container)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE $2 AND setting.value LIKE 'left-out %'`);
const LEAVE_OUT = statement(`INSERT INTO setting (key, value) VALUES ('demo', $1) ON CONFLICT (key) DO NOTHING`);
const FINISH = statement(`UPDATE setting SET value = replace(value, 'begun ', 'done ') WHERE key = 'demo'`);
const READ = statement(`SELECT value FROM setting WHERE key = 'demo'`);

export async function demoStage(db: Db): Promise<DemoStage | undefined> {
  const [state, id] = (await row<{ value: string }>(db, READ))?.value.split(' ') ?? [];
  return id === undefined ? undefined : { state: state as DemoStage['state'], id };
}

/** @param asked whether a first start that left the demo out is overruled */
export const beginDemo = async (db: Db, asked: boolean): Promise<void> => void (await rows(db, BEGIN, [`begun ${randomUUID()}`, asked]));
export const leaveDemoOut = async (db: Db): Promise<void> => void (await rows(db, LEAVE_OUT, [`left-out ${randomUUID()}`]));
export const finishDemo = async (db: Db): Promise<void> => void (await rows(db, FINISH));
