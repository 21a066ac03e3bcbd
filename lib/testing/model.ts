/**
 * The rules of sections 3 to 6 once more, as a plain value in memory: what the random
 * histories compare the database with. Time is in seconds; each action is a moment of its own,
 * so that of two actions the later one is later.
 */
export type Cast = { id: string; role: 'reader' | 'coworker' | 'operator'; active: boolean };
export type ModelPetition = {
  who: string;
  revision: number;
  state: 'waiting' | 'granted' | 'withdrawn' | 'lapsed';
  at: number;
  endedAt: number | null;
  missed: number;
};
/** `id` is the database's, learnt once both were found to agree. */
export type ModelLease = { id: string | null; grant: number; to: string; from: number; through: number };
export type ModelBlock = {
  id: string | null;
  title: string;
  grant: number;
  assignee: string;
  state: 'open' | 'done' | 'returned' | 'closed';
};
type Kind = 'create' | 'acquire' | 'heartbeat' | 'release' | 'clear' | 'notes';

export type Model = {
  now: number;
  term: number;
  window: number;
  cast: Cast[];
  /** Kinds of the lock page's revisions; the last one's number is the length. */
  kinds: Kind[];
  holder: string | null;
  grant: number;
  grantedAt: number;
  expiresAt: number;
  availableSince: number;
  endedBy: 'release' | 'clear' | 'silence' | null;
  cautionGrant: number | null;
  pushes: number;
  collaboration: number;
  /** Revisions of the collaboration page that edited its notes. */
  notesEdits: number[];
  petitions: ModelPetition[];
  leases: ModelLease[];
  blocks: ModelBlock[];
  /** Landed numbers and their revisions and authors. */
  entries: Map<number, { revision: number; author: string }>;
  landings: number;
  keys: Map<string, { body: string; sequence: number }>;
  refusedLandings: number;
};

export type OfferedEntry = { identifier: string; number: number | null; leaseId?: string; body: string };

/** What a principal asks for, with everything resolved that it read before. */
export type Action =
  | { do: 'petition'; who: string }
  | { do: 'withdraw'; who: string; petition: number }
  | { do: 'acquire'; who: string; base: number }
  | { do: 'heartbeat' | 'release' | 'clear'; who: string; grant: number; base: number }
  | { do: 'notes'; who: string; base: number }
  | { do: 'land'; who: string; key: string; grant: number; entries: OfferedEntry[]; keep: string[] }
  | { do: 'lease'; who: string; grant: number; to: string; count?: number; from: number; through: number }
  | { do: 'assign'; who: string; grant: number; to: string; title: string; leaseId?: string }
  | { do: 'mark'; who: string; block: string; state: 'done' | 'returned' }
  | { do: 'collaborationNotes'; who: string; base: number }
  | { do: 'change'; who: string; role?: Cast['role']; active?: boolean }
  | { do: 'sweep' };

export type Outcome = { refused: string; [member: string]: unknown } | { ok: true; [member: string]: unknown };

export function newModel(cast: Cast[], term: number, window: number): Model {
  return {
    now: 0,
    term,
    window,
    cast,
    kinds: ['create'],
    holder: null,
    grant: 0,
    grantedAt: 0,
    expiresAt: 0,
    availableSince: 0,
    endedBy: null,
    cautionGrant: null,
    pushes: 0,
    collaboration: 1,
    notesEdits: [],
    petitions: [],
    leases: [],
    blocks: [],
    entries: new Map(),
    landings: 0,
    keys: new Map(),
    refusedLandings: 0,
  };
}

const CAP = 86_400;
const MOMENT = 1e-6;

class Refusal extends Error {
  constructor(readonly outcome: Outcome) {
    super('refused');
  }
}
const refuse = (refused: string, members: Record<string, unknown> = {}): never => {
  throw new Refusal({ refused, ...members });
};

export const isHeld = (m: Model): boolean => m.holder !== null && m.now < m.expiresAt;
const member = (m: Model, id: string): Cast => m.cast.find((c) => c.id === id)!;
const isAble = (c: Cast): boolean => c.active && c.role !== 'reader';
export const waiting = (m: Model): ModelPetition[] => m.petitions.filter((p) => p.state === 'waiting');

