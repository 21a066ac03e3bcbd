import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createPool } from "../lib/db/pool";
import { claimant } from "../lib/postgres/claim";
import { ClusterInUseError, ensureCluster } from "../lib/postgres/cluster";
import { migrate, MigrationError } from "../lib/postgres/migrate";
import { isProblem } from "../lib/problems";
import { principalName, role as roleSchema } from "../lib/schemas/principals";
import { unstorable } from "../lib/schemas/text";
import { issueTokenByName } from "../lib/tokens/issue-by-name";
import { dataFolder } from "./setup/paths.mjs";

const USAGE = `Usage: npm run -s token -- NAME ROLE [--person]

Prints a new API token for NAME, alone on a line. Makes NAME if there is none (an agent, or a person with --person),
gives it ROLE (reader, coworker or operator), and activates it again if it was deactivated.`;

export type Wanted = { name: string; role: "reader" | "coworker" | "operator"; kind: "person" | "agent" };

/** What the command line asks for, or what is wrong with it. */
export function parse(args: string[]): Wanted | { fault: string } {
  const flags = args.filter((arg) => arg.startsWith("--"));
  const [givenName, givenRole, ...more] = args.filter((arg) => !arg.startsWith("--"));
  const unknown = flags.find((flag) => flag !== "--person");
  if (unknown) return { fault: `Unknown option ${unknown}.` };
  if (givenName === undefined || givenRole === undefined || more.length > 0) return { fault: "A name and a role are needed (quote a name with spaces)." };
  const name = principalName.safeParse(givenName);
  const fault = unstorable(givenName)?.message ?? name.error?.issues[0]?.message;
  if (fault) return { fault: `The name ${fault}.` };
  const role = roleSchema.safeParse(givenRole);
  if (!role.success) return { fault: `There is no role ${givenRole}.` };
  return { name: name.data as string, role: role.data, kind: flags.length > 0 ? "person" : "agent" };
}

async function issue(url: string, wanted: Wanted): Promise<string> {
  await migrate(url);
  const db = createPool(url, { max: 2 });
  try {
    return (await issueTokenByName(db, wanted)).token;
  } finally {
    await db.end();
  }
}

class NoAnswerError extends Error {}

const PATIENCE_MS = 60_000;
const RETRY_MS = 250;

/** Where the cluster of a data folder listens while another process owns it, or null while it does not. */
function runningUrl(dataDir: string): string | null {
  try {
    const json = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, string>;
    const record = join(dataDir, "postgres.json");
    const home = existsSync(record) ? (json(record).home ?? dataDir) : dataDir;
    const port = Number(readFileSync(join(home, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[3]);
    return port > 0 ? `postgresql://holdfast:${json(join(dataDir, "postgres-passwords.json")).app}@127.0.0.1:${port}/holdfast` : null;
  } catch {
    return null;
  }
}

/** Whether a database that is starting or stopping may explain the error. */
function mayPass(error: unknown): boolean {
  if (isProblem(error)) return error.code === "busy";
  const { code, message } = error as { code?: string; message?: string };
  return /^(ECONN|57P0|3D000|28P01)/.test(code ?? "") || /Connection terminated|ECONNREFUSED|ECONNRESET|shutting down|starting up/.test(message ?? "");
}

/** One try on the data folder's own database: through the running one, else on one started for this. Null when it is worth another. */
async function tryEmbedded(dataDir: string, wanted: Wanted): Promise<string | null> {
  // A server that is just starting must find the cluster free.
  if (!claimant(dataDir, "server")) {
    try {
      const cluster = await ensureCluster(dataDir);
      try {
        return await issue(cluster.url, wanted);
      } finally {
        if (cluster.started) await cluster.stop();
      }
    } catch (error) {
      if (!(error instanceof ClusterInUseError)) throw error;
    }
  }
  const url = runningUrl(dataDir);
  if (!url) return null;
  try {
    return await issue(url, wanted);
  } catch (error) {
    if (mayPass(error)) return null;
    throw error;
  }
}

async function issueEmbedded(dataDir: string, wanted: Wanted): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const token = await tryEmbedded(dataDir, wanted);
    if (token) return token;
    if (Date.now() > deadline) throw new NoAnswerError(`The database in ${dataDir} belongs to another process and does not answer.`);
    await pause(RETRY_MS);
  }
}

/** All of the command. @returns the token, or a message for people; `code` is the exit code (2: bad usage) */
export async function main(args: string[]): Promise<{ token?: string; message?: string; code: number }> {
  const wanted = parse(args);
  if ("fault" in wanted) return { message: `${wanted.fault}\n\n${USAGE}`, code: 2 };
  const url = process.env.DATABASE_URL;
  try {
    return { token: url ? await issue(url, wanted) : await issueEmbedded(dataFolder(), wanted), code: 0 };
  } catch (error) {
    if (isProblem(error) || error instanceof MigrationError || error instanceof NoAnswerError) return { message: error.message, code: 1 };
    throw error;
  }
}
