/** E-6: the digest-chained checkpoint log of a container. */
import type pg from 'pg';
import { row, rows, statement, type Db, type Queryable } from '../db/pool';
import { digestOf, NO_DIGEST } from '../digest';
import type { Instant } from '../time';

export type CheckpointKind = 'pass' | 'grid';
export type Entry = { kind: CheckpointKind; content: unknown };

// The chain's row is waited for here, once for all entries of a transaction.
const TAKE = statement(`
  INSERT INTO checkpoint_chain (container_id, count) VALUES ($1, $2)
  ON CONFLICT (container_id) DO UPDATE SET count = checkpoint_chain.count + excluded.count
  RETURNING count - $2 AS before, head`);
const APPEND = statement(`
  INSERT INTO checkpoint (container_id, sequence, kind, content, at, previous_digest, digest)
  SELECT $1, e.sequence, e.kind, e.content, $2, e.previous, e.digest
  FROM unnest($3::bigint[], $4::text[], $5::jsonb[], $6::text[], $7::text[]) AS e (sequence, kind, content, previous, digest)`);
const HEAD = statement(`UPDATE checkpoint_chain SET head = $2 WHERE container_id = $1`);

const linkDigest = (containerId: string, sequence: number, kind: string, content: unknown, at: Instant, previousDigest: string): string =>
  digestOf({ container: containerId, sequence, kind, content, at, previousDigest });

/** Appends entries, in the transaction of what they tell. */
export async function appendCheckpoints(client: pg.PoolClient, containerId: string, at: Instant, entries: Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const { before, head } = (await row<{ before: number; head: string }>(client, TAKE, [containerId, entries.length]))!;
  let previous = head;
  const links = entries.map(({ kind, content }, i) => {
    const link = { sequence: before + i + 1, kind, content: JSON.stringify(content), previous, digest: linkDigest(containerId, before + i + 1, kind, content, at, previous) };
    previous = link.digest;
    return link;
  });
  const column = <K extends keyof (typeof links)[number]>(key: K) => links.map((l) => l[key]);
  await rows(client, APPEND, [containerId, at, column('sequence'), column('kind'), column('content'), column('previous'), column('digest')]);
  await rows(client, HEAD, [containerId, previous]);
}

type Chain = { containerId: string; count: number; head: string; verified: number; verifiedDigest: string; acknowledged: number };
type Link = { sequence: number; kind: string; content: unknown; at: Instant; previousDigest: string; digest: string };

const CHAIN = statement(`
  SELECT container_id AS "containerId", count, head, verified, verified_digest AS "verifiedDigest", acknowledged
  FROM checkpoint_chain WHERE container_id = $1`);
/** So many links are hashed at a time, before other work of the process gets its turn. */
const PAGE = 500;
const LINKS = statement(`
  SELECT sequence, kind, content, at, previous_digest AS "previousDigest", digest FROM checkpoint
  WHERE container_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence LIMIT ${PAGE}`);
const VERIFIED = statement(`
  UPDATE checkpoint_chain SET verified = $2, verified_digest = $3 WHERE container_id = $1 AND verified < $2 AND acknowledged <= $2`);

export type ChainVerdict = { ok: boolean; checked: number; firstBad?: { sequence: number; reason: string } };

/**
 * Walks a chain from its last verified point, or the whole, and keeps how far it holds (BR-1).
 * Entries that come meanwhile are left to the next walk. Links up to a break that an operator
 * acknowledged are not judged (BR-6). Other work of the process goes on meanwhile.
 * @param options.stopping ends the walk early; what was walked by then is judged
 */
export async function verifyChain(db: Db | Queryable, containerId: string, options: { whole?: boolean; stopping?: AbortSignal } = {}): Promise<ChainVerdict> {
  const chain = await row<Chain>(db, CHAIN, [containerId]);
  if (!chain) return { ok: true, checked: 0 };
  if (chain.verified > chain.count) return { ok: false, checked: 0, firstBad: { sequence: chain.count + 1, reason: `checkpoint ${chain.count + 1} is missing` } };
  let from = Math.max(options.whole ? 0 : chain.verified, chain.acknowledged);
  let previous = from === 0 ? NO_DIGEST : from === chain.verified ? chain.verifiedDigest : undefined;
  let checked = 0;
  const bad = (sequence: number, reason: string): ChainVerdict => ({ ok: false, checked, firstBad: { sequence, reason } });
  const page = (after: number) => rows<Link>(db, LINKS, [containerId, after, chain.count]);
  let next = page(from);
  while (from < chain.count && !options.stopping?.aborted) {
    const links = await next;
    // Read ahead while these are hashed.
    next = from + links.length < chain.count ? page(from + links.length) : Promise.resolve([]);
    next.catch(() => undefined);
    if (links.length === 0) return bad(from + 1, `checkpoint ${from + 1} is missing`);
    for (const link of links) {
      if (link.sequence !== from + 1) return bad(from + 1, `checkpoint ${from + 1} is missing`);
      if (previous !== undefined && link.previousDigest !== previous) return bad(link.sequence, 'its previous digest is not that of the one before');
      if (linkDigest(containerId, link.sequence, link.kind, link.content, link.at, link.previousDigest) !== link.digest) return bad(link.sequence, 'its digest does not match its content');
      previous = link.digest;
      from = link.sequence;
      checked++;
    }
  }
  if (previous !== undefined && from === chain.count && previous !== chain.head && chain.acknowledged < chain.count) return bad(from, 'the head of the chain has another digest');
  if (previous !== undefined) await rows(db, VERIFIED, [containerId, from, previous]);
  return { ok: true, checked };
}

const ACKNOWLEDGE = statement(`
  UPDATE checkpoint_chain c SET acknowledged = count, verified = count, verified_digest = head WHERE container_id = $1 RETURNING count`);

/** BR-6: an operator takes the chain as it stands; what comes is judged from here. Gives the last sequence number. */
export const acknowledgeChain = async (client: pg.PoolClient, containerId: string): Promise<number> =>
  (await row<{ count: number }>(client, ACKNOWLEDGE, [containerId]))?.count ?? 0;

const ALL = statement(`
  SELECT container_id AS id FROM checkpoint_chain WHERE NOT $1 OR verified <> count OR verified_digest <> head ORDER BY container_id`);

/** The containers that have a chain, or those with links that were not verified yet. */
export const chains = async (q: Queryable, { unverified = false }: { unverified?: boolean } = {}): Promise<string[]> =>
  (await rows<{ id: string }>(q, ALL, [unverified])).map((c) => c.id);