export function badge(m: Model): string {
  if (m.holder !== null) return isHeld(m) ? 'HELD' : 'HOLDER SILENT';
  return waiting(m).length > 0 ? 'HANDOVER' : 'OPEN';
}
export const caution = (m: Model): number | null => m.cautionGrant ?? (m.holder !== null && !isHeld(m) ? m.grant : null);

function admit(m: Model, id: string, operator = false): void {
  const caller = member(m, id);
  if (!caller.active) refuse('unauthenticated');
  if (caller.role === 'reader' || (operator && caller.role !== 'operator')) refuse('forbidden');
}

function fence(m: Model, who: string, grant: number): void {
  if (grant > m.grant) refuse('grant-unknown');
  if (grant < m.grant) refuse('grant-superseded');
  if (m.holder === null) refuse(m.endedBy === 'clear' ? 'grant-cleared' : 'grant-released');
  if (m.holder !== who) refuse('not-holder');
  if (!isHeld(m)) refuse('grant-expired');
}

function assertBase(m: Model, base: number, spoilers: Kind[]): void {
  if (base < 1 || base > m.kinds.length || m.kinds.slice(base).some((k) => spoilers.includes(k))) refuse('edit-conflict');
}
const ALL_BUT_NOTES: Kind[] = ['acquire', 'heartbeat', 'release', 'clear'];
const CHANGES_OF_HOLDER: Kind[] = ['acquire', 'release', 'clear'];

/** */
function turns(m: Model): { slots: { petition: ModelPetition; begin: number; end: number }[]; end: number } {
  const t0 = m.holder === null ? m.availableSince : m.expiresAt;
  const slots = [];
  let end = t0;
  for (const petition of m.petitions) {
    const withdrawn = petition.state === 'withdrawn' ? petition.endedAt! : null;
    if (petition.state !== 'waiting' && (withdrawn === null || withdrawn <= t0)) continue;
    const begin = Math.max(end, petition.at);
    if (withdrawn === null) {
      end = begin + m.window;
      slots.push({ petition, begin, end });
    } else if (withdrawn > begin) {
      end = Math.min(begin + m.window, withdrawn);
    }
  }
  return { slots, end };
}

function endWork(m: Model): void {
  const open = m.blocks.filter((b) => b.state === 'open');
  if (m.leases.length > 0 || open.length > 0) m.collaboration++;
  m.leases = [];
  for (const block of open) block.state = 'closed';
}

function acquire(m: Model, who: string): Outcome {
  if (isHeld(m)) refuse('lock-held', { holder: m.holder, grant: m.grant });
  const { slots, end } = turns(m);
  const own = slots.find((s) => s.petition.who === who);
  if ((own?.begin ?? end) > m.now) {
    const running = slots.find((s) => s.begin <= m.now && m.now < s.end) ?? slots[0];
    refuse('not-your-turn', { turnOf: running?.petition.who ?? null });
  }
  m.cautionGrant = caution(m);
  if (m.holder !== null) endWork(m);
  Object.assign(m, { holder: who, grant: m.grant + 1, grantedAt: m.now, expiresAt: m.now + m.term, endedBy: null, pushes: 0 });
  m.kinds.push('acquire');
  for (const { petition, end: over } of slots) {
    if (petition === own?.petition) Object.assign(petition, { state: 'granted', endedAt: m.now });
    else if (over <= m.now && ++petition.missed === 2) Object.assign(petition, { state: 'lapsed', endedAt: m.now });
    if (petition.state !== 'waiting') m.collaboration++;
  }
  return { ok: true, grant: m.grant };
}

function endGrant(m: Model, by: 'release' | 'clear'): void {
  m.cautionGrant = by === 'release' ? null : caution(m);
  m.availableSince = by === 'release' ? m.now : m.expiresAt;
  m.holder = null;
  m.endedBy = by;
  m.kinds.push(by);
  endWork(m);
}

const taken = (m: Model, n: number): boolean => m.entries.has(n) || m.leases.some((l) => l.from <= n && n <= l.through);

