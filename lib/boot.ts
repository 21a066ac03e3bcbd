import { withdrawPetitionsOfUnable } from './collaboration/sweep';
import { demoAccounts, seedDemo } from './demo/seed';
import { checkIncarnation, startMaintenance } from './maintenance';
import { openRuntime, setRuntime } from './runtime';

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
  close(): Promise<void>;
};

/**
 * Brings an instance up on a migrated database: opens the pool, lifts grants after a restore
 * (LP-4), ends what a crash left half done (P-1), seeds the demo on a first start.
 */
export async function boot(databaseUrl: string, options: BootOptions): Promise<Booted> {
  const runtime = setRuntime(openRuntime(databaseUrl));
  try {
    await checkIncarnation(runtime.db);
    await withdrawPetitionsOfUnable(runtime.db);
    if (process.env.HOLDFAST_DEMO === '1' || (options.embedded && process.env.HOLDFAST_DEMO !== '0')) await seedDemo(runtime.db, options.dataDir);
    const stopMaintenance = startMaintenance(runtime.db);
    return {
      lines: await signInLines(options),
      async close() {
        stopMaintenance();
        await runtime.close();
      },
    };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

async function signInLines({ address, dataDir }: BootOptions): Promise<string[]> {
  const accounts = await demoAccounts(dataDir);
  const token = 'For agents and scripts: npm run -s token -- NAME ROLE';
  if (accounts.length === 0) return [`Sign in at ${address}/sign-in`, token];
  const width = Math.max(...accounts.map((a) => a.name.length));
  return [
    `Sign in at ${address}/sign-in as one of the demo’s people:`,
    ...accounts.map((a) => `  ${a.name.padEnd(width)}  ${a.password}  (${a.role})`),
    token,
  ];
}
