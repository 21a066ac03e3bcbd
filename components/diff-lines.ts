/** The difference of two texts by lines, cut to what changed and a little around it. Pure. */
import { diffLines as diffByLines } from 'diff';

export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string; before?: number; after?: number };
/** A stretch of lines; `skipped` unchanged ones lie before it. */
export type Hunk = { skipped: number; lines: DiffLine[] };
export type Difference = { hunks: Hunk[]; added: number; removed: number; skippedAfter: number };

const AROUND = 3;

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** All lines, in order. Texts that differ too much to compare in time are one removal and one addition. */
function allLines(before: string, after: string): DiffLine[] {
  const parts = diffByLines(before, after, { maxEditLength: 4_000 }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const lines: DiffLine[] = [];
  let [b, a] = [1, 1];
  for (const part of parts) {
    for (const text of linesOf(part.value)) {
      if (part.added) lines.push({ kind: 'added', text, after: a++ });
      else if (part.removed) lines.push({ kind: 'removed', text, before: b++ });
      else lines.push({ kind: 'same', text, before: b++, after: a++ });
    }
  }
  return lines;
}

/** What changed from `before` to `after`. No hunks: they are the same. */
export function difference(before: string, after: string): Difference {
  const lines = allLines(before, after);
  const hunks: Hunk[] = [];
  let shown = 0;
  let open: Hunk | undefined;
  let lastChange = -Infinity;
  for (const [at, line] of lines.entries()) {
    if (line.kind !== 'same') {
      if (!open || at - lastChange > 2 * AROUND + 1) {
        const from = Math.max(shown, at - AROUND);
        hunks.push((open = { skipped: from - shown, lines: lines.slice(from, at) }));
      } else {
        open.lines.push(...lines.slice(shown, at));
      }
      open.lines.push(line);
      shown = at + 1;
      lastChange = at;
    } else if (open && at - lastChange <= AROUND) {
      open.lines.push(line);
      shown = at + 1;
    }
  }
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return { hunks, added: count('added'), removed: count('removed'), skippedAfter: lines.length - shown };
}