function lease(m: Model, a: Extract<Action, { do: 'lease' }>): Outcome {
  if (!isAble(member(m, a.to))) refuse('invalid-input');
  let { from, through } = a;
  if (a.count !== undefined) {
    for (from = 1; ; from++) {
      through = from + a.count - 1;
      let free = true;
      for (let n = from; n <= through; n++) if (taken(m, n)) free = false;
      if (free) break;
    }
  } else {
    for (let n = from; n <= through; n++) {
      if (!taken(m, n)) continue;
      let last = n;
      while (last < through && taken(m, last + 1)) last++;
      refuse('range-taken', { from: n, through: last });
    }
  }
  m.leases.push({ id: null, grant: m.grant, to: a.to, from, through });
  m.collaboration++;
  return { ok: true, from, through };
}

/** Every refusal of a landing is audited. */
function land(m: Model, a: Extract<Action, { do: 'land' }>): Outcome {
  try {
    return accept(m, a);
  } catch (error) {
    m.refusedLandings++;
    throw error;
  }
}

function accept(m: Model, a: Extract<Action, { do: 'land' }>): Outcome {
  const key = `${a.who}:${a.key}`;
  const body = JSON.stringify([a.grant, a.entries, a.keep]);
  const stored = m.keys.get(key);
  if (stored) return stored.body === body ? { ok: true, sequence: stored.sequence } : refuse('idempotency-mismatch');
  fence(m, a.who, a.grant);
  if (a.keep.some((id) => !m.leases.some((l) => l.id === id))) refuse('invalid-input');
  const faults = a.entries.filter((e, i) => {
    if (e.number === null || a.entries.findIndex((other) => other.number === e.number) < i) return true;
    if (m.entries.has(e.number)) return e.leaseId !== undefined;
    const around = m.leases.find((l) => l.from <= e.number! && e.number! <= l.through);
    return !around || (e.leaseId !== undefined && e.leaseId !== around.id);
  });
  if (faults.length > 0) refuse('landing-invalid', { faults: faults.length });
  for (const { number } of a.entries) {
    const before = m.entries.get(number!);
    const owner = m.leases.find((l) => l.from <= number! && number! <= l.through)?.to;
    m.entries.set(number!, before ? { revision: before.revision + 1, author: a.who } : { revision: 1, author: owner! });
  }
  if (a.entries.length > 0) {
    const left = m.leases.map((l) => {
      const pieces: ModelLease[] = [];
      if (l.id === null || !a.keep.includes(l.id)) return pieces;
      for (let n = l.from; n <= l.through; n++) {
        const last = pieces.at(-1);
        if (m.entries.has(n)) continue;
        if (last?.through === n - 1) last.through = n;
        else pieces.push({ ...l, id: pieces.length === 0 ? l.id : null, from: n, through: n });
      }
      return pieces;
    });
    if (left.some((pieces) => pieces.length === 0)) m.collaboration++;
    m.leases = left.flat();
  }
  m.keys.set(key, { body, sequence: ++m.landings });
  m.pushes++;
  return { ok: true, sequence: m.landings };
}

function sweep(m: Model): void {
  for (const petition of waiting(m)) {
    if (isAble(member(m, petition.who))) continue;
    Object.assign(petition, { state: 'withdrawn', endedAt: m.now });
    m.collaboration++;
  }
}

