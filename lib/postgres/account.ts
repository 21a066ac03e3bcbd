import { execFileSync, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The system account PostgreSQL runs under. Undefined ids mean: the account of this process. */
export type Account = { uid?: number; gid?: number };

const NAMES = ['postgres', 'holdfast'];

function lookUp(name: string): Account | null {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return null;
  }
}

function create(name: string): Account {
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name]],
    ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', name]],
  ];
  for (const [command, args] of attempts) {
    spawnSync(command, args, { stdio: 'ignore' });
    const account = lookUp(name);
    if (account) return account;
  }
  throw new Error(
    'PostgreSQL does not run as root, and no system account for it could be created. ' +
      'Create a user named postgres, or start Holdfast as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * The account for a cluster: that of this process unless it is root, which PostgreSQL refuses; then the owner of an
 * existing data folder, else `postgres`, else `holdfast`, which is created when missing.
 */
export function postgresAccount(pgdata: string): Account {
  if (process.getuid?.() !== 0) return {};
  try {
    const { uid, gid } = statSync(pgdata);
    if (uid !== 0) return { uid, gid };
  } catch {
    // No cluster yet.
  }
  for (const name of NAMES) {
    const account = lookUp(name);
    if (account) return account;
  }
  return create('holdfast');
}

/** Whether the account can enter a folder and read what it lists. The folder must exist. */
export function canEnter(account: Account, folder: string): boolean {
  if (account.uid === undefined) return true;
  const { status } = spawnSync('/bin/sh', ['-c', 'cd "$0" 2>/dev/null', folder], { ...account, cwd: '/', stdio: 'ignore' });
  return status === 0;
}

/** Whether the account can run a program. */
export function canRun(account: Account, program: string): boolean {
  if (account.uid === undefined) return true;
  return spawnSync(program, ['--version'], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}
