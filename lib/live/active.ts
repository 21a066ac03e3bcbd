import { rows, statement, type Queryable } from '../db/pool';

const ACTIVE = statement(`SELECT id FROM principal WHERE id = ANY ($1) AND active`);

/** Those of these principals that are active. */
export const readActive = async (q: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set(ids.length === 0 ? [] : (await rows<{ id: string }>(q, ACTIVE, [ids])).map((p) => p.id));
