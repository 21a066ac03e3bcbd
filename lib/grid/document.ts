/** The grid: what is to be done by which role in which context, and on what it depends (section 8). */
import { z } from '@hono/zod-openapi';
import { text } from '../schemas/text';

export type Dependency = { artifact: string; section?: string };
export type GridClause = { id: string; concept: string; type: 'machine' | 'attested'; arguments?: Record<string, unknown> };
export type GridArrow = {
  id: string;
  from: string;
  to: string;
  context: string;
  stratum: number;
  requires: string[];
  dependencies: Dependency[];
  clauses: GridClause[];
};
export type Grid = { contexts: string[]; roles: string[]; arrows: GridArrow[] };

/** Limits that keep a grid a document that people read. */
export const MAX_ARROWS = 5_000;
const MAX_NAMES = 1_000;
const MAX_CLAUSES = 200;
const MAX_DEPENDENCIES = 500;
export const STRATA = { min: 1, max: 6 } as const;

/** The longest name of a context, role, arrow or clause. */
export const MAX_NAME = 100;

const name = z.string().refine((s) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(s) && s.length <= MAX_NAME, { error: `must be 1 to ${MAX_NAME} letters, digits, dots, underscores and hyphens` });
const words = text(1, 500);
const list = <T extends z.ZodType>(item: T, max: number) => z.array(item, { error: 'must be a list' }).max(max, { error: `must have at most ${max}` });

export const dependency = z.strictObject({ artifact: words, section: words.optional() });
const clause = z.strictObject({
  id: name,
  concept: words,
  type: z.enum(['machine', 'attested'], { error: 'must be machine or attested' }),
  arguments: z.record(z.string(), z.unknown()).optional(),
});
const arrow = z.strictObject({
  id: name,
  from: name,
  to: name,
  context: name,
  stratum: z.number({ error: 'must be a whole number' }).refine((n) => Number.isInteger(n) && n >= STRATA.min && n <= STRATA.max, { error: `must be a whole number from ${STRATA.min} to ${STRATA.max}` }),
  requires: list(name, MAX_ARROWS).default([]),
  dependencies: list(dependency, MAX_DEPENDENCIES).default([]),
  clauses: list(clause, MAX_CLAUSES).refine((c) => c.length > 0, { error: 'must not be empty' }),
});

/** The form of a grid; what its names refer to is checked by `faultsOf` (G-2). */
export const gridShape = z.strictObject({ contexts: list(name, MAX_NAMES), roles: list(name, MAX_NAMES), arrows: list(arrow, MAX_ARROWS) });
