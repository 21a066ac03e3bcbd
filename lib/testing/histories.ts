/**
 * Random histories of one container: steps that fast-check invents, carried out on the
 * database one by one or several at once, and compared with the model after each.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { assignBlock, markBlock } from '../collaboration/block';
import { lease } from '../collaboration/lease';
import { editCollaborationNotes } from '../collaboration/notes';
import { petition } from '../collaboration/petition';
import { withdrawPetitionsOfUnable } from '../collaboration/sweep';
import { withdraw } from '../collaboration/withdraw';
import { isProblem } from '../problems';
import { acquire } from '../lock-page/acquire';
import { clear } from '../lock-page/clear';
import { heartbeat } from '../lock-page/heartbeat';
import { editLockNotes } from '../lock-page/notes';
import { readLock } from '../lock-page/read';
import { release } from '../lock-page/release';
import { changePrincipal } from '../principals/change';
import { land } from '../register/land';
import { verifyRegister } from '../register/verify';
import { breaches, passTime } from './invariants';
import {
  act,
  newModel,
  projection,
  waiting,
  type Action,
  type Cast,
  type Model,
  type OfferedEntry,
  type Outcome,
  type Projection,
} from './model';
import type { World } from './world';

const PREFIX = 'TS';

// What fast-check invents: small numbers, resolved against what could be seen at that time.

type Seen = { base: 'fresh' | 'unknown' | number; grant: 'current' | 'older' | 'newer' };
export type Wish =
  | { wish: 'petition'; who: number }
  | { wish: 'withdraw'; who: number; pick: number }
  | { wish: 'acquire'; who: number; seen: Seen }
  | { wish: 'heartbeat' | 'release' | 'clear'; who: number; seen: Seen }
  | { wish: 'notes' | 'collaborationNotes'; who: number; seen: Seen }
  | {
      wish: 'land';
      who: number;
      seen: Seen;
      key: number;
      entries: { from: 'leased' | 'landed' | 'anywhere' | 'malformed'; pick: number; named: boolean }[];
      keep: number;
    }
  | { wish: 'repeat'; pick: number; changed: boolean }
  | { wish: 'lease'; who: number; to: number; seen: Seen; count: number; from: number | null }
  | { wish: 'assign'; who: number; to: number; seen: Seen; pick: number | null }
  | { wish: 'mark'; who: number; pick: number; returned: boolean }
  | { wish: 'change'; who: number; to: 'reader' | 'coworker' | 'operator' | 'away' | 'back' };
export type Step = { pass: number } | { at: 'once' | 'in turn'; wishes: Wish[] };

const weighted = <T>(...options: [number, T][]) =>
  fc.oneof(...options.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));
/** 0 to 4: one of the cast; from 5 on the holder, or of an acquisition the first or the last who waits, where there is one. */
const who = fc.nat(14);
const operator = fc.oneof({ weight: 4, arbitrary: fc.constant(4) }, { weight: 1, arbitrary: fc.nat(4) });
const seen: fc.Arbitrary<Seen> = fc.record({
  base: fc.oneof(
    { weight: 7, arbitrary: fc.constant('fresh' as const) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.constant('unknown' as const) },
  ),
  grant: weighted<Seen['grant']>([12, 'current'], [1, 'older'], [1, 'newer']),
});
const entry = fc.record({
  from: weighted<'leased' | 'landed' | 'anywhere' | 'malformed'>([30, 'leased'], [8, 'landed'], [1, 'anywhere'], [1, 'malformed']),
  pick: fc.nat(200),
  named: fc.boolean(),
});
const constant = <T extends string>(value: T) => fc.constant(value);

