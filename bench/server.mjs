/** What the benchmarks look at beside the API, where the server runs on this machine: its memory, and the hints in its database. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { register } from 'tsx/esm/api';
import { dataFolder } from '../scripts/setup/paths.mjs';
import { site } from './kit.mjs';

register();
const { claimant } = await import('../lib/postgres/claim.ts');

/** The server's process: BENCH_PID, else the owner of the data folder, if that is the server that is measured. */
export function serverPid() {
  if (process.env.BENCH_PID) return Number(process.env.BENCH_PID);
  const owner = claimant(dataFolder(), 'server');
  return owner && owner.details?.address === site ? owner.owner.pid : undefined;
}

/** Resident memory of a process in bytes; undefined where the system does not tell. */
export function residentMemory(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** The least resident memory of some looks over a while: what stays, without what is about to be freed. */
export async function settledMemory(pid, seconds) {
  let least = Infinity;
  for (let i = 0; i < seconds * 2; i++) {
    await sleep(500);
    least = Math.min(least, residentMemory(pid));
  }
  return least;
}

/** Seconds of processor time that a process has used. */
export function processorTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Listens to the database's hints while some work is done.
 * @returns {Promise<number | undefined>} notifications a second; undefined where the database cannot be reached
 */
export async function notificationsDuring(work) {
  const { withDatabase } = await import('../scripts/database.ts');
  const { CHANNEL } = await import('../lib/db/hints.ts');
  const reached = process.env.DATABASE_URL || serverPid() !== undefined;
  if (!reached) {
    await work();
    return undefined;
  }
  return withDatabase(async (db) => {
    const client = await db.connect();
    let heard = 0;
    client.on('notification', () => heard++);
    await client.query(`LISTEN ${CHANNEL}`);
    const began = performance.now();
    await work();
    const took = (performance.now() - began) / 1000;
    client.release(true);
    return heard / took;
  });
}
