/**
 * Every change of the collaboration page adds exactly 1 to its revision, on the page's row
 * itself, so that number order is commit order.
 */
import type pg from 'pg';
import { row, rows, statement, type Db } from '../db/pool';
import { write, type Gated } from '../db/state';

export type CollaborationKind = 'create' | 'notes' | 'petition' | 'withdraw' | 'granted' | 'lapsed' | 'lease' | 'block' | 'reclaim';

const TAKE = statement(`UPDATE collaboration_page SET revision = revision + 1 WHERE container_id = $1 RETURNING revision`);
const RECORD = statement(`
  INSERT INTO collaboration_revision (container_id, revision, kind, author_id, at, summary, notes)
  VALUES ($1, $2, $3::collaboration_kind, $4, $5, $6, $7)`);

/**
 * Takes the next revision number. A write under the shared gate does so before it reads its
 * clock: the row's lock is then waited for first, and times follow revision order.
 */
export async function takeRevision(client: pg.PoolClient, containerId: string): Promise<number> {
  const taken = await row<{ revision: number }>(client, TAKE, [containerId]);
  if (!taken) throw new Error(`container ${containerId} has no collaboration page`);
  return taken.revision;
}

type Edit = { kind: Exclude<CollaborationKind, 'create'>; summary: string; notes?: string; authorId?: string | null };

/** Appends the history row of a revision number that was taken. */
export async function recordRevision({ client, state }: Gated, revision: number, edit: Edit): Promise<void> {
  const author = edit.authorId === undefined ? state.caller.id : edit.authorId;
  await rows(client, RECORD, [state.container.id, revision, edit.kind, author, state.now, edit.summary, edit.notes ?? null]);
}

/**
 * An edit of the collaboration page under the shared gate: takes its revision number, then the
 * clock, then does the work, which records the revision.
 * @throws Problem those of `write` and of the work
 */
export async function editCollaboration<T>(db: Db, slug: string, callerId: string, work: (gated: Gated, revision: number) => Promise<T>): Promise<T> {
  let revision = 0;
  return write(db, slug, callerId, 'shared', (gated) => work(gated, revision), {
    before: async (client, id) => void (revision = await takeRevision(client, id)),
  });
}

/** Takes the next revision number and records it, under the exclusive gate. */
export async function reviseCollaboration(gated: Gated, edit: Edit): Promise<number> {
  const revision = await takeRevision(gated.client, gated.state.container.id);
  await recordRevision(gated, revision, edit);
  return revision;
}
