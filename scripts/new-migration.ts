import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureCluster } from '../lib/postgres/cluster';
import { markRolledBack, MIGRATIONS_FOLDER } from '../lib/postgres/migrate';
import { schemaDifference } from '../lib/postgres/schema-engine';

/*
 * npm run migration -- NAME                  writes prisma/migrations/<timestamp>_NAME from the change of prisma/schema.prisma
 * npm run migration -- --rolled-back FOLDER  tells the database that a failed migration left nothing behind
 *
 * Each migration's folder keeps the schema it leads to, beside migration.sql. The next one starts from that copy, so
 * that what only SQL can say (exclusion constraints, triggers) is never taken for a difference.
 */

const SCHEMA = fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url));
const LOCKFILE = '# Prisma reads which database the migrations are for.\nprovider = "postgresql"\n';

function lastSchema(): string | null {
  if (!existsSync(MIGRATIONS_FOLDER)) return null;
  const folders = readdirSync(MIGRATIONS_FOLDER).filter((name) => existsSync(join(MIGRATIONS_FOLDER, name, 'migration.sql')));
  const last = folders.sort().at(-1);
  return last ? readFileSync(join(MIGRATIONS_FOLDER, last, 'schema.prisma'), 'utf8') : null;
}

async function create(name: string): Promise<void> {
  const schema = readFileSync(SCHEMA, 'utf8');
  const sql = await schemaDifference(lastSchema(), schema);
  const timestamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const folder = join(MIGRATIONS_FOLDER, `${timestamp}_${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(MIGRATIONS_FOLDER, 'migration_lock.toml'), LOCKFILE);
  writeFileSync(join(folder, 'migration.sql'), sql ? `${sql}\n` : '-- prisma/schema.prisma has not changed: write the SQL here.\n');
  writeFileSync(join(folder, 'schema.prisma'), schema);
  console.log(`Written: prisma/migrations/${timestamp}_${name}/migration.sql. Read it, and add what only SQL can say.`);
}

async function rolledBack(folder: string): Promise<void> {
  if (process.env.DATABASE_URL) {
    await markRolledBack(process.env.DATABASE_URL, folder);
  } else {
    const cluster = await ensureCluster(process.env.HOLDFAST_DATA_DIR ?? fileURLToPath(new URL('../.holdfast', import.meta.url)));
    try {
      await markRolledBack(cluster.url, folder);
    } finally {
      await cluster.stop();
    }
  }
  console.log(`${folder} will be tried again at the next start.`);
}

const [first = '', second = ''] = process.argv.slice(2);
if (first === '--rolled-back' && second) await rolledBack(second);
else if (/^[a-z0-9_]+$/.test(first)) await create(first);
else {
  console.error('Usage: npm run migration -- NAME (lower-case letters, digits and _), or --rolled-back FOLDER');
  process.exitCode = 1;
}
