import 'server-only';
import { z } from 'zod';
import { isHolding } from '@/lib/lock-page/holding';
import type { Caller } from '@/lib/principals/record';
import { runtime } from '@/lib/runtime';
import { integer } from '@/lib/schemas/text';

/** What every form inside a container carries. */
export const inContainer = { slug: z.string() };
/** The revision that the viewer saw (LP-2). */
export const onBase = { base: integer(0) };

/** The slug that a form names, for its rate budget: who holds there has one of its own (section 10). */
export const holdingIn = (data: FormData) => (caller: Caller) => isHolding(runtime().db, caller.id, String(data.get('slug')));

/** The base that a form was posted on, where it is a revision at all. */
export const baseOf = (data: FormData): number | undefined => {
  const base = Number(data.get('base'));
  return Number.isSafeInteger(base) && base > 0 ? base : undefined;
};
