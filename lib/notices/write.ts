import { note } from '../db/hints';
import { rows, statement, type Queryable } from '../db/pool';
import type { Instant } from '../time';

/** What a principal is told, in the transaction of what happened. */
export type NoticeKind = 'lock-cleared' | 'petition-withdrawn' | 'petition-lapsed' | 'lease-given' | 'block-assigned' | 'grant-superseded' | 'turn-begun';

const INSERT = statement(`INSERT INTO notice (principal_id, container_id, kind, details, at) VALUES ($1, $2, $3, $4, $5)`);

/** Leaves a notice for a principal. */
export async function writeNotice(
  q: Queryable,
  notice: { principalId: string; containerId: string; kind: NoticeKind; details?: Record<string, unknown>; at: Instant },
): Promise<void> {
  note(q, notice.principalId);
  await rows(q, INSERT, [notice.principalId, notice.containerId, notice.kind, JSON.stringify(notice.details ?? {}), notice.at]);
}
