/**
 * What this page hears of the server: one stream of events for all that the page shows, and
 * asking now and then where the stream is silent. It knows whether what the page shows is
 * current, and says so (`status`); after a sleep it holds writes back until it has asked.
 */
import type { LockFace, Topic, Versions } from '../../lib/live/snapshot';
import type { Inbox } from '../../lib/notices/inbox';
import { forgetOffset, serverNow, takeOffset } from '../clock';
import { inStorage, store } from '../storage';

/**
 * - `starting`: nothing was heard yet; the page is as fresh as it was sent
 * - `live`: events come
 * - `polling`: no events come, but the server answers
 * - `stale`: the server was not reached for some seconds; what the page shows may be wrong
 * - `signed-out`: the server answers, but to somebody else than the page was made for
 * - `gone`: the server answers, but what the page shows is not at its address any more, or not to be read
 */
export type Status = 'starting' | 'live' | 'polling' | 'stale' | 'signed-out' | 'gone';

export type Heard = { version: string; now: string };
type Notices = Pick<Inbox, 'unread' | 'newest'>;

export type Live = {
  status: Status;
  /** Milliseconds since 1970, by the server's clock: when it was last heard. */
  heardAt: number | undefined;
  /** Writes wait: the machine has slept, and the server was not asked yet. */
  frozen: boolean;
  faces: ReadonlyMap<string, LockFace>;
  versions: ReadonlyMap<string, Partial<Record<Topic, Heard>>>;
  board: string | undefined;
  notices: Notices | undefined;
};

/** Silence after which the page asks by itself, in milliseconds; the server speaks every five seconds. */
const SILENCE_MS = 12_000;
const POLL_MS = 5_000;
const REOPEN_MS = 4_000;
/** A gap between two ticks of a second that says that the machine slept. */
const SLEPT_MS = 8_000;
/** A hidden page hangs up after so long, unless it has somebody to tell. */
const HIDDEN_MS = 60_000;
/** A browser holds six connections to a site, for all its tabs; so many may be streams. */
const MOST_STREAMS = 4;
const STREAM_KEY = 'holdfast.stream.';
/** A tab that has not said for so long that it streams does so no more. */
const FORGOTTEN_MS = 20_000;

const TOPICS = ['lock', 'collaboration', 'landing', 'pass', 'grid', 'draft', 'container'] as const satisfies readonly Topic[];

const initial: Live = { status: 'starting', heardAt: undefined, frozen: false, faces: new Map(), versions: new Map(), board: undefined, notices: undefined };

let live: Live = initial;
const listeners = new Set<() => void>();

/** What is known now. */
export const current = (): Live => live;
export const onServer = (): Live => initial;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function set(changes: Partial<Live>): void {
  live = { ...live, ...changes };
  for (const listener of listeners) listener();
}

// --- what the page watches ---------------------------------------------------------------------

type Watch = { slugs: readonly string[]; board: boolean };
const watches = new Set<Watch>();
let viewer: string | undefined;
let wanted = '';

const query = (): string => {
  const slugs = [...new Set([...watches].flatMap((watch) => watch.slugs))].sort();
  return new URLSearchParams([...slugs.map((slug) => ['container', slug]), ...([...watches].some((watch) => watch.board) ? [['board', 'yes']] : [])]).toString();
};

/** Watches containers, and the board, until the answer is called. */
export function watch(slugs: readonly string[], board = false): () => void {
  const mine = { slugs, board };
  watches.add(mine);
  queueMicrotask(reconsider);
  return () => {
    watches.delete(mine);
    queueMicrotask(reconsider);
  };
}

/** Whose page this is: another's answers do not count for it, and what one was told is not for another who comes after it. */
export function setViewer(id: string | undefined): void {
  const another = begun && id !== viewer;
  viewer = id;
  begin();
  if (!another) return;
  asking = undefined;
  set(initial);
  open();
}

function reconsider(): void {
  if (query() !== wanted) open();
}

// --- hearing -----------------------------------------------------------------------------------

type Hello = { viewer: string | null; containers: string[] };
type TopicData = { slug: string; version: string; spread: number; now: string } & Partial<LockFace>;

const isNewer = (now: string, than: string | undefined): boolean => than === undefined || now > than;

