/**
 * The closed set of refusals (section 10). `lib` throws a `Problem`; the edges (API, server
 * actions) turn it into a status or a message. Nothing else may reach a caller.
 */

const PROBLEMS = {
  'malformed-json': [400, 'The body is not valid JSON'],
  'idempotency-key-required': [400, 'An Idempotency-Key header is required'],
  unauthenticated: [401, 'Sign in first'],
  forbidden: [403, 'Your role does not allow this'],
  'producer-cannot-attest': [403, 'Who produces a pass does not attest it'],
  'not-found': [404, 'There is nothing at this address'],
  'unknown-clause': [404, 'The pass has no such clause'],
  'lock-held': [409, 'The lock is held'],
  'not-your-turn': [409, 'It is not your turn yet'],
  'push-required': [409, 'Push before you release'],
  'not-silent': [409, 'The holder is not silent'],
  'grant-moved': [409, 'The grant has moved on'],
  'container-closed': [409, 'The container is closed to writes'],
  archived: [409, 'The container is archived'],
  'grant-unknown': [409, 'This grant was never given'],
  'grant-superseded': [409, 'A later grant exists'],
  'grant-cleared': [409, 'An operator cleared this grant'],
  'grant-released': [409, 'This grant was released'],
  'not-holder': [409, 'You are not the holder of this grant'],
  'grant-expired': [409, 'This grant has expired'],
  'already-waiting': [409, 'You are waiting already'],
  'already-holder': [409, 'You hold the lock already'],
  'range-taken': [409, 'The range is taken'],
  'wrong-state': [409, 'Its state does not allow this'],
  'slug-taken': [409, 'The slug is taken'],
  'name-taken': [409, 'The name is taken'],
  'last-operator': [409, 'The last operator must stay'],
  'grid-missing': [409, 'The container has no grid yet'],
  'grid-exists': [409, 'The container has a grid already'],
  'illegal-transition': [409, 'A clause cannot move so'],
  'pass-not-running': [409, 'The pass does not run'],
  'clauses-open': [409, 'Some clauses are still open'],
  'transition-refused': [409, 'A required arrow is not complete'],
  'transition-refused-invalidated': [409, 'A required arrow is invalidated'],
  'single-active-role-violation': [409, 'The role is active in this context already'],
  'amendment-queue-full': [409, 'The amendment queue is full'],
  'edit-conflict': [412, 'The page has changed since you read it'],
  'too-large': [413, 'The request is too large'],
  'invalid-input': [422, 'Some input is not valid'],
  'landing-invalid': [422, 'Some entries are not valid'],
  'idempotency-mismatch': [422, 'This Idempotency-Key was used for another body'],
  'precondition-required': [428, 'An If-Match header is required'],
  'rate-limited': [429, 'Too many requests'],
  internal: [500, 'Something went wrong on our side'],
  recovering: [503, 'Recovery is still running'],
  busy: [503, 'The database is too busy to answer in time'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;
export type ProblemStatus = (typeof PROBLEMS)[ProblemCode][0];
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** The receipts of R-2: why a call that carries a grant was refused. */
export const RECEIPT_CODES = [
  'grant-unknown',
  'grant-superseded',
  'grant-cleared',
  'grant-released',
  'not-holder',
  'grant-expired',
] as const satisfies readonly ProblemCode[];
export type ReceiptCode = (typeof RECEIPT_CODES)[number];

export const isReceipt = (code: ProblemCode): code is ReceiptCode =>
  (RECEIPT_CODES as readonly string[]).includes(code);

/** One fault in the input: where it is (`entries[3].title`) and what is wrong. */
export type InputFault = { path: string; message: string };

/** A refusal with its code and the members that section 10 lists for it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly members: Readonly<Record<string, unknown>>;
  /** Commit what the transaction has written so far (the audit line of a refusal). */
  readonly commit: boolean;

  constructor(code: ProblemCode, detail: string, members: Record<string, unknown> = {}, options: { commit?: boolean } = {}) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.members = members;
    this.commit = options.commit ?? false;
  }

  get status(): ProblemStatus {
    return PROBLEMS[this.code][0];
  }

  get title(): string {
    return PROBLEMS[this.code][1];
  }

  /** The RFC 9457 form. */
  toJSON(): Record<string, unknown> {
    return {
      type: `urn:holdfast:problem:${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.message,
      code: this.code,
      ...this.members,
    };
  }
}

export const isProblem = (error: unknown): error is Problem => error instanceof Problem;

export const invalidInput = (...errors: InputFault[]): Problem =>
  new Problem('invalid-input', errors.map((e) => (e.path ? `${e.path}: ${e.message}` : e.message)).join('; '), { errors });

export const notFound = (what: string): Problem => new Problem('not-found', `There is no such ${what}.`);
