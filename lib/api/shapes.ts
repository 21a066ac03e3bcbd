/** The shapes of answers (section 10), for the OpenAPI document. */
import { z } from '@hono/zod-openapi';
import { BADGES } from '../lock-page/badge';
import { DELIVERY_STATES } from '../webhooks/record';

const at = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/).openapi({ description: 'ISO 8601 UTC with six decimals', example: '2026-11-30T10:59:28.123456Z' });
const number = z.number().int();
const digest = z.string().regex(/^[0-9a-f]{64}$/).openapi({ description: 'SHA-256, 64 lower-case hex digits' });
export const principal = z.object({ id: z.string(), name: z.string(), kind: z.enum(['person', 'agent']) }).openapi('Principal');
export const me = principal.extend({ role: z.enum(['reader', 'coworker', 'operator']) }).openapi('Me');
const author = principal.nullable();
const caution = { caution: z.boolean(), cautionSince: at.nullable(), cautionGrant: number.nullable() };
const badgeName = z.enum(BADGES as [string, ...string[]]);

export const badge = z.object({ badge: badgeName, ...caution, now: at }).openapi('Badge');
export const auditLine = z
  .object({ at, actor: author, action: z.string(), target: z.string(), grant: number.optional(), reason: z.string().optional(), details: z.looseObject({}) })
  .openapi('AuditLine');
const lockFields = {
  holder: author,
  reason: z.string(),
  grant: number,
  nextGrant: number,
  grantedAt: at.nullable(),
  expiresAt: at.nullable(),
  lastBeatAt: at.nullable(),
  availableSince: at.nullable(),
  cautionSince: at.nullable(),
  cautionGrant: number.nullable(),
  notes: z.string(),
};
export const lock = z
  .object({
    revision: number,
    ...lockFields,
    audit: z.array(auditLine),
    badge: badgeName,
    caution: z.boolean(),
    now: at,
    capAt: at.nullable(),
    queue: z.array(
      z.object({ petition: z.string(), principal, reason: z.string(), place: number, turnAt: at, turnEndsAt: at, revision: number, since: at }),
    ),
    othersTurnAt: at,
    pushes: number,
  })
  .openapi('Lock');
export const heartbeat = lock.extend({ atCap: z.boolean(), waiting: number }).openapi('Heartbeat');
export const lockRevision = z
  .object({ revision: number, kind: z.string(), author, at, summary: z.string(), reason: z.string().optional(), fields: z.object(lockFields) })
  .openapi('LockRevision');
export const container = z
  .object({
    id: z.string(),
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    prefix: z.string(),
    termSeconds: number,
    windowSeconds: number,
    public: z.boolean(),
    revision: number,
    createdAt: at,
    archivedAt: at.nullable(),
    badge: badgeName,
    ...caution,
    now: at,
    /** Null before the container has a grid (E-5). */
    project: z.object({ version: number, complete: number, total: number, unevaluated: number }).nullable(),
    lock: z.object({
      holder: author,
      reason: z.string(),
      grant: number,
      grantedAt: at.nullable(),
      expiresAt: at.nullable(),
      lastBeatAt: at.nullable(),
      availableSince: at.nullable(),
      revision: number,
      waiting: number,
    }),
  })
  .openapi('Container');
export const petition = z
  .object({ id: z.string(), principal, reason: z.string(), revision: number, state: z.enum(['waiting', 'granted', 'withdrawn', 'lapsed']), at, grant: number.optional() })
  .openapi('Petition');
export const lease = z.object({ id: z.string(), to: principal, from: number, through: number, state: z.enum(['active', 'reclaimed']), grant: number }).openapi('Lease');
export const block = z
  .object({ id: z.string(), title: z.string(), description: z.string(), assignee: principal, leaseId: z.string().nullable(), state: z.enum(['open', 'done', 'returned', 'closed']), grant: number, at })
  .openapi('Block');
export const collaboration = z
  .object({ revision: number, notes: z.string(), prefix: z.string(), petitions: z.array(petition), blocks: z.array(block), leases: z.array(lease), now: at })
  .openapi('Collaboration');
export const collaborationRevision = z
  .object({ revision: number, kind: z.string(), author, at, summary: z.string(), notes: z.string() })
  .openapi('CollaborationRevision');
export const draft = z
  .object({ identifier: z.string(), grant: number, title: z.string(), body: z.string(), revision: number, state: z.enum(['open', 'landed', 'deleted']), at, landing: number.optional() })
  .openapi('Draft');
export const landing = z
  .object({
    sequence: number,
    grant: number,
    author: principal,
    message: z.string(),
    at,
    entries: z.array(z.object({ identifier: z.string(), digest })),
    previousDigest: digest,
    digest,
    reclaimed: z.array(z.object({ id: z.string(), to: principal, from: number, through: number })),
  })
  .openapi('Landing');
