import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * What tells one process from every other, for pids recur: a pid alone may name a stranger after a restart.
 * `startedAt` is opaque: compare it for equality only. `boot` is empty where the system has no boot id.
 */
export type ProcessIdentity = { pid: number; startedAt: string; boot: string };

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/**
 * Where a pid means one process: the machine's boot and, on Linux, the pid namespace, for containers of one
 * machine share its boot id but cannot see each other's processes. Empty where the system has no boot id.
 */
export function processSpace(): string {
  const boot = bootId();
  if (boot === '') return '';
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

function startTime(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name may hold spaces and parentheses, so fields are counted from its last ")".
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    if (process.platform === 'win32') {
      const script = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`;
      return execFileSync('powershell', ['-NoProfile', '-Command', script], { encoding: 'utf8', stdio: 'pipe' }).trim() || null;
    }
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        stdio: 'pipe',
        env: { ...process.env, LC_ALL: 'C' },
      }).trim() || null
    );
  } catch {
    return null;
  }
}

/** The identity of a running process (default: this one), or null when no such process runs. */
export function identityOf(pid: number = process.pid): ProcessIdentity | null {
  const startedAt = startTime(pid);
  return startedAt === null ? null : { pid, startedAt, boot: bootId() };
}

/** True while the very process that `identity` describes still runs on this machine. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== null && now.startedAt === identity.startedAt && now.boot === identity.boot;
}
