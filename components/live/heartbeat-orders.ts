/** What the page has the heartbeat worker do. Times are in milliseconds, by this browser's clock unless said otherwise. */
export type Orders = {
  on: boolean;
  slug: string;
  grant: number;
  /** The lock page's revision that the beat goes out from (LP-2). */
  base: number;
  /** When the grant ends, by the server's clock. */
  expiresAt: string;
  /** To add to this browser's clock to get the server's. */
  offset: number;
  termMs: number;
  /** No beat extends it further (LP-5). */
  atCap: boolean;
  /** It stops when nobody has touched a page for so long. */
  idleMs: number;
  touchedAt: number;
};

export type FromWorker =
  | { kind: 'beat'; at: string; expiresAt: string; atCap: boolean }
  | { kind: 'missed' }
  | { kind: 'refused'; code: string; detail: string }
  | { kind: 'idle-soon'; leftMs: number }
  | { kind: 'idle' };
