import type pg from 'pg';
import { assertReadable, type Viewer } from '../containers/access';
import { row, rows, statement, type Db } from '../db/pool';
import { notFound } from '../problems';
import type { Instant } from '../time';
import { entryDigest, landingDigest, NO_DIGEST } from './digest';
import { identifierOf } from './identifier';

/** The first link that does not hold: its sequence number and what is wrong with it. */
export type BadLink = { sequence: number; reason: string };
export type Verification = { ok: boolean; checked: number; firstBad?: BadLink };

type Link = {
  sequence: number;
  grant: number;
  authorId: string;
  message: string;
  at: Instant;
  entries: { identifier: string; digest: string }[];
  previousDigest: string;
  digest: string;
};
type Body = { landing: number; number: number; title: string; body: string; authorId: string };

const HEAD = statement(`SELECT id, public, prefix, landings, head_digest AS "headDigest" FROM container WHERE slug = $1`);
const LINKS = statement(`
  SELECT sequence, "grant", author_id AS "authorId", message, at, entries, previous_digest AS "previousDigest", digest
  FROM landing WHERE container_id = $1 AND sequence > $2 ORDER BY sequence LIMIT 50`);
const BODIES = statement(`
  SELECT landing, number, title, body, author_id AS "authorId" FROM entry_revision
  WHERE container_id = $1 AND landing BETWEEN $2 AND $3`);

/**
 * rehashes the stored bodies, walks the chain, checks the count against the sequence,
 * and names the first bad link. Reads one snapshot, in small steps.
 * @param viewer who asks; `host` for whoever has the machine
 * @throws Problem `not-found`, `unauthenticated`
 */
export async function verifyRegister(db: Db, slug: string, viewer: Viewer | 'host'): Promise<Verification> {
  const client = await db.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      return await walk(client, slug, viewer);
    } finally {
      await client.query('ROLLBACK');
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'Problem')) broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

async function walk(client: pg.PoolClient, slug: string, viewer: Viewer | 'host'): Promise<Verification> {
  const head = await row<{ id: string; public: boolean; prefix: string; landings: number; headDigest: string }>(client, HEAD, [slug]);
  if (viewer !== 'host') assertReadable(head, viewer);
  if (!head) throw notFound('container');
  let checked = 0;
  let previous = NO_DIGEST;
  for (;;) {
    const links = await rows<Link>(client, LINKS, [head.id, checked]);
    if (links.length === 0) break;
    const bodies = new Map<number, Body[]>(links.map((l) => [l.sequence, []]));
    for (const body of await rows<Body>(client, BODIES, [head.id, links[0]!.sequence, links.at(-1)!.sequence])) bodies.get(body.landing)?.push(body);
    for (const link of links) {
      const reason = faultOf(head, link, checked + 1, previous, bodies.get(link.sequence) ?? []);
      if (reason) return { ok: false, checked, firstBad: { sequence: checked + 1, reason } };
      checked++;
      previous = link.digest;
    }
  }
  if (checked !== head.landings) return { ok: false, checked, firstBad: { sequence: checked + 1, reason: `the register counts ${head.landings} landings, ${checked} are there` } };
  if (previous !== head.headDigest) return { ok: false, checked, firstBad: { sequence: checked, reason: 'the register’s head has another digest' } };
  return { ok: true, checked };
}

function faultOf(head: { id: string; prefix: string }, link: Link, expected: number, previous: string, bodies: Body[]): string | undefined {
  if (link.sequence !== expected) return `landing ${expected} is missing`;
  if (link.previousDigest !== previous) return 'its previous digest is not that of the landing before';
  const digest = landingDigest({ ...link, container: head.id, author: link.authorId });
  if (digest !== link.digest) return 'its digest does not match its content';
  if (bodies.length !== link.entries.length) return `it lists ${link.entries.length} entries, ${bodies.length} are stored`;
  const stored = new Map(bodies.map((b) => [identifierOf(head.prefix, b.number), b]));
  for (const { identifier, digest: claimed } of link.entries) {
    const body = stored.get(identifier);
    if (!body) return `entry ${identifier} is missing`;
    if (entryDigest({ identifier, title: body.title, body: body.body, author: body.authorId }) !== claimed) return `entry ${identifier} does not match its digest`;
  }
  return undefined;
}

const ALL = statement(`SELECT slug FROM container ORDER BY slug`);

/** The slugs of all containers, for whoever has the machine. */
export const allRegisters = async (db: Db): Promise<string[]> => (await rows<{ slug: string }>(db, ALL)).map((c) => c.slug);
