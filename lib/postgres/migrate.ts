import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { installJobQueue } from './job-queue';
import { withSchemaEngine } from './schema-engine';

/** Where migrations lie: one folder `<timestamp>_<name>` each, in Prisma's format. */
export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

const DATASOURCE_ONLY = 'datasource db {\n  provider = "postgresql"\n}\n';
const ATTEMPTS = 30;

/** A migration of this version of Holdfast. `checksum` is SHA-256 in hex, as Prisma records it. */
export type Migration = { name: string; sql: string; checksum: string };

/** The database cannot be brought to the form this version needs. The message says what to do. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

/** All migrations in a folder, in the order in which they apply. */
export function readMigrations(folder: string = MIGRATIONS_FOLDER): Migration[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'migration.sql')))
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Recorded = { migration_name: string; checksum: string; finished: boolean; logs: string | null };

async function recorded(connectionString: string): Promise<Recorded[]> {
  const client = new pg.Client({ connectionString, application_name: 'holdfast migrations' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Recorded>(
      'SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    );
    return rows;
  } catch (error) {
    // 42P01: the table is not there, so nothing was ever applied.
    if ((error as { code?: string }).code === '42P01') return [];
    throw error;
  } finally {
    await client.end();
  }
}

/** What keeps us out of a database, where waiting does not help by itself: its address, its sign-in, its being there. */
const SHUT_OUT = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|ENOENT|28|3D000|42501|08|57P03|53300)/;

/** Where a database is, without its password. */
function placeOf(connectionString: string): string {
  const url = URL.canParse(connectionString) ? new URL(connectionString) : undefined;
  return url ? `${url.hostname || 'this machine'}${url.port ? `:${url.port}` : ''}${url.pathname}` : 'the address given';
}

/** For people: that a database cannot be used, and why in its own words; undefined for any other error. */
export function shutOut(connectionString: string, error: unknown): MigrationError | undefined {
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code !== 'string' || !SHUT_OUT.test(code)) return undefined;
  return new MigrationError(`The database at ${placeOf(connectionString)} cannot be used: ${message || code}. Check that it runs, and DATABASE_URL.`, { cause: error });
}

/** What is left to apply. @throws MigrationError when an applied migration differs from the file of its name. */
function pendingOf(migrations: Migration[], rows: Recorded[]): Migration[] {
  return migrations.filter(({ name, checksum }) => {
    const finished = rows.filter((row) => row.migration_name === name && row.finished);
    if (finished.length > 0 && !finished.some((row) => row.checksum === checksum)) {
      throw new MigrationError(
        `The migration ${name} was changed after it was applied to this database. Put its file back to what was applied, ` +
          'and make the change in a new migration (npm run migration -- NAME). A database without data worth keeping may be emptied instead.',
      );
    }
    return finished.length === 0;
  });
}

function listFor(folder: string, migrations: Migration[]): MigrationList {
  const lockfile = join(folder, 'migration_lock.toml');
  return {
    baseDir: folder,
    lockfile: { path: 'migration_lock.toml', content: existsSync(lockfile) ? readFileSync(lockfile, 'utf8') : null },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

/** False for the engine's trace of its own calls, which says nothing about the migration. */
function isReason(line: string): boolean {
  return line.trim() !== '' && line !== 'external connector error' && !/^\s+(\d+: |with |at )/.test(line);
}

async function explain(connectionString: string, error: unknown): Promise<MigrationError> {
  const failed = (await recorded(connectionString).catch(() => [])).find((row) => !row.finished);
  if (!failed)
    return new MigrationError(`The database could not be migrated: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  const reason = (failed.logs ?? '').trim().split('\n').filter(isReason).slice(0, 12).join('\n');
  return new MigrationError(
    `The migration ${failed.migration_name} failed, so Holdfast cannot use this database.\n${reason}\n` +
      'Remove the cause, or restore the backup from before the update. PostgreSQL undoes a failed migration as a whole; then say so with\n' +
      `  npm run migration -- --rolled-back ${failed.migration_name}\n` +
      'and start Holdfast again.',
    { cause: error },
  );
}

/**
 * Applies the migrations that a database does not have yet, the job queue's own after ours; a SELECT each when it has
 * them all. Several processes may migrate one database at once: Prisma's engine lets them in one after another.
 * @returns the names of those of ours that this call applied.
 * @throws MigrationError
 */
export async function migrate(
  connectionString: string,
  options: { onProgress?: (line: string) => void; folder?: string } = {},
): Promise<string[]> {
  const applied = await applyMigrations(connectionString, options);
  await installJobQueue(connectionString);
  return applied;
}

async function applyMigrations(connectionString: string, options: { onProgress?: (line: string) => void; folder?: string }): Promise<string[]> {
  const folder = options.folder ?? MIGRATIONS_FOLDER;
  const migrations = readMigrations(folder);
  for (let attempt = 1; ; attempt += 1) {
    const pending = pendingOf(migrations, await recorded(connectionString));
    if (pending.length === 0) return [];
    if (attempt === 1)
      options.onProgress?.(`Bringing the database up to date (${pending.length} migration${pending.length === 1 ? '' : 's'})`);
    try {
      return await withSchemaEngine(connectionString, DATASOURCE_ONLY, async (engine) => {
        const { appliedMigrationNames } = await engine.applyMigrations({
          migrationsList: listFor(folder, migrations),
          filters: { externalTables: [], externalEnums: [] },
        });
        return appliedMigrationNames;
      });
    } catch (error) {
      // P1002: another process was still migrating after the engine's ten seconds of patience.
      if ((error as { code?: string }).code === 'P1002' && attempt < ATTEMPTS) continue;
      throw await explain(connectionString, error);
    }
  }
}

/** Records that a failed migration left nothing behind, so that it is tried again at the next start. */
export async function markRolledBack(connectionString: string, migrationName: string): Promise<void> {
  await withSchemaEngine(connectionString, DATASOURCE_ONLY, (engine) => engine.markMigrationRolledBack({ migrationName }));
}
