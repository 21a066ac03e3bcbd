import { rows, statement, type Queryable } from '../db/pool';
import type { Instant } from '../time';

/** Everything that is audited, and nothing else. Section 10: creation, lock edits but heartbeats, refusals, clears, role and token changes, and webhooks. */
export const AUDIT_ACTIONS = [
  'container-created',
  'container-changed',
  'container-archived',
  'acquire',
  'release',
  'clear',
  'notes',
  'reopen',
  'refused',
  'petition-withdrawn',
  'principal-created',
  'principal-changed',
  'password-changed',
  'token-issued',
  'token-revoked',
  'grid-init',
  'grid-amended',
  'amendment-failed',
  'mirror-rebuilt',
  'checkpoints-acknowledged',
  'passes-aborted',
  'webhook-created',
  'webhook-changed',
  'webhook-secret-rotated',
  'webhook-removed',
  'webhook-given-up',
  'webhook-switched-off',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditEntry = {
  containerId?: string | null;
  /** The write's instant; the clock at the insert when the write carries no rule. */
  at?: Instant | null;
  actorId: string | null;
  action: AuditAction;
  /** What it was done to: `lock`, `landing`, a principal's or a token's id, a container's slug. */
  target: string;
  grant?: number | null;
  reason?: string | null;
  details?: Record<string, unknown>;
};

const INSERT = statement(`
  INSERT INTO audit_line (container_id, at, actor_id, action, target, "grant", reason, details)
  VALUES ($1, coalesce($2::timestamptz, clock_timestamp()), $3, $4, $5, $6, $7, $8)`);

/** Appends an audit line, in the transaction of what it tells. */
export async function writeAudit(q: Queryable, entry: AuditEntry): Promise<void> {
  await rows(q, INSERT, [
    entry.containerId ?? null,
    entry.at ?? null,
    entry.actorId,
    entry.action,
    entry.target,
    entry.grant ?? null,
    entry.reason ?? null,
    JSON.stringify(entry.details ?? {}),
  ]);
}
