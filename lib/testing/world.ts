/**
 * What tests of the rules share: a database with people and containers, moved clocks, and
 * barriers. Time rules are tested by moving stored times, never by mocking a clock.
 */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { lease, type LeaseInput } from '../collaboration/lease';
import type { Lease } from '../collaboration/read';
import { createContainer, type NewContainer } from '../containers/create';
import { inGate, type GateMode } from '../db/gate';
import { createPool, type Db } from '../db/pool';
import type { PrincipalKind, Role } from '../roles';
import { acquire } from '../lock-page/acquire';
import { readLock, type LockView } from '../lock-page/read';
import { createPrincipal } from '../principals/create';
import { HOST, type Caller, type Principal } from '../principals/record';
import { isProblem, type Problem } from '../problems';
import { startRecovery } from '../recovery/run';
import type { LandingEntry } from '../register/entries';
import { land } from '../register/land';
import type { Landing } from '../register/read';
import { instant, micros, SECOND, type Instant, type Micros } from '../time';
import { testDatabase, type TestDatabase } from './database';

type Id = Pick<Principal, 'id'>;

export type World = {
  db: Db;
  url: string;
  operator: Principal;
  /** A new principal with a name of its own. */
  person(role?: Role, kind?: PrincipalKind): Promise<Principal>;
  /** A new container, by its slug. Its term is 4 h and its window 15 min unless told otherwise. */
  container(settings?: Partial<NewContainer>): Promise<string>;
  /** The lock page now. */
  lock(slug: string): Promise<LockView>;
  /** The lock page's revision now. */
  revision(slug: string): Promise<number>;
  /** Acquires for a principal on the present revision. */
  lead(slug: string, who: Id, reason?: string): Promise<LockView>;
  /** Leases a range under a grant. */
  lease(slug: string, lead: Id, input: LeaseInput): Promise<Lease>;
  /** Lands under a grant with a key of its own; without entries it is "nothing to land". */
  push(slug: string, lead: Id, grant: number, entries?: LandingEntry[], keepLeases?: string[]): Promise<Landing>;
  /** Lets time pass until the present holder has been silent for `seconds`. */
  fallSilent(slug: string, seconds?: number): Promise<void>;
  close(): Promise<void>;
};

let named = 0;

/**
 * A migrated database of its own with one operator. Close it in `afterAll`.
 * @param database a migrated database that takes the place of a copy of the template
 * @param recovered this process is an instance whose recovery is done: it takes transitions, amendments and pass starts (BR-2)
 */
export async function openWorld({ size = 60, recovered = false, database: given }: { size?: number; recovered?: boolean; database?: Pick<TestDatabase, 'url' | 'close'> } = {}): Promise<World> {
  const database = given ?? (await testDatabase());
  const db = createPool(database.url, { max: size });
  const operator = await createPrincipal(db, HOST, { name: 'Operator', role: 'operator' });
  const recovering = recovered ? await startRecovery(db, database.url) : undefined;
  await recovering?.done;
  const viewer: Caller = operator;
  const lock = (slug: string) => readLock(db, slug, viewer);
  return {
    db,
    url: database.url,
    operator,
    person: (role = 'coworker', kind = 'person') => createPrincipal(db, HOST, { name: `Person ${++named} ${randomUUID().slice(0, 8)}`, role, kind }),
    async container(settings = {}) {
      const slug = settings.slug ?? `c-${++named}-${randomUUID().slice(0, 8)}`;
      await createContainer(db, operator.id, { title: 'A container', prefix: 'TS', ...settings, slug });
      return slug;
    },
    lock,
    revision: async (slug) => (await lock(slug)).revision,
    lease: (slug, lead, input) => lease(db, slug, lead.id, input),
    push: (slug, lead, grant, entries = [], keepLeases) =>
      land(db, slug, lead.id, randomUUID(), { grant, message: 'A push', entries, ...(keepLeases ? { keepLeases } : {}) }),
    async fallSilent(slug, seconds = 1) {
      const { expiresAt, now } = await lock(slug);
      await letTimePass(db, slug, (micros(expiresAt!) - micros(now)) / SECOND + seconds);
    },
    lead: async (slug, who, reason) => acquire(db, slug, who.id, (await lock(slug)).revision, { reason }),
    async close() {
      await recovering?.close();
      await db.end();
      await database.close();
    },
  };
}

/** Moves a container's present `seconds` into the future by moving its stored times into the past. Histories stay. */
export async function letTimePass(db: Db, slug: string, seconds: number): Promise<void> {
  const by = `make_interval(secs => ${seconds})`;
  const here = `(SELECT id FROM container WHERE slug = '${slug}')`;
  await db.query(`
    UPDATE container SET created_at = created_at - ${by} WHERE slug = '${slug}';
    UPDATE lock_page SET granted_at = granted_at - ${by}, expires_at = expires_at - ${by}, last_beat_at = last_beat_at - ${by},
      available_since = available_since - ${by}, caution_since = caution_since - ${by} WHERE container_id = ${here};
    UPDATE petition SET at = at - ${by}, ended_at = ended_at - ${by}, told_at = told_at - ${by} WHERE container_id = ${here};
    UPDATE lock_grant SET granted_at = granted_at - ${by}, ended_at = ended_at - ${by}, told_ends_soon_at = told_ends_soon_at - ${by},
      told_cap_at = told_cap_at - ${by}, told_silent_at = told_silent_at - ${by} WHERE container_id = ${here};`);
}

