import 'server-only';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import type { Viewer } from '@/lib/containers/access';
import { isProblem } from '@/lib/problems';
import { readSnapshotOf, type Snapshot } from '@/lib/live/snapshot';
import { runtime, type Runtime } from '@/lib/runtime';
import { viewer } from './viewer';

/** What this request has seen of its container, before it read what the page shows. */
const request = cache((): { snapshot?: Snapshot } => ({}));

/** The container's snapshot that `load` took: whatever changes after it is news to the page. */
export const seenSnapshot = (): Snapshot | undefined => request().snapshot;

const slugIn = (path: string): string | undefined => /^\/c\/([^/?]+)/.exec(path)?.[1];

/**
 * Reads what a page shows; on a container's page its snapshot first. Somebody who must sign in first is sent there and comes back to
 * `path`; what is not there, and a cursor that no list gave, is the page “not found”.
 */
export async function load<T>(path: string, read: (db: Runtime['db'], who: Viewer) => Promise<T>): Promise<T> {
  const who = await viewer();
  const slug = slugIn(path);
  try {
    if (slug !== undefined) request().snapshot ??= await readSnapshotOf(runtime().db, decodeURIComponent(slug));
    return await read(runtime().db, who);
  } catch (error) {
    if (!isProblem(error)) throw error;
    if (error.code === 'unauthenticated') redirect(`/sign-in?to=${encodeURIComponent(path)}`);
    if (error.code === 'not-found' || error.code === 'invalid-input' || error.code === 'forbidden') notFound();
    throw error;
  }
}

/** A page's query string: the first of each. */
export type Search = Promise<Record<string, string | string[] | undefined>>;
export const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
/** A positive revision number from a query string. */
export const positive = (value: string | string[] | undefined): number | undefined => {
  const text = first(value);
  return text && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
};

/** The same address with other parameters; those undefined go. */
export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const pairs = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined && pair[1] !== '');
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs.map(([k, v]) => [k, String(v)])).toString()}`;
}
