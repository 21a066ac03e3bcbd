'use server';

import { z } from 'zod';
import type { ActionResult } from '@/components/action-result';
import { archiveContainer, changeContainer } from '@/lib/containers/change';
import { readContainerRevision, type ContainerView } from '@/lib/containers/read';
import { runtime } from '@/lib/runtime';
import { containerFields } from '@/lib/schemas/inputs';
import { act } from '../../../support/act';
import { baseOf, onBase } from '../../../support/forms';

const textsOf = (fields: Pick<ContainerView, 'title' | 'slug' | 'description' | 'prefix' | 'termSeconds' | 'windowSeconds'>): Record<string, string> => ({
  title: fields.title,
  slug: fields.slug,
  description: fields.description,
  prefix: fields.prefix,
  termSeconds: String(fields.termSeconds),
  windowSeconds: String(fields.windowSeconds),
});

/** P-2, W-3. */
export async function change(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(
    data,
    containerFields.extend({ container: z.string(), ...onBase }),
    ({ container, base, ...input }, caller) => changeContainer(runtime().db, container, caller.id, base, input),
    {
      message: 'The container is changed.',
      to: (changed) => `/c/${changed.slug}/settings`,
      conflict: async (current: ContainerView) => {
        const base = baseOf(data);
        const began = base === undefined ? undefined : await readContainerRevision(runtime().db, current.id, base);
        return { revision: current.revision, theirs: textsOf(current), ...(began ? { base: textsOf(began.fields) } : {}) };
      },
    },
  );
}

/** P-2. */
export async function archive(_: ActionResult, data: FormData): Promise<ActionResult> {
  return act(data, z.strictObject({ container: z.string() }), ({ container }, caller) => archiveContainer(runtime().db, container, caller.id), {
    message: (archived) => `“${archived.title}” is archived.`,
    to: (archived) => `/c/${archived.slug}`,
  });
}
