/**
 * Crash tests: a real server process ends by SIGKILL at the named step. Off unless
 * `HOLDFAST_FAILPOINT` names one; nothing else happens here.
 */
export type Failpoint = 'amendment-after-lock' | 'amendment-in-transaction' | 'amendment-after-commit' | 'mirror-between-renames';

export function failpoint(name: Failpoint): void {
  if (process.env.HOLDFAST_FAILPOINT === name) process.kill(process.pid, 'SIGKILL');
}