function perform(m: Model, a: Action): Outcome {
  if (a.do === 'sweep') {
    sweep(m);
    return { ok: true };
  }
  if (a.do === 'change') {
    const target = member(m, a.who);
    Object.assign(target, a.role === undefined ? {} : { role: a.role }, a.active === undefined ? {} : { active: a.active });
    return { ok: true };
  }
  admit(m, a.who, a.do === 'clear');
  switch (a.do) {
    case 'petition':
      if (m.holder === a.who && isHeld(m)) refuse('already-holder');
      if (waiting(m).some((p) => p.who === a.who)) refuse('already-waiting');
      m.petitions.push({ who: a.who, revision: ++m.collaboration, state: 'waiting', at: m.now, endedAt: null, missed: 0 });
      return { ok: true, revision: m.collaboration };
    case 'withdraw': {
      const petition = m.petitions.find((p) => p.revision === a.petition)!;
      if (petition.who !== a.who && member(m, a.who).role !== 'operator') refuse('forbidden');
      if (petition.state !== 'waiting') refuse('wrong-state', { state: petition.state });
      Object.assign(petition, { state: 'withdrawn', endedAt: m.now });
      m.collaboration++;
      return { ok: true };
    }
    case 'acquire':
      assertBase(m, a.base, ALL_BUT_NOTES);
      return acquire(m, a.who);
    case 'heartbeat': {
      fence(m, a.who, a.grant);
      assertBase(m, a.base, CHANGES_OF_HOLDER);
      const cap = m.grantedAt + CAP;
      m.expiresAt = Math.max(m.expiresAt, Math.min(m.now + m.term, cap));
      m.kinds.push('heartbeat');
      return { ok: true, atCap: m.expiresAt >= cap, waiting: waiting(m).length };
    }
    case 'release':
      fence(m, a.who, a.grant);
      assertBase(m, a.base, CHANGES_OF_HOLDER);
      if (m.pushes === 0) refuse('push-required');
      endGrant(m, 'release');
      return { ok: true };
    case 'clear':
      if (a.grant !== m.grant) refuse('grant-moved', { currentGrant: m.grant });
      assertBase(m, a.base, ALL_BUT_NOTES);
      if (m.holder === null || isHeld(m)) refuse('not-silent');
      endGrant(m, 'clear');
      return { ok: true };
    case 'notes':
      assertBase(m, a.base, [...CHANGES_OF_HOLDER, 'notes']);
      if (isHeld(m) && m.holder !== a.who) refuse('lock-held', { holder: m.holder, grant: m.grant });
      m.kinds.push('notes');
      return { ok: true };
    case 'land':
      return land(m, a);
    case 'lease':
      fence(m, a.who, a.grant);
      return lease(m, a);
    case 'assign':
      fence(m, a.who, a.grant);
      if (!isAble(member(m, a.to))) refuse('invalid-input');
      if (a.leaseId !== undefined && !m.leases.some((l) => l.id === a.leaseId && l.to === a.to)) refuse('invalid-input');
      m.blocks.push({ id: null, title: a.title, grant: m.grant, assignee: a.to, state: 'open' });
      m.collaboration++;
      return { ok: true };
    case 'mark': {
      const block = m.blocks.find((b) => b.id === a.block)!;
      if (block.assignee !== a.who && !(m.holder === a.who && isHeld(m))) refuse('forbidden');
      if (block.state !== 'open') refuse('wrong-state', { state: block.state });
      block.state = a.state;
      m.collaboration++;
      return { ok: true };
    }
    case 'collaborationNotes':
      if (a.base < 1 || a.base > m.collaboration || m.notesEdits.some((n) => n > a.base)) refuse('edit-conflict');
      m.notesEdits.push(++m.collaboration);
      return { ok: true };
  }
}

/** What an action comes to. Changes `m`, unless the action is refused without a trace. */
export function act(m: Model, action: Action): Outcome {
  m.now += MOMENT;
  try {
    return perform(m, action);
  } catch (error) {
    if (error instanceof Refusal) return error.outcome;
    throw error;
  }
}

/** What the database must agree with after each step. Leases without the ids that it gave. */
export function projection(m: Model) {
  return {
    badge: badge(m),
    cautionGrant: caution(m),
    lock: { revision: m.kinds.length, holder: m.holder, grant: m.grant, nextGrant: m.grant + 1, pushes: m.pushes },
    kinds: m.kinds,
    collaboration: m.collaboration,
    petitions: m.petitions.map(({ who, revision, state, missed }) => ({ who, revision, state, missed })),
    leases: m.leases.map(({ grant, to, from, through }) => ({ grant, to, from, through })).sort((a, b) => a.from - b.from),
    blocks: m.blocks
      .map(({ title, grant, assignee, state }) => ({ title, grant, assignee, state }))
      .sort((a, b) => (a.title < b.title ? -1 : 1)),
    entries: [...m.entries].map(([number, e]) => ({ number, ...e })).sort((a, b) => a.number - b.number),
    landings: m.landings,
    refusedLandings: m.refusedLandings,
  };
}
export type Projection = ReturnType<typeof projection>;
