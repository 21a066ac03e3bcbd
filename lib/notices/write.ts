import { note } from '../db/hints';
import { rows, statement, type Queryable } from '../db/pool';
import type { Instant } from '../time';

/** What a principal is told, in the transaction of what happened, or of the look that found it where time alone brings it. */
export type NoticeKind =
  | 'lock-cleared'
  | 'petition-withdrawn'
  | 'petition-lapsed'
  | 'petition-made'
  | 'lease-given'
  | 'block-assigned'
  | 'grant-superseded'
  | 'grant-ends-soon'
  | 'cap-near'
  | 'grant-expired'
  | 'holder-silent'
  | 'push-refused'
  | 'turn-begun';

type Told = { containerId: string; kind: NoticeKind; details?: Record<string, unknown>; at: Instant };

const INSERT = statement(`
  INSERT INTO notice (principal_id, container_id, kind, details, at) SELECT t.id, $2, $3, $4, $5 FROM unnest($1::uuid[]) AS t (id)`);
const OPERATORS = statement(`SELECT id FROM principal WHERE active AND role = 'operator'`);

function write(q: Queryable, to: string[], { containerId, kind, details, at }: Told): Promise<unknown> {
  for (const principalId of to) note(q, principalId);
  return rows(q, INSERT, [to, containerId, kind, JSON.stringify(details ?? {}), at]);
}

/** Leaves a notice for a principal. */
export async function writeNotice(q: Queryable, { principalId, ...told }: Told & { principalId: string }): Promise<void> {
  await write(q, [principalId], told);
}

/** Leaves a notice for every active operator. */
export async function writeNoticeToOperators(q: Queryable, told: Told): Promise<void> {
  const operators = await rows<{ id: string }>(q, OPERATORS);
  await write(
    q,
    operators.map((o) => o.id),
    told,
  );
}
