/**
 * Who watches, and what they are told. One hub an instance; pages and agents hang on it by
 * server-sent events.
 *
 * A watcher gets the whole state of what it watches when it comes, then an event for each
 * topic whose version changed. Hints (`lib/db/hints.ts`) make the hub look at once; every
 * few seconds it looks by itself, so that a hint that was lost costs seconds and no truth.
 * After each look that the database answered, all watchers are told the time: who hears
 * nothing for longer knows that its page is stale.
 */
import type { Hint } from '../db/hints';
import type { Db } from '../db/pool';
import { log } from '../log';
import { readInbox, type Inbox } from '../notices/inbox';
import type { Instant } from '../time';
import { readActive } from './active';
import { listen } from './listener';
import { readBoardVersion, readNow, readSnapshots, TOPICS, type Snapshot, type Topic } from './snapshot';

/** How often the hub looks by itself, in milliseconds: what a lost hint costs at most. */
export const POLL_MS = 5_000;
/** A watcher's right to watch is asked after once in so many looks. */
const CHECK_EVERY = 6;
/** Milliseconds over which the pages of many watchers spread their reading after one event. */
const SPREAD_A_WATCHER_MS = 2;
const MOST_SPREAD_MS = 700;

export type Watching = {
  /** Ids of containers that the watcher may read. */
  containers: ReadonlySet<string>;
  /** Whether it watches which containers there are, and what state each is in. */
  board: boolean;
  /** Whose notices it is told of, too; and who must be active. */
  principalId: string | undefined;
  /** Sends text down the stream. */
  send(text: string): void;
  /** Ends the stream: the watcher may come again. */
  end(): void;
  /** Whether the watcher would be let in now, too. */
  stillMay(): Promise<boolean>;
};

export type Hub = {
  /** Lets a watcher in; gives what lets it go. It is told all at once of what it watches. */
  watch(watching: Watching): () => void;
  /** How many watch now. */
  readonly watchers: number;
  /** Ends all streams, and takes no more. */
  close(): Promise<void>;
};

const HUB = Symbol.for('holdfast.hub');
type Shared = typeof globalThis & { [HUB]?: Hub };

/** The process's hub, or undefined where none was started. */
export const hub = (): Hub | undefined => (globalThis as Shared)[HUB];

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** How long pages spread their reading after an event, in milliseconds: many at once would wait for each other. */
const spreadOf = (watchers: number): number => Math.min(MOST_SPREAD_MS, watchers * SPREAD_A_WATCHER_MS);

const about = (snapshot: Snapshot, topic: Topic, spread: number): string =>
  event(topic, { slug: snapshot.slug, version: snapshot.versions[topic], spread, ...(topic === 'lock' ? snapshot.face : { now: snapshot.face.now }) });

/**
 * Starts the process's hub on a database.
 * @param pollMs how often it looks by itself, in milliseconds
 */
export function startHub(db: Db, databaseUrl: string, pollMs = POLL_MS): Hub {
  const made = new LiveHub(db, pollMs);
  const listener = listen(databaseUrl, (heard) => made.hear(heard), () => made.resync());
  made.closers.push(() => listener.close());
  (globalThis as Shared)[HUB] = made;
  return made;
}

class LiveHub implements Hub {
  readonly closers: (() => Promise<void>)[] = [];
  private readonly all = new Set<Watching>();
  private readonly fresh = new Set<Watching>();
  private readonly dirty = new Set<string>();
  private readonly dirtyPrincipals = new Set<string>();
  private dirtyBoard = false;
  private readonly told = new Map<string, Snapshot>();
  private readonly toldInbox = new Map<string, Inbox>();
  private toldBoard: string | undefined;
  private running: Promise<boolean> | undefined;
  private looks = 0;
  private closed = false;
  private readonly poll: NodeJS.Timeout;

  constructor(
    private readonly db: Db,
    pollMs: number,
  ) {
    this.poll = setInterval(() => void this.look(), pollMs);
  }

  get watchers(): number {
    return this.all.size;
  }

  watch(watching: Watching): () => void {
    if (this.closed) {
      watching.end();
      return () => undefined;
    }
    this.all.add(watching);
    this.fresh.add(watching);
    void this.work();
    return () => {
      this.all.delete(watching);
      this.fresh.delete(watching);
    };
  }

  hear({ containers, principals }: Hint): void {
    if (this.all.size === 0) return;
    for (const id of containers) this.dirty.add(id);
    for (const id of principals) this.dirtyPrincipals.add(id);
    this.dirtyBoard ||= containers.length > 0;
    void this.work();
  }

