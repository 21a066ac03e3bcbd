/** The bodies of section 10, shared by the API and the forms. Unknown members are refused. */
import { z } from '@hono/zod-openapi';
import { grant, integer, markdown, text, uuid } from './text';

/** Notes, descriptions and bodies hold up to 256 KiB of Markdown. */
const NOTES_KIB = 256;

const summary = text(0, 200).optional();
const petitionReason = text(1, 500);

export const slug = z
  .string()
  .refine((s) => /^[a-z0-9](-?[a-z0-9])*$/.test(s) && s.length <= 64, { error: 'must be 1 to 64 lower-case letters, digits and single hyphens' });
const prefix = z.string().refine((s) => /^[A-Z]{2,8}$/.test(s), { error: 'must be 2 to 8 capital letters' });
/** Durations are in seconds: 1 s to 24 h (section 1). */
const seconds = integer(1, 86_400);

const settings = {
  title: text(1, 200),
  description: markdown(NOTES_KIB).optional(),
  prefix: prefix.optional(),
  termSeconds: seconds.optional(),
  windowSeconds: seconds.optional(),
  public: z.boolean().optional(),
};
export const newContainer = z.strictObject({ slug, ...settings });
export const containerFields = z.strictObject({ slug: slug.optional(), ...settings, title: settings.title.optional(), summary });
export const containerChange = containerFields
  .refine((change) => Object.entries(change).some(([key, value]) => key !== 'summary' && value !== undefined), { error: 'names nothing to change' });

export const acquireInput = z.strictObject({ reason: text(0, 500, { blank: true }).optional() });
export const grantInput = z.strictObject({ grant });
export const clearInput = z.strictObject({ grant: integer(0), reason: text(1, 1000) });
/** Room above it for every acquisition and lift to come (LP-4), so that grants stay whole numbers that JSON carries. */
const MAX_NEXT_GRANT = 2 ** 52;
export const reopenInput = z.strictObject({ nextGrant: integer(1, MAX_NEXT_GRANT), reason: text(1, 1000) });
export const notesInput = z.strictObject({ notes: markdown(NOTES_KIB), summary });

export const petitionInput = z.strictObject({ reason: petitionReason });
export const blockInput = z.strictObject({
  grant,
  title: text(1, 200),
  description: markdown(NOTES_KIB).optional(),
  assignee: uuid,
  leaseId: uuid.optional(),
});
export const blockMark = z.strictObject({ state: z.enum(['done', 'returned'], { error: 'must be done or returned' }) });

export const leaseFields = z.strictObject({ grant, to: uuid, count: integer(1, 100_000).optional(), from: integer(1).optional(), through: integer(1).optional() });
/** "The next n", or a range: exactly one of the two (L-2). */
export const leaseInput = leaseFields
  .superRefine((lease, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (lease.count !== undefined) {
      if (lease.from !== undefined) fault('from', 'cannot stand beside count');
      if (lease.through !== undefined) fault('through', 'cannot stand beside count');
    } else if (lease.from === undefined && lease.through === undefined) {
      fault('count', 'is required, or from and through');
    } else if (lease.from === undefined) {
      fault('from', 'is required');
    } else if (lease.through === undefined) {
      fault('through', 'is required');
    } else if (lease.through < lease.from) {
      fault('through', 'must not be below from');
    } else if (lease.through - lease.from >= 100_000) {
      fault('through', 'a lease has at most 100000 identifiers');
    }
  })
  .transform(({ grant, to, count, from, through }) => (count !== undefined ? { grant, to, count } : { grant, to, from: from!, through: through! }));

const entryTitle = text(1, 200);
const entryBody = markdown(NOTES_KIB);
export const draftInput = z.strictObject({ grant, title: entryTitle, body: entryBody });

const landingMessage = text(0, 2000, { blank: true });
export const landingInput = z.strictObject({
  grant,
  message: landingMessage,
  entries: z.array(z.strictObject({ identifier: z.string(), title: entryTitle, body: entryBody, leaseId: uuid.optional() })).max(1000, { error: 'must have at most 1000 entries' }),
  keepLeases: z.array(uuid).max(10_000, { error: 'must have at most 10000 leases' }).optional(),
});
export const pushInput = z.strictObject({
  grant,
  message: landingMessage,
  drafts: z.array(z.strictObject({ identifier: z.string(), revision: integer(1) })).max(1000, { error: 'must have at most 1000 drafts' }),
  keepLeases: z.array(uuid).optional(),
});
export const idempotencyKey = text(1, 200);