function hearTopic(topic: Topic, { slug, version, spread, ...data }: TopicData): void {
  takeOffset(data.now);
  const known = live.versions.get(slug)?.[topic];
  if (!isNewer(data.now, known?.now)) return;
  const versions = new Map(live.versions).set(slug, { ...live.versions.get(slug), [topic]: { version, now: data.now } });
  const faces = topic === 'lock' && isNewer(data.now, live.faces.get(slug)?.now) ? new Map(live.faces).set(slug, data as LockFace) : live.faces;
  spreading = spread;
  set({ versions, faces });
}

/** How long this page waits at most before it reads again, in milliseconds: as long as there are others. */
let spreading = 0;
export const spread = (): number => spreading;

function hearHello({ viewer: who, containers }: Hello): void {
  const asked = new Set([...watches].flatMap((w) => w.slugs));
  const lost = (who ?? undefined) !== viewer ? 'signed-out' : [...asked].some((slug) => !containers.includes(slug)) ? 'gone' : undefined;
  if (lost) set({ status: lost });
  else if (isLost(live.status)) set({ status: 'starting' });
}

const isLost = (status: Status): boolean => status === 'signed-out' || status === 'gone';

function heard(status: 'live' | 'polling', now?: string): void {
  lastHeard = Date.now();
  if (now) takeOffset(now);
  const shown = isLost(live.status) ? live.status : status;
  set({ heardAt: serverNow(), ...(shown === live.status ? {} : { status: shown }) });
  if (live.frozen) void ask();
}

// --- the stream --------------------------------------------------------------------------------

let source: EventSource | undefined;
let lastHeard = 0;
let openedAt = 0;

/** This tab among those that hold a stream. Each says so now and then; one that was ended is soon forgotten. */
const TAB = `${STREAM_KEY}${Math.random()}`;

function sayStreaming(): void {
  store(TAB, source ? String(Date.now()) : undefined);
}

/**
 * Whether this tab may hold a stream: other tabs hold too few to starve the browser's requests.
 * Tabs that began in one moment did not see each other; of those that stream, some go on. Where storage is refused, tabs cannot be counted.
 */
function mayStream(): boolean {
  return inStorage((storage) => {
    const others = Object.keys(storage).filter((key) => key.startsWith(STREAM_KEY) && key !== TAB);
    for (const key of others) if (Math.abs(Date.now() - Number(storage.getItem(key))) > FORGOTTEN_MS) storage.removeItem(key);
    return others.filter((key) => storage.getItem(key) !== null && (!source || key < TAB)).length < MOST_STREAMS;
  }, true);
}

function hangUp(): void {
  source?.close();
  source = undefined;
  sayStreaming();
}

function open(): void {
  wanted = query();
  openedAt = Date.now();
  hangUp();
  if (watches.size === 0) return;
  if (!mayStream()) return void ask();
  const opened = (source = new EventSource(`/api/v1/events?${wanted}`));
  sayStreaming();
  const on = (name: string, hear: (data: never) => void) =>
    opened.addEventListener(name, (message) => {
      if (opened === source) hear(JSON.parse((message as MessageEvent<string>).data) as never);
    });
  // A stream that breaks may mean that the server has gone: that is asked at once, and told.
  opened.addEventListener('error', () => {
    if (opened !== source) return;
    void ask().then((answered) => {
      if (!answered && opened === source && opened.readyState !== EventSource.OPEN) set({ status: 'stale' });
    });
  });
  on('hello', (data: Hello) => {
    heard('live');
    hearHello(data);
  });
  on('now', ({ now }: { now: string }) => {
    heard('live', now);
    sayStreaming();
  });
  for (const topic of TOPICS) on(topic, (data: TopicData) => hearTopic(topic, data));
  on('board', ({ version, spread: many }: { version: string; spread: number }) => {
    spreading = many;
    set({ board: version });
  });
  on('notice', (notices: Notices) => set({ notices }));
}

// --- asking ------------------------------------------------------------------------------------

type Answer = { now: string; viewer: string | null; containers: { slug: string; face: LockFace; versions: Versions }[]; board?: string; notices?: Notices };

type Asking = { about: string; answered: Promise<boolean> };
let asking: Asking | undefined;
let askedAt = 0;

