/** The three-way merge that a conflict offers for notes and drafts (W-3). By lines. Pure. */
import { diffArrays } from 'diff';

export type Merge = {
  text: string;
  /** False when both sides changed the same lines: both are in the text, between markers. */
  clean: boolean;
};

/** One side's change: the base's lines `from` to `to` (exclusive) became `lines`. */
type Change = { from: number; to: number; lines: string[] };

const MAX_LINES = 20_000;
const MAX_EDITS = 2_000;

function changes(base: string[], side: string[]): Change[] | undefined {
  const parts = diffArrays(base, side, { maxEditLength: MAX_EDITS });
  if (!parts) return undefined;
  const found: Change[] = [];
  let at = 0;
  let open: Change | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      at += part.value.length;
      open = undefined;
      continue;
    }
    if (!open) found.push((open = { from: at, to: at, lines: [] }));
    if (part.added) {
      open.lines.push(...part.value);
    } else {
      at += part.value.length;
      open.to = at;
    }
  }
  return found;
}

const same = (a: string[], b: string[]): boolean => a.length === b.length && a.every((line, i) => line === b[i]);

/** What one side made of the base's lines `from` to `to`. */
function sideOf(base: string[], own: Change[], from: number, to: number): string[] {
  const lines: string[] = [];
  let at = from;
  for (const change of own) {
    lines.push(...base.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...lines, ...base.slice(at, to)];
}

/** Merges two texts that came from one. Undefined when they are too long or differ too much to be merged in time. */
export function merge(baseText: string, mineText: string, theirsText: string): Merge | undefined {
  const [base, mine, theirs] = [baseText.split('\n'), mineText.split('\n'), theirsText.split('\n')];
  if (Math.max(base.length, mine.length, theirs.length) > MAX_LINES) return undefined;
  const [my, their] = [changes(base, mine), changes(base, theirs)];
  if (!my || !their) return undefined;

  const merged: string[] = [];
  let clean = true;
  let at = 0;
  let [i, j] = [0, 0];
  while (i < my.length || j < their.length) {
    const from = Math.min(my[i]?.from ?? Infinity, their[j]?.from ?? Infinity);
    let to = from;
    const [myRun, theirRun]: [Change[], Change[]] = [[], []];
    // Changes that touch make one stretch.
    for (let grew = true; grew; ) {
      grew = false;
      for (; i < my.length && my[i]!.from <= to; i++, grew = true) {
        myRun.push(my[i]!);
        to = Math.max(to, my[i]!.to);
      }
      for (; j < their.length && their[j]!.from <= to; j++, grew = true) {
        theirRun.push(their[j]!);
        to = Math.max(to, their[j]!.to);
      }
    }
    merged.push(...base.slice(at, from));
    const [mySide, theirSide] = [sideOf(base, myRun, from, to), sideOf(base, theirRun, from, to)];
    if (theirRun.length === 0 || same(mySide, theirSide)) merged.push(...mySide);
    else if (myRun.length === 0) merged.push(...theirSide);
    else {
      clean = false;
      merged.push('<<<<<<< yours', ...mySide, '=======', ...theirSide, '>>>>>>> theirs');
    }
    at = to;
  }
  merged.push(...base.slice(at));
  return { text: merged.join('\n'), clean };
}
