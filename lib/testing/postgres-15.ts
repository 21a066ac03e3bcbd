/** Programs of PostgreSQL 15, the oldest version that Holdfast runs on. */
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

const DEBIAN = '/usr/lib/postgresql/15/bin';

/** The optional package `postgres-15` (an alias, see package.json), where it could be installed. */
function packaged(): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve('postgres-15')));
  } catch {
    return undefined;
  }
}

/**
 * The folder of PostgreSQL 15's programs: the optional package's, copied into `folder` so that
 * the database's account can enter it, else Debian's. Undefined where there is neither.
 */
export function postgres15(folder: string): string | undefined {
  const root = packaged();
  if (!root) return existsSync(join(DEBIAN, 'initdb')) ? DEBIAN : undefined;
  const copy = join(folder, 'postgres-15');
  cpSync(join(root, 'native'), join(copy, 'native'), { recursive: true, dereference: true });
  const list = join(copy, 'native', 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) : [];
  for (const { source, target } of links) {
    const link = join(copy, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(copy, source)), link);
  }
  return join(copy, 'native', 'bin');
}
