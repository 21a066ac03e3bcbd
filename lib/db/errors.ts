/** What went wrong in PostgreSQL, by SQLSTATE, whether it came through `pg` or through Prisma. */
import { Problem } from '../problems';

type Cause = { kind?: unknown; code?: unknown; constraint?: unknown; originalCode?: unknown; cause?: unknown; meta?: unknown; driverAdapterError?: unknown; message?: unknown };

/** An error and what it hides: Prisma keeps the driver's own error among its causes. */
function* causesOf(error: unknown): Generator<Cause> {
  let at = error as Cause | undefined;
  for (let depth = 0; at && typeof at === 'object' && depth < 6; depth++) {
    yield at;
    const meta = at.meta as Cause | undefined;
    at = (at.cause ?? meta?.driverAdapterError ?? at.driverAdapterError) as Cause | undefined;
  }
}

/** The SQLSTATE of an error, or undefined. */
export function sqlState(error: unknown): string | undefined {
  for (const at of causesOf(error)) {
    for (const code of [at.originalCode, at.code]) {
      if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^P\d{4}$/.test(code)) return code;
    }
  }
  return undefined;
}

/** The name of the violated constraint, where the driver tells it. */
export const constraintOf = (error: unknown): string | undefined =>
  typeof (error as Cause)?.constraint === 'string' ? ((error as Cause).constraint as string) : undefined;

const UNIQUE = '23505';
const EXCLUSION = '23P01';

/** True when a unique index (of that name, where one is given) refused the write. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  sqlState(error) === UNIQUE && (constraint === undefined || constraintOf(error) === constraint);

/** True when an exclusion constraint refused the write. */
export const isExclusionViolation = (error: unknown): boolean => sqlState(error) === EXCLUSION;

/** Serialization failure, deadlock: the whole transaction may be run again. */
const RETRYABLE = new Set(['40001', '40P01']);
/** Lock timeout, statement timeout, too many connections, shutting down, starting up, not (or no longer) writable. */
const BUSY = new Set(['55P03', '57014', '53300', '57P01', '57P02', '57P03', '08006', '08001', '25P03', '25006']);

/** Prisma's names for a server that cannot be reached or that hung up: these have no SQLSTATE. */
const UNREACHABLE = new Set<unknown>(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout']);

/** True when running the whole transaction again may help. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(sqlState(error) ?? '');

/** The refusal for a database that did not answer in time, or undefined for any other error. */
export function busyProblem(error: unknown): Problem | undefined {
  const state = sqlState(error);
  const cutOff = [...causesOf(error)].some((at) => UNREACHABLE.has(at.kind));
  const timedOut = error instanceof Error && /timeout exceeded when trying to connect|Connection terminated|not queryable|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE/.test(`${error.message} ${(error as { code?: string }).code ?? ''}`);
  if (!cutOff && !timedOut && !(state && (BUSY.has(state) || RETRYABLE.has(state)))) return undefined;
  return new Problem('busy', 'The database did not answer in time. Nothing was changed unless a repeat says so; try again shortly.');
}
