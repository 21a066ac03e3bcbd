/** A-2 and A-3: deciding one amendment, in one transaction under the write-lock. */
import { writeAudit } from '../audit/write';
import { inGate } from '../db/gate';
import { row, rows, statement, type Db } from '../db/pool';
import { readClock } from '../clock';
import { appendCheckpoints, lockClausesOf } from '../engine';
import { failpoint } from '../failpoint';
import { affectedBy, applyDifference, arrowsOf, differenceOf, overlaps, type Affected, type Difference } from '../grid/difference';
import type { Dependency, Grid } from '../grid/document';
import { parseGrid } from '../grid/parse';
import { currentGrid, gridVersion } from '../grid/read';
import { isProblem, type InputFault } from '../problems';
import { endPasses } from '../runner';
import { writeVersion } from './versions';
import { lockGrid, writeLockOf } from './write-lock';

type Found = { id: string; authorId: string; authorName: string; grant: number | null; baseVersion: number; changes: Dependency[]; grid: Grid; rationale: string };

const READ = statement(`
  SELECT a.id, a.author_id AS "authorId", p.name AS "authorName", a."grant", a.base_version AS "baseVersion", a.changes, a.grid, a.rationale
  FROM amendment a JOIN principal p ON p.id = a.author_id WHERE a.id = $1 AND a.state = 'committing'`);
const SINCE = statement(`SELECT version, changes, arrows FROM amendment WHERE container_id = $1 AND state = 'committed' AND version > $2 ORDER BY version`);
const DECIDED = statement(`
  UPDATE amendment SET state = $2::amendment_state, version = $3, decided_at = $4, arrows = $5, outcome = $6 WHERE id = $1`);
// An arrow that was invalidated for what it declares stays so when a later commit invalidates it conservatively.
const INVALIDATE = statement(`
  INSERT INTO arrow (container_id, id, invalidated, conservative)
  SELECT $1, a.id, true, a.conservative FROM unnest($2::text[], $3::boolean[]) AS a (id, conservative)
  ON CONFLICT (container_id, id) DO UPDATE SET invalidated = true, conservative = excluded.conservative AND (arrow.conservative OR NOT arrow.invalidated)`);
const RUNNING = statement(`SELECT id FROM pass WHERE container_id = $1 AND state = 'running' AND arrow_id = ANY ($2) ORDER BY id`);

export type Decision = { state: 'committed'; version: number; affected: Affected[] } | { state: 'needs-rejustification' | 'failed'; outcome: string };

/**
 * Decides the amendment that the container's write-lock names: commits the difference between
 * its base and its grid on the current grid, whole, or sets it aside, or fails it; all of it or
 * nothing. Undefined when it was set aside meanwhile, because its grant ended (LP-6, LP-8).
 */
export function decide(db: Db, slug: string, amendmentId: string, instanceId: string): Promise<Decision | undefined> {
  return inGate(db, slug, 'shared', async (client, { id: containerId }) => {
    await lockGrid(client, containerId);
    const lock = await writeLockOf(client, containerId);
    if (lock?.amendmentId !== amendmentId || lock.instanceId !== instanceId) return undefined;
    const amendment = await row<Found>(client, READ, [amendmentId]);
    if (!amendment) return undefined;
    const current = (await currentGrid(client, containerId))!;
    const base = (await gridVersion(client, containerId, amendment.baseVersion))!;
    const difference = differenceOf(base.grid, amendment.grid);
    const touched = arrowsOf(difference);

    const setAside = async (state: 'needs-rejustification' | 'failed', outcome: string): Promise<Decision> => {
      const now = await readClock(client);
      await rows(client, DECIDED, [amendmentId, state, null, now, '[]', outcome]);
      await writeAudit(client, { containerId, at: now, actorId: amendment.authorId, action: 'amendment-failed', target: amendmentId, grant: amendment.grant, reason: outcome });
      return { state, outcome };
    };

    const since = await rows<{ version: number; changes: Dependency[]; arrows: string[] }>(client, SINCE, [containerId, amendment.baseVersion]);
    const own = new Set(touched);
    const clash = since.find((s) => s.changes.some((c) => amendment.changes.some((d) => overlaps(c, d))) || s.arrows.some((id) => own.has(id)));
    if (clash) return setAside('needs-rejustification', `It overlaps v${clash.version}, which was committed since its base v${amendment.baseVersion}.`);

    const next = applied(current.grid, difference);
    if (typeof next === 'string') return setAside('failed', `On v${current.version} it does not hold: ${next}.`);

    const version = current.version + 1;
    const affected = affectedBy(current.grid, difference, amendment.changes);
    const ids = affected.map((a) => a.id);
    // Movers of the passes that end here are waited for first, so that the commit's one instant comes after their moves (T-1).
    const running = (await rows<{ id: string }>(client, RUNNING, [containerId, ids])).map((p) => p.id);
    await lockClausesOf(client, containerId, running);
    const now = await readClock(client);
    const digest = await writeVersion(client, { containerId, version, grid: next, authorId: amendment.authorId, at: now, amendmentId });
    if (ids.length > 0) await rows(client, INVALIDATE, [containerId, ids, affected.map((a) => a.conservative)]);
    const aborted = await endPasses(client, containerId, running, 'invalidated', now);
    const content = { version, digest, amendment: amendmentId, changes: amendment.changes, arrows: touched, invalidated: affected };
    await appendCheckpoints(client, containerId, now, [{ kind: 'grid', content }]);
    failpoint('amendment-in-transaction');
    await rows(client, DECIDED, [amendmentId, 'committed', version, now, JSON.stringify(touched), null]);
    await writeAudit(client, {
      containerId,
      at: now,
      actorId: amendment.authorId,
      action: 'grid-amended',
      target: amendmentId,
      grant: amendment.grant,
      reason: amendment.rationale,
      details: { version, digest, arrows: touched, invalidated: affected, aborted: aborted.map((p) => p.id) },
    });
    return { state: 'committed', version, affected };
  });
}

/** A-2: the difference on the current grid, validated whole; what is wrong with it where it does not hold. */
function applied(current: Grid, difference: Difference): Grid | string {
  try {
    return parseGrid(applyDifference(current, difference));
  } catch (error) {
    if (!isProblem(error)) throw error;
    const [fault, ...more] = error.members.errors as InputFault[];
    return `${fault!.path} ${fault!.message}${more.length > 0 ? `, and ${more.length} more` : ''}`;
  }
}