const WISHES: { [K in Wish['wish']]: fc.Arbitrary<Wish> } = {
  petition: fc.record({ wish: constant('petition'), who: fc.nat(5) }),
  withdraw: fc.record({ wish: constant('withdraw'), who, pick: fc.nat(20) }),
  acquire: fc.record({ wish: constant('acquire'), who, seen }),
  heartbeat: fc.record({ wish: constant('heartbeat'), who, seen }),
  release: fc.record({ wish: constant('release'), who, seen }),
  clear: fc.record({ wish: constant('clear'), who: operator, seen }),
  notes: fc.record({ wish: constant('notes'), who, seen }),
  collaborationNotes: fc.record({ wish: constant('collaborationNotes'), who, seen }),
  land: fc.record({ wish: constant('land'), who, seen, key: fc.nat(60), entries: fc.array(entry, { maxLength: 4 }), keep: fc.nat(7) }),
  repeat: fc.record({ wish: constant('repeat'), pick: fc.nat(20), changed: fc.boolean() }),
  lease: fc.record({
    wish: constant('lease'),
    who,
    to: fc.nat(4),
    seen,
    count: fc.integer({ min: 1, max: 8 }),
    from: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
  }),
  assign: fc.record({ wish: constant('assign'), who, to: fc.nat(4), seen, pick: fc.option(fc.nat(5), { nil: null }) }),
  mark: fc.record({ wish: constant('mark'), who, pick: fc.nat(10), returned: fc.boolean() }),
  change: fc.record({
    wish: constant('change'),
    who: fc.nat(3),
    to: weighted<Extract<Wish, { wish: 'change' }>['to']>([2, 'reader'], [3, 'coworker'], [1, 'operator'], [1, 'away'], [3, 'back']),
  }),
};

/** How a history is made: how often each wish comes up, how often time passes and how much, and the container's term and window (seconds). */
type Manner = { wishes: Partial<Record<Wish['wish'], number>>; pace: number; passes: [number, number][]; term: number; window: number };

const historyOf = ({ wishes, passes, pace }: Manner): fc.Arbitrary<Step[]> => {
  const wish = fc.oneof(
    ...(Object.entries(wishes) as [Wish['wish'], number][]).map(([name, weight]) => ({ weight, arbitrary: WISHES[name] })),
  );
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ at: constant('in turn'), wishes: fc.array(wish, { minLength: 1, maxLength: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ at: constant('once'), wishes: fc.array(wish, { minLength: 2, maxLength: 4, size: 'max' }) }) },
    {
      weight: 2,
      arbitrary: fc.record({ at: constant('once'), wishes: fc.tuple(wish, wish).map(([twice, other]) => [twice, twice, other]) }),
    },
    { weight: pace, arbitrary: fc.record({ pass: weighted(...passes) }) },
  );
  return fc.noBias(fc.array(step, { minLength: 20, maxLength: 45, size: 'max' }));
};

// Times, terms and windows are whole hundreds, so that nothing falls due between two looks.

/** Everything that happens under a grant. */
const WORK: Manner = {
  wishes: {
    petition: 6,
    withdraw: 2,
    acquire: 9,
    heartbeat: 4,
    release: 5,
    clear: 4,
    notes: 1,
    collaborationNotes: 1,
    land: 9,
    repeat: 2,
    lease: 6,
    assign: 2,
    mark: 2,
    change: 1,
  },
  pace: 2,
  passes: [
    [4, 300],
    [4, 900],
    [3, 1_000],
    [2, 2_700],
    [2, 7_200],
    [3, 14_400],
    [1, 90_000],
  ],
  term: 14_400,
  window: 900,
};
/** Short grants that mostly end in silence, and a queue that wants them. */
const HANDOVERS: Manner = {
  wishes: { petition: 6, withdraw: 2, acquire: 6, heartbeat: 1, clear: 1, change: 1 },
  pace: 6,
  passes: [
    [3, 300],
    [2, 600],
    [2, 900],
    [1, 1_800],
  ],
  term: 300,
  window: 300,
};

export const MANNERS = { work: WORK, handovers: HANDOVERS };
/** Random histories of a manner. */
export const histories = (manner: keyof typeof MANNERS): fc.Arbitrary<Step[]> => historyOf(MANNERS[manner]);

type Offer = Extract<Action, { do: 'land' }>;
type Scene = { world: World; slug: string; containerId: string; model: Model; offers: Offer[]; titles: number };

