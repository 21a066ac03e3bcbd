/** Restarts the embedded PostgreSQL of a data folder under whoever uses it, on the same port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { postgresAccount } from '../postgres/account';
import { postgresBinaries } from '../postgres/binaries';

/** @param mode `fast` ends the sessions in good order; `immediate` is a crash of the database's server, which recovers from its log */
export async function restartPostgres(folder: string, mode: 'fast' | 'immediate'): Promise<void> {
  const home = join(folder, 'postgres');
  const data = join(home, 'data');
  const account = postgresAccount(data);
  const args = ['-D', data, '-l', join(home, 'postgres.log'), '-m', mode, '-w', 'restart'];
  const child = spawn(postgresBinaries(account).pgCtl, args, { ...account, cwd: home, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`PostgreSQL did not restart (${code})`);
}
