/**
 * The landing: the one way content enters (section 6). A batch offered under a grant is
 * accepted whole or refused whole, in the transaction that appends to the register.
 */
import { writeAudit } from '../audit/write';
import { firstLine } from '../text';
import { reviseCollaboration } from '../collaboration/revise';
import { assertOpen, fence } from '../db/fence';
import { row, rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';
import { writeNotice } from '../notices/write';
import { isProblem, isReceipt, Problem } from '../problems';
import { emit, ref } from '../webhooks/emit';
import { digestOf, entryDigest, landingDigest } from './digest';
import { activeLeases, checkEntries, type AcceptedEntry, type LandingEntry } from './entries';
import { readLandingWithin, type Landing } from './read';
import { keptLeases, reclaimLeases, type ReclaimedLease } from './reclaim';

export type LandingInput = { grant: number; message: string; entries: LandingEntry[]; keepLeases?: string[] };

const STORED = statement(`SELECT sequence, body_digest AS "bodyDigest" FROM landing WHERE container_id = $1 AND author_id = $2 AND idempotency_key = $3`);

const APPEND = statement(`
  INSERT INTO landing (container_id, sequence, "grant", author_id, message, at, entries, previous_digest, digest, reclaimed, idempotency_key, body_digest)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`);
const HISTORY = statement(`
  INSERT INTO entry_revision (container_id, number, revision, title, body, author_id, landing, "grant", at, digest)
  SELECT $1, e.number, e.revision, e.title, e.body, e.author, $2, $3, $4, e.digest
  FROM unnest($5::bigint[], $6::int[], $7::text[], $8::text[], $9::uuid[], $10::text[]) AS e (number, revision, title, body, author, digest)`);
// The search vector covers the first 100,000 characters, far below PostgreSQL's limit for a vector.
const COPY = statement(`
  INSERT INTO entry (container_id, number, revision, title, author_id, landing, "grant", search)
  SELECT $1, e.number, e.revision, e.title, e.author, $2, $3,
    setweight(to_tsvector('simple', e.title), 'A') || to_tsvector('simple', left(e.body, 100000))
  FROM unnest($4::bigint[], $5::int[], $6::text[], $7::text[], $8::uuid[]) AS e (number, revision, title, body, author)
  ON CONFLICT (container_id, number) DO UPDATE SET revision = excluded.revision, title = excluded.title, author_id = excluded.author_id,
    landing = excluded.landing, "grant" = excluded."grant", search = excluded.search`);
const ADVANCE = statement(`
  UPDATE container SET landings = $2, head_digest = $3,
    spent = spent + coalesce((SELECT range_agg(int8range(n, n, '[]')) FROM unnest($4::bigint[]) AS n), '{}')
  WHERE id = $1`);
const PUSHED = statement(`UPDATE lock_grant SET pushes = pushes + 1 WHERE container_id = $1 AND number = $2`);

/**
 * Lands a batch (R-1 to R-5, L-4).
 *
 * The idempotency key is looked up before the fence, so a repeat gets the first answer also
 * after a crash and after the grant has ended. A refusal leaves an audit line.
 * @param key the `Idempotency-Key`, per principal and container
 * @throws Problem `idempotency-mismatch`, a receipt of R-2, `archived`, `container-closed`, `landing-invalid` (errors), `invalid-input`, and those of `write`
 */
export function land(db: Db, slug: string, callerId: string, key: string, input: LandingInput): Promise<Landing> {
  return write(db, slug, callerId, 'exclusive', (gated) => landWithin(gated, { ...input, key, body: input, entries: async () => input.entries }));
}

/** A landing as asked for: `body` is what the key stands for; `entries` are read only once the fence has passed. */
export type Offer = Omit<LandingInput, 'entries'> & { key: string; body: unknown; entries: () => Promise<LandingEntry[]> };

/**
 * As `land`, inside a write that holds the exclusive gate and has read its state. Whatever
 * refuses it does so before anything is written, and is audited.
 */
export async function landWithin(gated: Gated, offer: Offer): Promise<Landing> {
  try {
    return await accept(gated, offer);
  } catch (error) {
    throw isProblem(error) ? await refused(gated, offer, error) : error;
  }
}

async function accept(gated: Gated, offer: Offer): Promise<Landing> {
  const { client, state } = gated;
  const { container, page, caller } = state;
  const { key } = offer;
  const bodyDigest = digestOf(offer.body);
  const stored = await row<{ sequence: number; bodyDigest: string }>(client, STORED, [container.id, caller.id, key]);
  if (stored) {
    if (stored.bodyDigest !== bodyDigest) throw new Problem('idempotency-mismatch', `This key landed another body as number ${stored.sequence}. Use a new key.`);
    return readLandingWithin(client, container.id, stored.sequence);
  }
  fence(state, offer.grant);
  assertOpen(state);

  const entries = await offer.entries();
  const leases = await activeLeases(gated);
  const keep = keptLeases(leases, offer.keepLeases ?? []);
  const { accepted, faults } = await checkEntries(gated, entries, leases);
  if (faults.length > 0) throw new Problem('landing-invalid', `${faults.length} of ${entries.length} entries are not valid. Nothing has landed.`, { errors: faults });

  // T-4: the collaboration page before the register.
  const spent = accepted.filter((e) => e.revision === 1).map((e) => e.number);
  const reclaimed = entries.length > 0 ? await reclaimLeases(gated, leases, keep, spent) : [];
  const sequence = container.landings + 1;
  if (reclaimed.length > 0) {
    await reviseCollaboration(gated, { kind: 'reclaim', summary: `Landing ${sequence} reclaimed ${reclaimed.length} lease${reclaimed.length === 1 ? '' : 's'}` });
  }
  await append(gated, { sequence, key, bodyDigest, message: offer.message, accepted, reclaimed, spent });
  await rows(client, PUSHED, [container.id, page.grant]);
  await emit(gated, 'landing.accepted', { sequence, author: ref(caller), message: offer.message, entries: accepted.map((e) => e.identifier) });
  return readLandingWithin(client, container.id, sequence);
}

type Appended = { sequence: number; key: string; bodyDigest: string; message: string; accepted: AcceptedEntry[]; reclaimed: ReclaimedLease[]; spent: number[] };

async function append({ client, state }: Gated, landing: Appended): Promise<void> {
  const { container, page, caller, now } = state;
  const { sequence, accepted } = landing;
  const digests = accepted.map((e) => entryDigest({ identifier: e.identifier, title: e.title, body: e.body, author: e.authorId }));
  const entries = accepted.map((e, i) => ({ identifier: e.identifier, digest: digests[i]! }));
  const previousDigest = container.headDigest;
  const digest = landingDigest({ container: container.id, sequence, grant: page.grant, author: caller.id, message: landing.message, at: now, entries, previousDigest });
  await rows(client, APPEND, [
    container.id,
    sequence,
    page.grant,
    caller.id,
    landing.message,
    now,
    JSON.stringify(entries),
    previousDigest,
    digest,
    JSON.stringify(landing.reclaimed),
    landing.key,
    landing.bodyDigest,
  ]);
  if (accepted.length > 0) {
    const numbers = accepted.map((e) => e.number);
    const revisions = accepted.map((e) => e.revision);
    const titles = accepted.map((e) => e.title);
    const bodies = accepted.map((e) => e.body);
    const authors = accepted.map((e) => e.authorId);
    await rows(client, HISTORY, [container.id, sequence, page.grant, now, numbers, revisions, titles, bodies, authors, digests]);
    await rows(client, COPY, [container.id, sequence, page.grant, numbers, revisions, titles, bodies, authors]);
  }
  await rows(client, ADVANCE, [container.id, sequence, digest, landing.spent]);
}

/** Audits a refused landing, tells its author of a refusal by the fence, and gives the refusal, marked so that both are committed. */
async function refused(gated: Gated, offer: Offer, problem: Problem): Promise<Problem> {
  const { client, state } = gated;
  await writeAudit(client, {
    containerId: state.container.id,
    at: state.now,
    actorId: state.caller.id,
    action: 'refused',
    target: 'landing',
    grant: offer.grant,
    reason: problem.code,
    details: { message: firstLine(offer.message), currentGrant: state.page.grant, holder: state.holder },
  });
  if (isReceipt(problem.code)) {
    await writeNotice(client, {
      principalId: state.caller.id,
      containerId: state.container.id,
      kind: 'push-refused',
      details: { code: problem.code, yourGrant: offer.grant, currentGrant: state.page.grant, holder: state.holder?.name ?? null, message: firstLine(offer.message) },
      at: state.now,
    });
  }
  await emit(gated, 'landing.refused', { code: problem.code, author: ref(state.caller), yourGrant: offer.grant, message: firstLine(offer.message) });
  return new Problem(problem.code, problem.message, problem.members, { commit: true });
}
