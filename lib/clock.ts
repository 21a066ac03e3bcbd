import { row, statement, type Queryable } from './db/pool';
import type { Instant } from './time';

const NOW = statement('SELECT clock_timestamp() AS now');

/** The database's clock, for pages that show whether something is over (T-1). */
export const readClock = async (q: Queryable): Promise<Instant> => (await row<{ now: Instant }>(q, NOW))!.now;