const HISTORIES = ['lock_revision', 'collaboration_revision', 'draft_revision'];

/**
 * As `letTimePass`, with the histories and the landings of the container: for what is told of the past. They are
 * append-only for everybody else, so it stands in a transaction that puts their guards back.
 */
export async function letHistoryPass(db: Db, slug: string, seconds: number): Promise<void> {
  const by = `make_interval(secs => ${seconds})`;
  const here = `(SELECT id FROM container WHERE slug = '${slug}')`;
  const guards = (how: 'DISABLE' | 'ENABLE') => [...HISTORIES, 'landing'].map((table) => `ALTER TABLE ${table} ${how} TRIGGER USER;`).join(' ');
  await db.query(`
    BEGIN; ${guards('DISABLE')}
    UPDATE lock_revision SET at = at - ${by}, granted_at = granted_at - ${by}, expires_at = expires_at - ${by}, last_beat_at = last_beat_at - ${by},
      available_since = available_since - ${by}, caution_since = caution_since - ${by} WHERE container_id = ${here};
    ${['collaboration_revision', 'draft_revision', 'landing', 'lease', 'block'].map((table) => `UPDATE ${table} SET at = at - ${by} WHERE container_id = ${here};`).join(' ')}
    ${guards('ENABLE')} COMMIT;`);
  await letTimePass(db, slug, seconds);
}

/** Sets fields of a stored lock page, in SQL: for times to the microsecond, and for pages that no code path leaves behind. */
export async function setLockPage(db: Db, slug: string, assignments: string): Promise<void> {
  await db.query(`UPDATE lock_page SET ${assignments} WHERE container_id = (SELECT id FROM container WHERE slug = '${slug}')`);
}

/** An instant some microseconds later. */
export const plusMicros = (at: Instant, by: Micros): Instant => instant(micros(at) + by);

/** The database's clock. */
export const clock = async (db: Db): Promise<Instant> => (await db.query('SELECT clock_timestamp() AS now')).rows[0].now;

/** Resolves when the database's clock has reached an instant. */
export async function waitUntil(db: Db, at: Instant): Promise<void> {
  while ((await clock(db)) < at) await new Promise((resolve) => setImmediate(resolve));
}

/** A grip on a container's gate. */
export type Grip = { letGo(how?: 'commit' | 'roll back'): Promise<void> };

/**
 * Holds a container's gate until let go, so that what comes meanwhile queues up behind it.
 * @param doing what the holding transaction does first
 */
export async function holdGate(db: Db, slug: string, mode: GateMode = 'exclusive', doing?: (client: pg.PoolClient) => Promise<unknown>): Promise<Grip> {
  let letGo!: (how: 'commit' | 'roll back') => void;
  const told = new Promise<'commit' | 'roll back'>((resolve) => (letGo = resolve));
  let held!: () => void;
  const holding = new Promise<void>((resolve) => (held = resolve));
  const RolledBack = new Error('rolled back by the test');
  const done = inGate(db, slug, mode, async (client) => {
    await doing?.(client);
    held();
    if ((await told) === 'roll back') throw RolledBack;
  }).catch((error: unknown) => {
    if (error !== RolledBack) throw error;
  });
  await Promise.race([holding, done]);
  return {
    async letGo(how = 'commit') {
      letGo(how);
      await done;
    },
  };
}

/**
 * Resolves when `count` connections wait for a lock: the barrier of the race tests.
 * @param slug counts only those at this container's gate, where given
 */
export async function waitUntilWaiting(db: Db, count: number, slug?: string): Promise<void> {
  for (;;) {
    const { rows } = await db.query(
      `SELECT count(DISTINCT l.pid)::int AS waiting FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE NOT l.granted AND a.datname = current_database()
         AND ($1::text IS NULL OR (l.locktype = 'advisory' AND l.objid = (SELECT number FROM container WHERE slug = $1)))`,
      [slug ?? null],
    );
    if (rows[0].waiting >= count) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The refusal that a call ends in; an error when it succeeds or fails otherwise. */
export async function refusal(call: Promise<unknown>): Promise<Problem> {
  let value: unknown;
  try {
    value = await call;
  } catch (error) {
    if (isProblem(error)) return error;
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(value)}`);
}

/** Runs all at once and gives what each came to: its value, or its refusal's code. Other errors are thrown. */
export async function outcomes<T>(calls: Promise<T>[]): Promise<(T | { refused: string })[]> {
  return Promise.all(
    calls.map((call) =>
      call.catch((error: { code?: string; name?: string }) => {
        if (error.name === 'Problem') return { refused: error.code! };
        throw error;
      }),
    ),
  );
}
