/** Copies of a PostgreSQL cluster as an administrator makes them: a standby, a restored backup. */
import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

const dataOf = (folder: string): string => join(folder, 'postgres', 'data');

/** Copies the files of the cluster in `from` to a new cluster's folder, passwords included, owners kept. */
export function copyCluster(from: string, to: string): void {
  mkdirSync(join(to, 'postgres'), { recursive: true });
  const { uid, gid } = statSync(join(from, 'postgres'));
  chownSync(join(to, 'postgres'), uid, gid);
  try {
    execFileSync('cp', ['-a', dataOf(from), dataOf(to)], { stdio: 'pipe' });
  } catch {
    // Of a running server files may vanish meanwhile, as the backup protocol allows; what matters is copied.
  }
  rmSync(join(dataOf(to), 'postmaster.pid'), { force: true });
  copyFileSync(join(from, 'postgres-passwords.json'), join(to, 'postgres-passwords.json'));
}

/** Writes a file into a cluster's data folder, owned as the folder is. */
export function putFile(folder: string, name: string, content = ''): void {
  const path = join(dataOf(folder), name);
  writeFileSync(path, content, { mode: 0o600 });
  const { uid, gid } = statSync(dataOf(folder));
  chownSync(path, uid, gid);
}

/** A file-level backup of the running cluster in `from`, by PostgreSQL's own protocol, to be recovered in `to`. */
export async function backUp(adminUrl: string, from: string, to: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query("SELECT pg_backup_start('holdfast test', true)");
    copyCluster(from, to);
    const { rows } = await admin.query('SELECT labelfile FROM pg_backup_stop(false)');
    putFile(to, 'backup_label', rows[0].labelfile);
  } finally {
    await admin.end();
  }
}

/** Asks again until the answer is yes. */
export async function until(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask())) await new Promise((next) => setTimeout(next, 20));
}
