/** BR-3: which instances are dead. Decided by a process check, never by a clock alone. */
import { hostname } from 'node:os';
import { rows, statement, type Queryable } from '../db/pool';
import { identityOf, processSpace } from '../postgres/process-identity';

type Known = {
  id: string;
  host: string;
  bootId: string;
  pid: number;
  processStart: string;
  backendPid: number;
  backendStart: string;
  backendLives: boolean;
  /** The backend was found gone at an earlier check, ten seconds ago or more, under the same PostgreSQL start. */
  missingLong: boolean;
};

/** Two checks this far apart, in seconds, must find a backend gone. */
const APART_SECONDS = 10;

// Of another role's session PostgreSQL tells no start: such a backend counts as there.
const LIVING = statement(`
  SELECT i.id, i.host, i.boot_id AS "bootId", i.pid, i.process_start AS "processStart", i.backend_pid AS "backendPid", i.backend_start AS "backendStart",
    EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = i.backend_pid AND coalesce(iso(a.backend_start) = i.backend_start, true)) AS "backendLives",
    coalesce(i.missing_under = iso(pg_postmaster_start_time()) AND i.missing_since <= clock_timestamp() - make_interval(secs => ${APART_SECONDS}), false) AS "missingLong"
  FROM instance i WHERE i.ended_at IS NULL AND i.id <> $1`);
const SEEN = statement(`UPDATE instance SET missing_since = NULL, missing_under = NULL WHERE id = $1 AND missing_since IS NOT NULL`);
// The count starts again if PostgreSQL itself restarted in between.
const MISSING = statement(`
  UPDATE instance SET missing_since = clock_timestamp(), missing_under = iso(pg_postmaster_start_time())
  WHERE id = $1 AND missing_under IS DISTINCT FROM iso(pg_postmaster_start_time())`);
const DEAD = statement(`UPDATE instance SET ended_at = clock_timestamp(), ended_by = $2 WHERE id = $1 AND ended_at IS NULL AND backend_pid = $3 AND backend_start = $4`);

/** The proof that an instance is dead, or undefined: the process check where its processes can be seen from here, else its backend. */
function proofOfDeath(known: Known): string | undefined {
  const here = known.bootId !== '' && known.bootId === processSpace() && known.host === hostname();
  if (here) {
    // A pid that was given anew is another process: its start tells.
    return identityOf(known.pid)?.startedAt === known.processStart ? undefined : `process ${known.pid}, started at ${known.processStart}, is gone from ${known.host}`;
  }
  if (known.backendLives || !known.missingLong) return undefined;
  return `its database backend ${known.backendPid}, started ${known.backendStart}, was gone at two checks at least ${APART_SECONDS} s apart`;
}

/** Checks every instance that is thought to live, but this one, and marks the dead as ended with the proof. */
export async function markDeadInstances(q: Queryable, self: string): Promise<void> {
  for (const known of await rows<Known>(q, LIVING, [self])) {
    const proof = proofOfDeath(known);
    if (proof) await rows(q, DEAD, [known.id, proof, known.backendPid, known.backendStart]);
    else if (known.backendLives) await rows(q, SEEN, [known.id]);
    else await rows(q, MISSING, [known.id]);
  }
}

const ENDED = statement(`
  SELECT i.id, i.ended_by AS "endedBy" FROM instance i WHERE i.ended_at IS NOT NULL
    AND (EXISTS (SELECT 1 FROM pass p WHERE p.instance_id = i.id AND p.state = 'running') OR EXISTS (SELECT 1 FROM grid_write_lock l WHERE l.instance_id = i.id))`);

/** The instances that have ended and left something, each with how. */
export const endedInstances = async (q: Queryable): Promise<Map<string, string>> =>
  new Map((await rows<{ id: string; endedBy: string }>(q, ENDED)).map((i) => [i.id, i.endedBy]));
