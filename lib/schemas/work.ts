/** The bodies of section 10 that belong to grids, passes and amendments. */
import { z } from '@hono/zod-openapi';
import { CLAUSE_STATES } from '../engine/moves';
import { dependency } from '../grid/document';
import { grant, integer, text } from './text';

/** Evidence of a verdict: up to 64 KiB of JSON (E-2). */
const DETAILS_BYTES = 64 * 1024;

/** YAML or JSON text, or the document itself; validated by `parseGrid` (G-2). */
const grid = z.unknown().refine((value) => value !== undefined, { error: 'is required' }).openapi({ type: ['object', 'string'] });
export const gridInput = z.strictObject({ grid });

export const amendmentInput = z.strictObject({
  grant: grant.optional(),
  baseVersion: integer(1),
  changes: z.array(dependency, { error: 'must be a list' }).max(500, { error: 'must have at most 500 changes' }),
  grid,
  rationale: text(1, 2000),
});

export const passInput = z.strictObject({ grant, arrow: text(1, 100) });
export const abortInput = z.strictObject({ reason: z.enum(['manual-stop', 'operator-interrupt'], { error: 'must be manual-stop or operator-interrupt' }) });
export const transitionInput = z.strictObject({
  to: z.enum(CLAUSE_STATES, { error: `must be one of ${CLAUSE_STATES.join(', ')}` }),
  reason: text(0, 1000).optional(),
  details: z
    .unknown()
    .optional()
    .refine((value) => value === undefined || Buffer.byteLength(JSON.stringify(value)) <= DETAILS_BYTES, { error: 'must have at most 64 KiB' }),
});
export const acknowledgeInput = z.strictObject({ reason: text(1, 1000) });