/** What a wish comes to for someone who looked at the container now; undefined where there is nothing to do it to. */
function resolve(scene: Scene, wished: Wish): Action | undefined {
  const { model: m } = scene;
  const someone = (n: number): string => (n > 4 ? (m.holder ?? waiting(m)[0]?.who ?? m.cast[n % 5]!.id) : m.cast[n]!.id);
  const grantOf = ({ grant }: Seen): number => Math.max(1, m.grant + { current: 0, older: -1, newer: 1 }[grant]);
  const baseOf = ({ base }: Seen, revision: number): number =>
    base === 'fresh' ? revision : base === 'unknown' ? revision + 1 : Math.max(0, revision - base);
  switch (wished.wish) {
    case 'petition':
      return { do: 'petition', who: someone(wished.who) };
    case 'withdraw': {
      const open = waiting(m);
      const from = open.length > 0 && wished.pick < 15 ? open : m.petitions;
      const target = from[wished.pick % from.length];
      return target && { do: 'withdraw', who: wished.who > 4 ? target.who : someone(wished.who), petition: target.revision };
    }
    case 'acquire':
      return {
        do: 'acquire',
        who: (wished.who > 4 ? waiting(m).at(wished.who > 9 ? -1 : 0)?.who : undefined) ?? m.cast[wished.who % 5]!.id,
        base: baseOf(wished.seen, m.kinds.length),
      };
    case 'heartbeat':
    case 'release':
    case 'clear':
      return { do: wished.wish, who: someone(wished.who), grant: grantOf(wished.seen), base: baseOf(wished.seen, m.kinds.length) };
    case 'notes':
      return { do: 'notes', who: someone(wished.who), base: baseOf(wished.seen, m.kinds.length) };
    case 'collaborationNotes':
      return { do: 'collaborationNotes', who: someone(wished.who), base: baseOf(wished.seen, m.collaboration) };
    case 'land': {
      const entries = wished.entries.map((e): OfferedEntry => {
        const around = m.leases[e.pick % Math.max(1, m.leases.length)];
        const landed = [...m.entries.keys()];
        let number: number | null = (e.pick % 60) + 1;
        if (e.from === 'leased' && around) number = around.from + (e.pick % (around.through - around.from + 1));
        if (e.from === 'landed' && landed.length > 0) number = landed[e.pick % landed.length]!;
        const named = e.named && e.from !== 'landed' && around ? { leaseId: around.id! } : {};
        return e.from === 'malformed'
          ? { identifier: `${PREFIX}-0${number}`, number: null, body: '' }
          : { identifier: `${PREFIX}-${number}`, number, body: `body ${e.pick}`, ...named };
      });
      const keep = m.leases.filter((_, i) => (wished.keep >> i) & 1).map((l) => l.id!);
      const offer: Offer = { do: 'land', who: someone(wished.who), key: `key ${wished.key}`, grant: grantOf(wished.seen), entries, keep };
      scene.offers.push(offer);
      return offer;
    }
    case 'repeat': {
      const offer = scene.offers[scene.offers.length - 1 - (wished.pick % Math.max(1, scene.offers.length))];
      return offer && (wished.changed ? { ...offer, grant: offer.grant + 1 } : offer);
    }
    case 'lease': {
      const from = wished.from ?? 1;
      return {
        do: 'lease',
        who: someone(wished.who),
        grant: grantOf(wished.seen),
        to: m.cast[wished.to]!.id,
        ...(wished.from === null ? { count: wished.count } : {}),
        from,
        through: from + wished.count - 1,
      };
    }
    case 'assign': {
      const leaseId = wished.pick === null ? undefined : m.leases[wished.pick % Math.max(1, m.leases.length)]?.id;
      return {
        do: 'assign',
        who: someone(wished.who),
        grant: grantOf(wished.seen),
        to: m.cast[wished.to]!.id,
        title: `block ${String(++scene.titles).padStart(4, '0')}`,
        ...(leaseId ? { leaseId } : {}),
      };
    }
    case 'mark': {
      const block = m.blocks[wished.pick % Math.max(1, m.blocks.length)];
      return (
        block && {
          do: 'mark',
          who: wished.who > 4 ? block.assignee : someone(wished.who),
          block: block.id!,
          state: wished.returned ? 'returned' : 'done',
        }
      );
    }
    case 'change':
      return {
        do: 'change',
        who: m.cast[wished.who]!.id,
        ...(wished.to === 'away' || wished.to === 'back' ? { active: wished.to === 'back' } : { role: wished.to }),
      };
  }
}

