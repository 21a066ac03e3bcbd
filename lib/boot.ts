import { withdrawPetitionsOfUnable } from './collaboration/sweep';
import { demoAccounts } from './demo/accounts';
import { seedDemo } from './demo/seed';
import { leaveDemoOut } from './demo/stage';
import type { Db } from './db/pool';
import { checkIncarnation, startMaintenance } from './maintenance';
import { log } from './log';
import { startHub } from './live/hub';
import { setMirrorRoot } from './amendment';
import { startRecovery, type Recovering } from './recovery/run';
import { hasRuntime, openRuntime, setRuntime } from './runtime';
import { startDeliveries } from './webhooks/worker';

export type BootOptions = {
  /** The data folder, where the demo's accounts are kept for the next start. */
  dataDir: string;
  address: string;
  /** True when the database is ours: then its first start is seeded with a demo. */
  embedded: boolean;
};

export type Booted = {
  /** How to sign in, for people. */
  lines: string[];
  /** Ends what would keep connections busy for ever: the streams of those who watch. */
  endStreams(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Brings an instance up on a migrated database: opens the pool, lifts grants after a restore
 * (LP-4), ends what a crash left half done (P-1), begins recovery (BR-1), and seeds the demo
 * on a first start.
 */
export async function boot(databaseUrl: string, options: BootOptions): Promise<Booted> {
  const runtime = setRuntime(openRuntime(databaseUrl));
  let recovery: Recovering | undefined;
  try {
    setMirrorRoot(options.dataDir);
    await checkIncarnation(runtime.db);
    await withdrawPetitionsOfUnable(runtime.db);
    // Lock calls, landings and reading work while it runs (BR-2), so nobody waits for it but the demo.
    const recovering = (recovery = await startRecovery(runtime.db, databaseUrl));
    const asked = process.env.HOLDFAST_DEMO === '1';
    if (asked || (options.embedded && process.env.HOLDFAST_DEMO !== '0')) await seedDemo(runtime.db, options.dataDir, recovering.done, asked);
    else if (options.embedded) await leaveDemoOut(runtime.db);
    const stopMaintenance = startMaintenance(runtime.db);
    const live = startHub(runtime.db, databaseUrl);
    const stopDeliveries = startDeliveries(runtime.db, databaseUrl);
    return {
      lines: await signInLines(runtime.db, options),
      endStreams: () => live.close(),
      async close() {
        stopMaintenance();
        await live.close();
        await stopDeliveries();
        await recovering.close().finally(() => runtime.close());
      },
    };
  } catch (error) {
    await recovery?.close().catch(() => undefined);
    await runtime.close();
    throw error;
  }
}

async function signInLines(db: Db, { address, dataDir }: BootOptions): Promise<string[]> {
  const accounts = await demoAccounts(db, dataDir);
  const token = 'For agents and scripts: npm run -s token -- NAME ROLE';
  if (accounts.length === 0) return [`Sign in at ${address}/sign-in`, token];
  const width = Math.max(...accounts.map((a) => a.name.length));
  return [
    `Sign in at ${address}/sign-in as one of the demo’s people:`,
    ...accounts.map((a) => `  ${a.name.padEnd(width)}  ${a.password}  (${a.role})`),
    token,
  ];
}

/**
 * For hosts without the custom server: brings the instance up on `DATABASE_URL`, which they
 * have migrated. Does nothing where a runtime is up already, or while pages are built.
 */
export async function bootWithoutServer(): Promise<void> {
  const databaseUrl = process.env.DATABASE_URL;
  if (hasRuntime() || !databaseUrl || process.env.NEXT_PHASE === 'phase-production-build') return;
  const dataDir = process.env.HOLDFAST_DATA_DIR ?? '.holdfast';
  const booted = await boot(databaseUrl, { dataDir, address: process.env.HOLDFAST_URL ?? '', embedded: false });
  const stop = () => void booted.close().catch((error: Error) => log.error({ event: 'not-stopped-in-order', message: error.message }));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