  /** Anything may have changed. */
  resync(): void {
    void this.look();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.poll);
    for (const watching of this.all) this.dismiss(watching);
    await Promise.all(this.closers.map((close) => close()));
    await this.running;
    if (hub() === this) delete (globalThis as Shared)[HUB];
  }

  /** Looks at all that is watched, and tells the time. */
  private async look(): Promise<void> {
    const { containers, principals } = this.watched();
    for (const id of this.told.keys()) if (!containers.has(id)) this.told.delete(id);
    for (const id of this.toldInbox.keys()) if (!principals.has(id)) this.toldInbox.delete(id);
    if (this.all.size === 0) return;
    for (const id of containers) this.dirty.add(id);
    for (const id of principals) this.dirtyPrincipals.add(id);
    this.dirtyBoard = true;
    try {
      if (!(await this.work())) return;
      const now: Instant = await readNow(this.db);
      const tick = event('now', { now });
      for (const watching of this.all) watching.send(tick);
      await this.check(++this.looks % CHECK_EVERY === 0);
    } catch (error) {
      this.unheard(error as Error);
    }
  }

  /** Watchers hear no time, and say so to their people. */
  private unheard(error: Error): void {
    log.warn({ event: 'watchers-not-told', message: error.message });
  }

  private watched(): { containers: Set<string>; principals: Set<string> } {
    const watchers = [...this.all];
    return { containers: new Set(watchers.flatMap((w) => [...w.containers])), principals: new Set(watchers.flatMap((w) => w.principalId ?? [])) };
  }

  /** Ends the streams of those who may watch no more (P-1, P-2). */
  private async check(thoroughly: boolean): Promise<void> {
    const active = await readActive(this.db, [...this.watched().principals]);
    for (const watching of this.all) {
      if (watching.principalId !== undefined && !active.has(watching.principalId)) this.dismiss(watching);
      else if (thoroughly) void watching.stillMay().then((may) => may || this.dismiss(watching), () => undefined);
    }
  }

  private dismiss(watching: Watching): void {
    this.all.delete(watching);
    this.fresh.delete(watching);
    watching.end();
  }

  /** Works off what is dirty, one run at a time; what comes meanwhile is taken by its next round. Gives whether the database answered. */
  private work(): Promise<boolean> {
    return (this.running ??= this.rounds()
      .then(
        () => true,
        (error: Error) => {
          this.unheard(error);
          return false;
        },
      )
      .finally(() => {
        this.running = undefined;
      }));
  }

  private async rounds(): Promise<void> {
    // What comes in the same turn of the event loop is read together.
    await Promise.resolve();
    while (this.dirtyBoard || this.fresh.size + this.dirty.size + this.dirtyPrincipals.size > 0) await this.round();
  }

  private async round(): Promise<void> {
    const { containers, principals } = this.watched();
    const coming = new Set(this.fresh);
    const ids = new Set([...[...this.dirty].filter((id) => containers.has(id)), ...[...coming].flatMap((w) => [...w.containers])]);
    const owners = new Set([...[...this.dirtyPrincipals].filter((id) => principals.has(id)), ...[...coming].flatMap((w) => w.principalId ?? [])]);
    const board = [...(this.dirtyBoard ? this.all : coming)].some((w) => w.board);
    this.dirtyBoard = false;
    this.dirty.clear();
    this.dirtyPrincipals.clear();
    this.fresh.clear();
    try {
      const [snapshots, inboxes, version] = await Promise.all([
        readSnapshots(this.db, [...ids]),
        readInbox(this.db, [...owners]),
        board ? readBoardVersion(this.db) : undefined,
      ]);
      for (const snapshot of snapshots) this.publish(snapshot, coming);
      for (const inbox of inboxes) this.publishInbox(inbox, coming);
      if (version !== undefined) this.publishBoard(version, coming);
    } catch (error) {
      // Nothing that came is lost: the next look tells it.
      for (const w of coming) if (this.all.has(w)) this.fresh.add(w);
      for (const id of ids) this.told.delete(id);
      throw error;
    }
  }

  private publish(snapshot: Snapshot, coming: ReadonlySet<Watching>): void {
    const before = this.told.get(snapshot.id);
    this.told.set(snapshot.id, snapshot);
    if (!snapshot.public) for (const w of this.all) if (w.principalId === undefined && w.containers.has(snapshot.id)) this.dismiss(w);
    const watchers = [...this.all].filter((w) => w.containers.has(snapshot.id));
    const spread = spreadOf(watchers.length);
    const news = TOPICS.filter((topic) => before?.versions[topic] !== snapshot.versions[topic]);
    const text = (topics: readonly Topic[]) => topics.map((topic) => about(snapshot, topic, spread)).join('');
    this.tell(watchers, coming, text(TOPICS), text(news));
  }

  private publishInbox(inbox: Inbox, coming: ReadonlySet<Watching>): void {
    const before = this.toldInbox.get(inbox.principalId);
    this.toldInbox.set(inbox.principalId, inbox);
    const same = before?.unread === inbox.unread && before.newest[0]?.id === inbox.newest[0]?.id;
    const text = event('notice', { unread: inbox.unread, newest: inbox.newest });
    this.tell([...this.all].filter((w) => w.principalId === inbox.principalId), coming, text, same ? '' : text);
  }

  private publishBoard(version: string, coming: ReadonlySet<Watching>): void {
    const same = this.toldBoard === version;
    this.toldBoard = version;
    const watchers = [...this.all].filter((w) => w.board);
    const text = event('board', { version, spread: spreadOf(watchers.length) });
    this.tell(watchers, coming, text, same ? '' : text);
  }

  /** Tells those that come the whole, and the others the news. */
  private tell(watchers: readonly Watching[], coming: ReadonlySet<Watching>, whole: string, news: string): void {
    for (const watching of watchers) {
      const text = coming.has(watching) ? whole : news;
      if (text) watching.send(text);
    }
  }
}
