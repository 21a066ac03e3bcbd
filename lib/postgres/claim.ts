import { linkSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity';

/**
 * A claim says which running process owns a folder. It is a file `<name>.<generation>.json` holding the owner's
 * identity; the highest generation decides. A dead owner is succeeded by creating the next generation, which the
 * file system lets exactly one process do; a released claim stays behind, so that generations never start again.
 */
export type Claim<Details> = {
  /** Replaces what other processes read about this owner. */
  update(details: Details): void;
  /** Gives the folder up. Safe to call twice. */
  release(): void;
};

type Stored<Details> = { owner: ProcessIdentity | null; details: Details | null };

/** Thrown when a live process owns the folder. `details` is what that owner last told about itself. */
export class ClaimedError<Details = unknown> extends Error {
  constructor(
    readonly owner: ProcessIdentity,
    readonly details: Details | null,
  ) {
    super(`Process ${owner.pid} is using it already.`);
    this.name = 'ClaimedError';
  }
}

function generations(folder: string, name: string): number[] {
  return readdirSync(folder)
    .flatMap((file) => {
      const match = file.startsWith(`${name}.`) ? /^(\d+)\.json$/.exec(file.slice(name.length + 1)) : null;
      return match ? [Number(match[1])] : [];
    })
    .sort((a, b) => b - a);
}

function read<Details>(path: string): Stored<Details> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Stored<Details>;
  } catch {
    // Removed by a successor, or damaged by a full disk: nobody alive wrote it.
    return { owner: null, details: null };
  }
}

function newest<Details>(folder: string, name: string): Stored<Details> | null {
  try {
    const [generation] = generations(folder, name);
    return generation === undefined ? null : read<Details>(join(folder, `${name}.${generation}.json`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The live owner of a folder and what it told about itself, or null. */
export function claimant<Details>(folder: string, name: string): { owner: ProcessIdentity; details: Details | null } | null {
  const held = newest<Details>(folder, name);
  return held?.owner && isAlive(held.owner) ? { owner: held.owner, details: held.details } : null;
}

/** `abandoned`: the last owner ended without releasing the folder. `free`: it released it, or there was none. */
export function claimState(folder: string, name: string): 'live' | 'abandoned' | 'free' {
  const owner = newest(folder, name)?.owner;
  if (!owner) return 'free';
  return isAlive(owner) ? 'live' : 'abandoned';
}

/**
 * Claims a folder (created when missing) for this process.
 * @throws ClaimedError while another live process, or an earlier claim of this one, owns it.
 */
export function claim<Details>(folder: string, name: string, details: Details): Claim<Details> {
  mkdirSync(folder, { recursive: true });
  const self = identityOf();
  if (!self) throw new Error('This process cannot read its own start time.');
  const path = (generation: number) => join(folder, `${name}.${generation}.json`);
  const write = (target: string, stored: Stored<Details>) => writeFileSync(target, JSON.stringify(stored), { mode: 0o600 });
  const draft = join(folder, `${name}.draft-${process.pid}-${Math.random().toString(36).slice(2)}`);
  try {
    for (;;) {
      const [newest = 0] = generations(folder, name);
      if (newest > 0) {
        const held = read<Details>(path(newest));
        if (held.owner && isAlive(held.owner)) throw new ClaimedError(held.owner, held.details);
      }
      const mine = newest + 1;
      write(draft, { owner: self, details });
      try {
        linkSync(draft, path(mine));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      const all = generations(folder, name);
      if (all[0] !== mine) {
        rmSync(path(mine), { force: true });
        continue;
      }
      for (const old of all.slice(1)) rmSync(path(old), { force: true });

      const replace = (stored: Stored<Details>) => {
        const next = join(folder, `${name}.next-${process.pid}-${mine}`);
        write(next, stored);
        renameSync(next, path(mine));
      };
      let released = false;
      return {
        update: (changed) => replace({ owner: self, details: changed }),
        release: () => {
          if (released) return;
          released = true;
          try {
            replace({ owner: null, details: null });
          } catch (error) {
            // A folder that is gone has no owner either.
            if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          }
        },
      };
    }
  } finally {
    rmSync(draft, { force: true });
  }
}