/** Asks for the present state once. Gives whether the server answered. An answer to an earlier question says nothing of a later. */
export function ask(): Promise<boolean> {
  askedAt = Date.now();
  const about = query();
  if (asking?.about === about) return asking.answered;
  const mine: Asking = { about, answered: Promise.resolve(false) };
  asking = mine;
  const isMine = () => asking === mine && query() === about;
  mine.answered = (async () => {
    try {
      const response = await fetch(`/api/v1/state?${about}`, { cache: 'no-store', signal: AbortSignal.timeout(POLL_MS) });
      if (!response.ok) return false;
      const answer = (await response.json()) as Answer;
      if (!isMine()) return true;
      heard(source?.readyState === EventSource.OPEN ? 'live' : 'polling', answer.now);
      hearHello({ viewer: answer.viewer, containers: answer.containers.map((c) => c.slug) });
      for (const { slug, face, versions } of answer.containers)
        for (const topic of Object.keys(versions) as Topic[]) hearTopic(topic, { ...(topic === 'lock' ? face : {}), now: face.now, slug, version: versions[topic], spread: 0 });
      set({ frozen: false, ...(answer.board === undefined ? {} : { board: answer.board }), ...(answer.notices ? { notices: answer.notices } : {}) });
      return true;
    } catch {
      return false;
    } finally {
      if (asking === mine) asking = undefined;
    }
  })();
  return mine.answered;
}

/** The server speaks every five seconds; a stream that is open and was heard since is one that reaches it. */
const REACHES_MS = 6_000;

/** Whether the server can be reached now, as well as one can know; asks where nothing was heard of late. */
export async function reachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  return (source?.readyState === EventSource.OPEN && Date.now() - lastHeard < REACHES_MS) || ask();
}

// --- time, sleep and visibility ------------------------------------------------------------------

let begun = false;
let lastTick = 0;
let hiddenSince: number | undefined;
let staysOn = false;

/** A hidden page with this keeps its stream: it has somebody to tell (browser notifications). */
export function stayOn(stay: boolean): void {
  staysOn = stay;
}

function tick(): void {
  const now = Date.now();
  // Its clock may have been set, too: back, no silence would be one for as long.
  const slept = lastTick > 0 && Math.abs(now - lastTick) > SLEPT_MS && !document.hidden;
  lastTick = now;
  if (slept) return wake();
  if (source && !mayStream()) hangUp();
  if (document.hidden) {
    if (source && !staysOn && hiddenSince !== undefined && now - hiddenSince > HIDDEN_MS) hangUp();
    return;
  }
  if (now - lastHeard > SILENCE_MS && now - askedAt > POLL_MS) {
    void ask().then((answered) => {
      if (!answered && Date.now() - lastHeard > SILENCE_MS) set({ status: 'stale' });
    });
  }
  const broken = source === undefined || source.readyState === EventSource.CLOSED || now - lastHeard > SILENCE_MS;
  if (broken && navigator.onLine && watches.size > 0 && now - openedAt > REOPEN_MS) open();
}

/** The machine has slept, or the page was away: nothing that it shows is known to be so until the server was asked. */
function wake(): void {
  lastTick = Date.now();
  lastHeard = 0;
  asking = undefined;
  forgetOffset();
  set({ frozen: true });
  open();
  void ask().then((answered) => {
    if (!answered) set({ status: 'stale' });
  });
}

function begin(): void {
  if (begun) return;
  begun = true;
  lastHeard = lastTick = Date.now();
  setInterval(tick, 1_000);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      hiddenSince = Date.now();
      return;
    }
    const away = hiddenSince === undefined ? 0 : Date.now() - hiddenSince;
    hiddenSince = undefined;
    if (Math.abs(away) > SLEPT_MS) wake();
  });
  // A page that comes back from the browser's cache shows an old state.
  window.addEventListener('pageshow', (event) => event.persisted && wake());
  document.addEventListener('resume', wake);
  window.addEventListener('offline', () => {
    hangUp();
    lastHeard = 0;
    set({ status: 'stale' });
  });
  window.addEventListener('online', () => {
    open();
    void ask();
  });
  window.addEventListener('pagehide', hangUp);
}
