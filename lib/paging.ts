/** Lists answer `{items, next}`; `next` is the cursor of the following page, or null (section 10). */
import { invalidInput } from './problems';

export type Page<T> = { items: T[]; next: string | null };
/** `limit` from 1 to 200. */
export type PageRequest = { limit: number; cursor?: string };

/**
 * Cuts a page from `limit + 1` rows.
 * @param cursorOf the cursor that continues after a row
 */
export function pageOf<T>(found: T[], limit: number, cursorOf: (last: T) => string | number): Page<T> {
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? String(cursorOf(items[items.length - 1]!)) : null };
}

/** @throws Problem `invalid-input` */
export const unknownCursor = (path = 'cursor') => invalidInput({ path, message: 'is not a cursor of this list' });

/** A cursor that is a positive integer, from 1 to `max`; undefined when there is none. @throws Problem `invalid-input` */
export function numberCursor(cursor: string | undefined, max: number, path = 'cursor'): number | undefined {
  if (cursor === undefined) return undefined;
  const value = /^[1-9]\d{0,15}$/.test(cursor) ? Number(cursor) : NaN;
  if (!(value <= max)) throw unknownCursor(path);
  return value;
}
