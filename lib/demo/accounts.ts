/** The demo's people and their passwords, in a file of the data folder for its owner alone. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rows, statement, type Db } from '../db/pool';
import { nameKey } from '../principals/record';
import type { PrincipalKind, Role } from '../roles';
import { demoStage } from './stage';
import { PEOPLE } from './texts';

/** One of the demo's people as it is to be made; agents have no password. */
export type Planned = { key: keyof typeof PEOPLE; name: string; role: Role; kind: PrincipalKind; password?: string };
export type DemoAccount = { name: string; role: Role; password: string };

const FILE = 'demo-accounts.json';
type Kept = { demo: string; people: Planned[] };

/** What the file says of that demo; undefined when there is none, or another database's. */
async function keptFor(dataDir: string, id: string): Promise<Planned[] | undefined> {
  try {
    const kept = JSON.parse(await readFile(join(dataDir, FILE), 'utf8')) as Partial<Kept>;
    return kept.demo === id ? kept.people : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const TAKEN = statement('SELECT name_key AS key FROM principal');

/** Who the demo's people are: as an earlier try kept them, else planned and kept now. A name that somebody has already is told apart. */
export async function plan(db: Db, dataDir: string, id: string): Promise<Planned[]> {
  const kept = await keptFor(dataDir, id);
  if (kept) return kept;
  const taken = new Set((await rows<{ key: string }>(db, TAKEN)).map((p) => p.key));
  const people = (Object.keys(PEOPLE) as Planned['key'][]).map((key): Planned => {
    const { name, role, kind } = PEOPLE[key];
    const password = kind === 'person' ? randomBytes(9).toString('base64url') : undefined;
    return { key, name: taken.has(nameKey(name)) ? `${name} (demo)` : name, role, kind, password };
  });
  const draft = join(dataDir, `${FILE}.draft`);
  await writeFile(draft, JSON.stringify({ demo: id, people } satisfies Kept, null, 2), { mode: 0o600 });
  await rename(draft, join(dataDir, FILE));
  return people;
}

/** The accounts of this database's demo with their passwords, as its first start kept them for its owner; none where there is no demo. */
export async function demoAccounts(db: Db, dataDir: string): Promise<DemoAccount[]> {
  const stage = await demoStage(db);
  const people = stage?.state === 'done' ? await keptFor(dataDir, stage.id) : undefined;
  return (people ?? []).flatMap(({ name, role, password }) => (password === undefined ? [] : [{ name, role, password }]));
}
