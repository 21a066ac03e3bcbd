/**
 * Rate limits (section 10), in Postgres, so that all instances count together. A limiter must
 * never cost a grant: who holds has a budget of its own, and a limiter that fails lets pass.
 * `HOLDFAST_RATE_LIMIT=off` turns them off.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { rows, statement, type Db, type Queryable } from '../db/pool';
import { log } from '../log';
import { Problem } from '../problems';

/** How many points (attempts, writes) in how many seconds. */
const BUDGETS = {
  'sign-in-name': { points: 10, seconds: 300 },
  'sign-in-address': { points: 50, seconds: 300 },
  write: { points: 600, seconds: 60 },
  'write-holding': { points: 6_000, seconds: 60 },
} as const;
export type Budget = keyof typeof BUDGETS;

type Limiters = Record<Budget, RateLimiterPostgres>;
const limiters = new WeakMap<Db, Limiters>();

function limitersOf(db: Db): Limiters {
  let found = limiters.get(db);
  if (!found) {
    const make = (budget: Budget) =>
      new RateLimiterPostgres({
        storeClient: db,
        storeType: 'pool',
        tableName: 'rate_limit',
        tableCreated: true,
        clearExpiredByTimeout: false,
        keyPrefix: budget,
        points: BUDGETS[budget].points,
        duration: BUDGETS[budget].seconds,
        inMemoryBlockOnConsumed: BUDGETS[budget].points + 1,
      });
    found = Object.fromEntries((Object.keys(BUDGETS) as Budget[]).map((budget) => [budget, make(budget)])) as Limiters;
    limiters.set(db, found);
  }
  return found;
}

const isOff = (): boolean => process.env.HOLDFAST_RATE_LIMIT === 'off';

async function consume(db: Db, budget: Budget, key: string): Promise<void> {
  try {
    await limitersOf(db)[budget].consume(key);
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) {
      const retryAfter = Math.max(1, Math.ceil(outcome.msBeforeNext / 1000));
      throw new Problem('rate-limited', `Too many requests. Try again in ${retryAfter} s.`, { retryAfter });
    }
    log.warn({ event: 'rate-limiter-failed', budget, message: (outcome as Error).message });
  }
}

/**
 * Counts one write of a principal: 600 a minute, or 6,000 from a budget of its own while it holds.
 * @throws Problem `rate-limited` with `retryAfter` in seconds
 */
export async function limitWrites({ db }: { db: Db }, principalId: string, holding: boolean | (() => Promise<boolean>)): Promise<void> {
  if (isOff()) return;
  const holds = typeof holding === 'boolean' ? holding : await holding();
  await consume(db, holds ? 'write-holding' : 'write', principalId);
}

/** What an attempt to sign in is counted under. */
export type SignInBudget = { name: string; ip?: string };

/** An address as it is counted: IPv6 by its /64, which one subscriber has whole. */
function addressKey(ip = 'unknown'): string {
  const address = ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (isIP(address) !== 6) return address.slice(0, 64);
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const front = head ? head.split(':') : [];
  const back = tail ? tail.split(':') : [];
  return [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back].slice(0, 4).join(':');
}

const nameKeyOf = ({ name, ip }: SignInBudget): string => `${addressKey(ip)}:${createHash('sha256').update(name).digest('base64url')}`;

/**
 * Counts one attempt to sign in: in five minutes 10 for a name from one address, 50 from one address.
 * @throws Problem `rate-limited` with `retryAfter` in seconds
 */
export async function limitSignIn({ db }: { db: Db }, budget: SignInBudget): Promise<void> {
  if (isOff()) return;
  await consume(db, 'sign-in-address', addressKey(budget.ip));
  await consume(db, 'sign-in-name', nameKeyOf(budget));
}

/** Forgets the failed attempts for a name from an address, once one succeeded. */
export async function forgiveSignIn({ db }: { db: Db }, budget: SignInBudget): Promise<void> {
  if (isOff()) return;
  try {
    await limitersOf(db)['sign-in-name'].delete(nameKeyOf(budget));
  } catch (error) {
    log.warn({ event: 'rate-limiter-failed', budget: 'sign-in-name', message: (error as Error).message });
  }
}

const PURGE = statement('DELETE FROM rate_limit WHERE expire < $1');

/** Removes counters that ran out over an hour ago. Their times are the limiter's own, from the app's clock. */
export async function purgeRateLimits(q: Queryable): Promise<void> {
  await rows(q, PURGE, [Date.now() - 3_600_000]);
}