const MEMBERS = ['turnOf', 'from', 'through', 'state', 'currentGrant', 'grant', 'holder'] as const;
const idOf = (value: unknown): unknown => (value && typeof value === 'object' && 'id' in value ? value.id : value);

/** Carries an action out on the database. */
async function perform({ world: { db, operator }, slug, containerId }: Scene, a: Action): Promise<Outcome> {
  try {
    switch (a.do) {
      case 'petition':
        return { ok: true, revision: (await petition(db, slug, a.who, { reason: 'to work' })).revision };
      case 'withdraw': {
        const { rows } = await db.query('SELECT id FROM petition WHERE container_id = $1 AND revision = $2', [containerId, a.petition]);
        await withdraw(db, slug, a.who, rows[0].id);
        return { ok: true };
      }
      case 'acquire':
        return { ok: true, grant: (await acquire(db, slug, a.who, a.base, {})).grant };
      case 'heartbeat': {
        const beat = await heartbeat(db, slug, a.who, a.base, { grant: a.grant });
        return { ok: true, atCap: beat.atCap, waiting: beat.waiting };
      }
      case 'release':
        await release(db, slug, a.who, a.base, { grant: a.grant });
        return { ok: true };
      case 'clear':
        await clear(db, slug, a.who, a.base, { grant: a.grant, reason: 'gone' });
        return { ok: true };
      case 'notes':
        await editLockNotes(db, slug, a.who, a.base, { notes: 'noted' });
        return { ok: true };
      case 'collaborationNotes':
        await editCollaborationNotes(db, slug, a.who, a.base, { notes: 'noted' });
        return { ok: true };
      case 'land': {
        const entries = a.entries.map(({ identifier, body, leaseId }) => ({
          identifier,
          title: 'An entry',
          body,
          ...(leaseId ? { leaseId } : {}),
        }));
        const landing = await land(db, slug, a.who, a.key, { grant: a.grant, message: 'pushed', entries, keepLeases: a.keep });
        return { ok: true, sequence: landing.sequence };
      }
      case 'lease': {
        const made = await lease(db, slug, a.who, {
          grant: a.grant,
          to: a.to,
          ...(a.count === undefined ? { from: a.from, through: a.through } : { count: a.count }),
        });
        return { ok: true, from: made.from, through: made.through };
      }
      case 'assign':
        await assignBlock(db, slug, a.who, { grant: a.grant, title: a.title, assignee: a.to, leaseId: a.leaseId });
        return { ok: true };
      case 'mark':
        await markBlock(db, slug, a.who, a.block, { state: a.state });
        return { ok: true };
      case 'change':
        await changePrincipal(db, operator.id, a.who, { role: a.role, active: a.active });
        return { ok: true };
      case 'sweep':
        await withdrawPetitionsOfUnable(db);
        return { ok: true };
    }
  } catch (error) {
    if (!isProblem(error)) throw error;
    return { refused: error.code, members: error.members };
  }
}

/** Whether the database's answer is the model's: all that the model foretells must be there. */
function agrees(foretold: Outcome, { members, ...answer }: Outcome & { members?: Record<string, unknown> }): boolean {
  const { faults, ...told } = foretold as Record<string, unknown>;
  const shown: Record<string, unknown> = { ...answer };
  for (const name of MEMBERS) if (members && name in told) shown[name] = idOf(members[name]);
  if (faults !== undefined && (members?.errors as unknown[] | undefined)?.length !== faults) return false;
  return Object.keys({ ...told, ...shown }).every((key) => shown[key] === told[key]);
}

