/**
 * Typed text that is kept in the browser until it is saved (W-3): it survives a reload, an
 * expired session, a lost connection, and the form itself, where the page changes so that the
 * form goes while somebody types. It is shown again to its author alone, also after signing
 * out and in, and forgotten after a month.
 */
import { inStorage, store } from './storage';

export type Kept = {
  base: string;
  values: Record<string, string>;
  /** The page that the form stands on, the form's name, and its fields' labels. */
  path: string;
  form: string;
  labels: Record<string, string>;
  /** When it was typed, by this browser's clock, in milliseconds since 1970. */
  at: number;
};

/** What a form has of it. */
export type Typed = Omit<Kept, 'at'>;

const PREFIX = 'holdfast.kept.';
/** Browsers give a site a few megabytes; a longer text is not kept. */
const MAX_CHARACTERS = 1_000_000;
const MONTH_MS = 30 * 24 * 3_600_000;

export function keep(key: string, kept: Typed): void {
  const text = JSON.stringify({ ...kept, at: Date.now() } satisfies Kept);
  if (text.length <= MAX_CHARACTERS) store(PREFIX + key, text);
}

export function forget(key: string): void {
  store(PREFIX + key, undefined);
  tell();
}

const sameText = (a: Typed, b: Typed): boolean => Object.keys({ ...a.values, ...b.values }).every((name) => a.values[name] === b.values[name]);

/** Forgets this text. What another tab has typed into the same form since stays. */
export function forgetText(key: string, text: Typed): void {
  const found = recall(key);
  if (!found || sameText(found, text)) forget(key);
}

export function recall(key: string): Kept | undefined {
  return inStorage((storage) => {
    const found = JSON.parse(storage.getItem(PREFIX + key) ?? 'null') as Kept | null;
    if (!found || typeof found.base !== 'string' || typeof found.values !== 'object') return undefined;
    if (Date.now() - found.at < MONTH_MS) return found;
    storage.removeItem(PREFIX + key);
    return undefined;
  }, undefined);
}

const keptKeys = (): string[] =>
  inStorage(
    (storage) =>
      Object.keys(storage)
        .filter((key) => key.startsWith(PREFIX))
        .map((key) => key.slice(PREFIX.length)),
    [],
  );

// --- forms that are there, and text whose form is not -------------------------------------------

/** Where somebody was typing when a form went. */
export type Caret = { key: string; name: string; start: number | null; end: number | null };

const present = new Map<string, number>();
const listeners = new Set<() => void>();
let version = 0;
let caret: Caret | undefined;

function tell(): void {
  version++;
  for (const listener of listeners) listener();
}

/** Says that the form of a key is on the page; gives what says that it has gone, and where somebody typed in it. */
export function formIsHere(key: string): (typing?: Omit<Caret, 'key'>) => void {
  present.set(key, (present.get(key) ?? 0) + 1);
  tell();
  return (typing) => {
    const left = present.get(key)! - 1;
    if (left > 0) present.set(key, left);
    else present.delete(key);
    caret = typing && left === 0 ? { key, ...typing } : caret;
    tell();
  };
}

export function subscribeKept(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Another number whenever there may be other text without a form. */
export const keptVersion = (): number => version;

/** Text of a viewer that was typed on this page in a form that is not there. */
export function homeless(viewer: string | undefined, path: string): { key: string; kept: Kept }[] {
  const mine = `${viewer ?? 'nobody'}.`;
  return keptKeys()
    .filter((key) => key.startsWith(mine) && !present.has(key))
    .sort()
    .flatMap((key) => {
      const kept = recall(key);
      return kept?.path === path && Object.values(kept.values).some((text) => text.trim() !== '') ? [{ key, kept }] : [];
    });
}

/** Takes where somebody was typing when a form went: typing goes on there. */
export function takeCaret(): Caret | undefined {
  const taken = caret;
  caret = undefined;
  return taken;
}
