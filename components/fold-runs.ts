/** A history as pages show it: runs of heartbeats folded (W-1). Pure. */

/** One revision, or a run of at least two of one kind by one author, newest first. */
export type Folded<T> = { one: T } | { run: T[] };

type Foldable = { kind: string; author: { name: string } | null };

/** Folds every run of `kind` that one author made in a row. */
export function foldRuns<T extends Foldable>(items: readonly T[], kind = 'heartbeat'): Folded<T>[] {
  const folded: Folded<T>[] = [];
  for (let at = 0; at < items.length; ) {
    let end = at + 1;
    while (items[at]!.kind === kind && items[end]?.kind === kind && items[end]!.author?.name === items[at]!.author?.name) end++;
    folded.push(end - at > 1 ? { run: items.slice(at, end) } : { one: items[at]! });
    at = end;
  }
  return folded;
}