const STATE = `
  SELECT l.revision, l.holder_id, l."grant", l.next_grant, p.revision AS collaboration, c.landings,
    (SELECT json_agg(kind ORDER BY revision) FROM lock_revision v WHERE v.container_id = c.id) AS kinds,
    coalesce((SELECT json_agg(json_build_object('who', principal_id, 'revision', revision, 'state', state, 'missed', missed) ORDER BY revision)
      FROM petition t WHERE t.container_id = c.id), '[]') AS petitions,
    coalesce((SELECT json_agg(json_build_object('id', id, 'grant', "grant", 'to', to_id, 'from', lower(ids), 'through', upper(ids) - 1) ORDER BY lower(ids))
      FROM lease e WHERE e.container_id = c.id AND state = 'active'), '[]') AS leases,
    coalesce((SELECT json_agg(json_build_object('id', id, 'title', title, 'grant', "grant", 'assignee', assignee_id, 'state', state) ORDER BY title)
      FROM block b WHERE b.container_id = c.id), '[]') AS blocks,
    coalesce((SELECT json_agg(json_build_object('number', number, 'revision', revision, 'author', author_id) ORDER BY number)
      FROM entry e WHERE e.container_id = c.id), '[]') AS entries,
    (SELECT count(*) FROM audit_line a WHERE a.container_id = c.id AND a.action = 'refused') AS refused
  FROM container c JOIN lock_page l ON l.container_id = c.id JOIN collaboration_page p ON p.container_id = c.id WHERE c.id = $1`;

type Ids = { leases: { id: string; from: number }[]; blocks: { id: string; title: string }[] };

async function look({ world: { db, operator }, slug, containerId }: Scene): Promise<{ found: Projection; ids: Ids }> {
  const view = await readLock(db, slug, operator);
  const { rows } = await db.query({ name: 'state of a history', text: STATE, values: [containerId] });
  const [s] = rows;
  const without = ({ id: _id, ...rest }: { id: string }) => rest;
  return {
    found: {
      badge: view.badge,
      cautionGrant: view.caution ? view.cautionGrant : null,
      lock: { revision: s.revision, holder: s.holder_id, grant: s.grant, nextGrant: s.next_grant, pushes: view.pushes },
      kinds: s.kinds,
      collaboration: s.collaboration,
      petitions: s.petitions,
      leases: s.leases.map(without),
      blocks: s.blocks.map(without),
      entries: s.entries,
      landings: s.landings,
      refusedLandings: s.refused,
    },
    ids: s,
  };
}

/** A lease that the model knows keeps its id (L-4); new ones are told to it. */
function learn(m: Model, ids: Ids): void {
  for (const lease of m.leases) {
    const { id } = ids.leases.find((l) => l.from === lease.from)!;
    if (lease.id !== null) expect(id, `the id of the lease from ${lease.from}`).toBe(lease.id);
    lease.id = id;
  }
  for (const block of m.blocks) block.id = ids.blocks.find((b) => b.title === block.title)!.id;
}

type Told = { action: Action; outcome: Outcome };
/** One thing that someone did: its actions in order. A principal's change is swept after, or before another's petition is committed. */
type Thread = { action: Action; outcome?: Outcome; optional?: boolean }[];

function threadOf({ action, outcome }: Told, before: Model): Thread {
  if (action.do !== 'change') return [{ action, outcome }];
  const target = before.cast.find((c) => c.id === action.who)!;
  const after: Cast = { ...target, role: action.role ?? target.role, active: action.active ?? target.active };
  return !after.active || after.role === 'reader'
    ? [
        { action, outcome },
        { action: { do: 'sweep' }, optional: true },
      ]
    : [{ action, outcome }];
}

/**
 * Searches a serial order of the threads, `last` after them all, by which the model comes to
 * the same answers and to what is found (linearizability). Undefined when there is none.
 */
function serialise(model: Model, threads: Thread[], last: Action[], found: string): Model | undefined {
  if (threads.every((t) => t.length === 0)) {
    const end = structuredClone(model);
    for (const action of last) act(end, action);
    return JSON.stringify(projection(end)) === found ? end : undefined;
  }
  for (const [i, [first, ...rest]] of threads.entries()) {
    if (!first) continue;
    const next = structuredClone(model);
    const foretold = act(next, first.action);
    if (first.outcome && !agrees(foretold, first.outcome)) continue;
    const others = threads.map((t, k) => (k === i ? rest : t));
    const result = serialise(next, others, last, found) ?? (first.optional ? serialise(model, others, last, found) : undefined);
    if (result) return result;
  }
  return undefined;
}

