/**
 * Time as T-2 wants it: ISO 8601 UTC with six decimals. Rules compute in whole microseconds
 * since 1970 (exact in a double until the year 2255); a JS `Date` never carries an instant.
 */

/** `2026-11-30T10:59:28.123456Z`. Instants compare as strings. */
export type Instant = string;
/** Microseconds since 1970-01-01T00:00:00Z. */
export type Micros = number;

export const SECOND: Micros = 1_000_000;
export const HOUR: Micros = 3_600 * SECOND;
/** No grant lasts longer (LP-5). */
export const GRANT_CAP: Micros = 24 * HOUR;

/** Microseconds of an instant. */
export function micros(instant: Instant): Micros {
  return Date.parse(`${instant.slice(0, 23)}Z`) * 1000 + Number(instant.slice(23, 26));
}

/** The instant of a number of microseconds. */
export function instant(us: Micros): Instant {
  const ms = Math.floor(us / 1000);
  return `${new Date(ms).toISOString().slice(0, 23)}${String(us - ms * 1000).padStart(3, '0')}Z`;
}

/** An instant `seconds` later. */
export const plusSeconds = (at: Instant, seconds: number): Instant => instant(micros(at) + seconds * SECOND);

/** PostgreSQL's text of a `timestamptz` in a session whose zone is UTC, as an instant. */
export function fromPostgres(text: string): Instant {
  const [, date, time, fraction = ''] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text) ?? [];
  if (!date) throw new Error(`not a UTC timestamptz: ${text}`);
  return `${date}T${time}.${fraction.padEnd(6, '0')}Z`;
}
