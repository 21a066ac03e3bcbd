import { row, statement, type Queryable } from '../db/pool';
import { writeNotice, writeNoticeToOperators } from '../notices/write';
import type { PrincipalRef } from '../roles';
import type { Instant } from '../time';
import { emitIn } from '../webhooks/emit';

const MARK = statement(`UPDATE lock_grant SET told_silent_at = $3 WHERE container_id = $1 AND number = $2 AND told_silent_at IS NULL RETURNING number`);

/** A grant that has run out, with who is on the page. */
export type Silence = { containerId: string; grant: number; holder: PrincipalRef; expiresAt: Instant; lastBeatAt: Instant | null };

/**
 * Tells once for a grant that its holder has fallen silent: every active operator, the
 * webhooks, and the holder itself. Whichever transaction marks the grant tells, so a grant that
 * fell silent while no instance ran is told by the next look, or by what ends it before that.
 * @param ended what ends the grant in this very transaction; its holder is told of that then
 * @returns whether it was told now
 */
export async function tellSilence(q: Queryable, silence: Silence, now: Instant, ended?: { how: 'superseded' | 'cleared'; by: string }): Promise<boolean> {
  const { containerId, grant, holder, expiresAt, lastBeatAt } = silence;
  if (!(await row(q, MARK, [containerId, grant, now]))) return false;
  if (!ended) await writeNotice(q, { principalId: holder.id, containerId, kind: 'grant-expired', details: { grant, expiresAt }, at: now });
  await writeNoticeToOperators(q, { containerId, kind: 'holder-silent', details: { grant, holder: holder.name, expiresAt, lastBeatAt, ...(ended ?? {}) }, at: now });
  await emitIn(q, containerId, { type: 'holder.silent', at: now, grant, holder, data: { expiresAt, lastBeatAt } });
  return true;
}