const describeStep = (told: Told[]): string =>
  told
    .map(({ action, outcome }) => `${JSON.stringify(action)} → ${JSON.stringify(outcome, (k, v) => (k === 'current' ? undefined : v))}`)
    .join('\n');

/** Lives a history through; gives how often each outcome came up. Throws where the database and the rules part. */
export async function live(world: World, manner: keyof typeof MANNERS, steps: Step[]): Promise<Map<string, number>> {
  const { term, window } = MANNERS[manner];
  const people = await Promise.all([0, 1, 2, 3].map(() => world.person()));
  const slug = await world.container({ prefix: PREFIX, termSeconds: term, windowSeconds: window });
  const { rows } = await world.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
  const cast = [...people, world.operator].map(({ id, role, active }) => ({ id, role, active }));
  const scene: Scene = { world, slug, containerId: rows[0].id, model: newModel(cast, term, window), offers: [], titles: 0 };
  const outcomes = new Map<string, number>();
  const note = ({ action, outcome }: Told) => {
    const name = `${action.do}: ${'refused' in outcome ? outcome.refused : 'done'}`;
    outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
  };

  for (const step of steps) {
    if ('pass' in step) {
      await passTime(world.db, slug, step.pass);
      scene.model.now += step.pass;
      await compare(scene, [], [], `${step.pass} s passed`);
      continue;
    }
    const batches = step.at === 'once' ? [step.wishes] : step.wishes.map((w) => [w]);
    for (const batch of batches) {
      const actions = withoutSelfLeases(batch.map((w) => resolve(scene, w)).filter((a) => a !== undefined));
      if (actions.length === 0) continue;
      const results = await Promise.all(actions.map((a) => perform(scene, a)));
      const told = actions.map((action, i) => ({ action, outcome: results[i]! }));
      told.forEach(note);
      const threads = told.map((t) => threadOf(t, scene.model));
      const last: Action[] = actions.some((a) => a.do === 'change') ? [{ do: 'sweep' }] : [];
      for (const action of last) await perform(scene, action);
      await compare(scene, threads, last, describeStep(told));
    }
  }
  for (const { state } of scene.model.petitions)
    outcomes.set(`petition: became ${state}`, (outcomes.get(`petition: became ${state}`) ?? 0) + 1);
  expect(await verifyRegister(world.db, slug, world.operator)).toEqual({ ok: true, checked: scene.model.landings });
  return outcomes;
}

/**
 * A lead's role and its assignee's are read in two statements: where a lead leases to itself
 * while it is demoted, either refusal is right, so such a pair is not put into one batch.
 */
function withoutSelfLeases(actions: Action[]): Action[] {
  const changed = new Set(actions.flatMap((a) => (a.do === 'change' ? [a.who] : [])));
  return actions.filter((a) => !((a.do === 'lease' || a.do === 'assign') && a.who === a.to && changed.has(a.who)));
}

async function compare(scene: Scene, threads: Thread[], last: Action[], what: string): Promise<void> {
  const { found, ids } = await look(scene);
  const before = scene.model;
  const after = serialise(before, threads, last, JSON.stringify(found));
  if (!after) {
    const guess = structuredClone(before);
    const foretold = [...threads.flat().map((t) => t.action), ...last].map((action) => act(guess, action));
    const inTurn = `One after the other they would come to ${JSON.stringify(foretold)}`;
    expect(found, `No order of these explains what is there:\n${what}\n${inTurn}, and to what is expected below.`).toEqual(
      projection(guess),
    );
    throw new Error(`No order of these gives these answers:\n${what}\n${inTurn}.`);
  }
  learn(after, ids);
  scene.model = after;
  expect(await breaches(scene.world.db, scene.containerId), what).toEqual([]);
}