const entrySummaryShape = z.object({ identifier: z.string(), title: z.string(), author: principal, revision: number, landing: number, grant: number, at, ...caution });
export const entrySummary = entrySummaryShape.openapi('EntrySummary');
export const entry = entrySummaryShape.extend({ body: z.string() }).openapi('Entry');
export const entryRevision = z
  .object({ identifier: z.string(), revision: number, title: z.string(), body: z.string(), author: principal, landing: number, grant: number, at, digest })
  .openapi('EntryRevision');
export const verification = z.object({ ok: z.boolean(), checked: number, firstBad: z.object({ sequence: number, reason: z.string() }).optional() }).openapi('Verification');
export const fullPrincipal = me.extend({ active: z.boolean(), createdAt: at }).openapi('PrincipalRecord');
export const token = z
  .object({ id: z.string(), label: z.string(), createdAt: at, expiresAt: at, revokedAt: at.nullable(), lastUsedAt: at.nullable() })
  .openapi('Token');
export const issuedToken = token.extend({ token: z.string() }).openapi('IssuedToken');

const gridDocument = z.looseObject({ contexts: z.array(z.string()), roles: z.array(z.string()), arrows: z.array(z.looseObject({ id: z.string() })) }).openapi('GridDocument');
export const project = z.object({ version: number, complete: number, total: number, unevaluated: number }).openapi('Project');
export const gridPointer = z.object({ version: number, digest });
export const gridVersion = gridPointer.extend({ grid: gridDocument }).openapi('GridVersion');
export const grid = gridPointer
  .extend({
    grid: gridDocument,
    arrows: z.array(z.object({ id: z.string(), status: z.enum(['invalidated', 'blocked', 'unevaluated', 'provisional', 'complete']), conservative: z.literal(true).optional() })),
    project,
  })
  .openapi('Grid');
export const amendment = z
  .object({
    id: z.string(),
    rationale: z.string(),
    changes: z.array(z.object({ artifact: z.string(), section: z.string().optional() })),
    baseVersion: number,
    state: z.enum(['queued', 'committing', 'committed', 'needs-rejustification', 'failed']),
    version: number.nullable(),
    author: principal,
    grant: number.nullable(),
    place: number,
    at,
    decidedAt: at.nullable(),
    outcome: z.string().nullable(),
  })
  .openapi('Amendment');
const clauseStatus = z.enum(['pending', 'running', 'pass', 'fail', 'awaiting-attestation', 'insufficient-basis', 'unevaluated']);
export const pass = z
  .object({
    id: z.string(),
    arrow: z.string(),
    role: z.string(),
    context: z.string(),
    gridVersion: number,
    grant: number,
    state: z.enum(['running', 'completed', 'aborted']),
    reason: z.enum(['invalidated', 'operator-interrupt', 'crash', 'manual-stop', 'grant-superseded']).nullable(),
    startedAt: at,
    endedAt: at.nullable(),
    starter: principal,
    clauses: z.array(z.object({ id: z.string(), concept: z.string(), type: z.enum(['machine', 'attested']), status: clauseStatus, reason: z.string().nullable() })),
  })
  .openapi('Pass');
export const transition = z.object({ clause: z.string(), from: clauseStatus, to: clauseStatus, at }).openapi('Transition');
export const recovery = z
  .object({
    instance: z.string(),
    steps: z.array(
      z.object({
        name: z.enum(['engine', 'amendment', 'runner']),
        startedAt: at,
        endedAt: at,
        found: z.array(z.object({ what: z.string(), id: z.string(), proof: z.string(), done: z.string() })),
      }),
    ),
    alerts: z.array(z.object({ id: number, container: z.string().nullable(), kind: z.string(), details: z.looseObject({}), at })),
  })
  .openapi('Recovery');

export const notice = z
  .object({
    id: z.string(),
    kind: z.string(),
    container: z.object({ slug: z.string(), title: z.string() }).nullable(),
    details: z.looseObject({}),
    at,
    readAt: at.nullable(),
  })
  .openapi('Notice');
const deliveryState = z.enum(DELIVERY_STATES);
export const webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    active: z.boolean(),
    allowPrivate: z.boolean(),
    createdAt: at,
    lastState: deliveryState.nullable(),
    lastAt: at.nullable(),
    offReason: z.string().nullable(),
  })
  .openapi('Webhook');
export const webhookWithSecret = webhook.extend({ secret: z.string() }).openapi('WebhookWithSecret');
export const delivery = z
  .object({
    id: z.string(),
    event: z.string(),
    type: z.string(),
    state: deliveryState,
    attempts: number,
    at,
    lastAt: at.nullable(),
    nextAt: at.nullable(),
    status: number.nullable(),
    error: z.string().nullable(),
    excerpt: z.string().nullable(),
  })
  .openapi('Delivery');

/** A page of a list. */
export const pageOf = (item: z.ZodType) => z.object({ items: z.array(item), next: z.string().nullable() });
/** An entry's history is a page that carries the copy's caution. */
export const entryHistory = pageOf(entryRevision).extend(caution);
