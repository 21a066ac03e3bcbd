/**
 * What a running process shares: the pool and the Prisma client on it. Next bundles `lib`
 * apart from `server.ts`, so it sits on `globalThis`.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { createPool, type Db } from './db/pool';
import { PrismaClient } from './generated/prisma/client';
import { log } from './log';

export type Runtime = {
  db: Db;
  prisma: PrismaClient;
  /** Closes the pool; waits for what is checked out. */
  close(): Promise<void>;
};

const KEY = Symbol.for('holdfast.runtime');
type Shared = typeof globalThis & { [KEY]?: Runtime };

/** Opens pool and client on a database, without making them the process's. */
export function openRuntime(databaseUrl: string, options: { max?: number } = {}): Runtime {
  const db = createPool(databaseUrl, {
    max: options.max,
    onError: (error) => log.warn({ event: 'database-connection-lost', message: error.message }),
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(db) });
  return {
    db,
    prisma,
    async close() {
      await prisma.$disconnect();
      if (!db.ended) await db.end();
    },
  };
}

/** Makes a runtime the process's own. */
export function setRuntime(runtime: Runtime): Runtime {
  return ((globalThis as Shared)[KEY] = runtime);
}

/** Whether this process has a runtime. */
export const hasRuntime = (): boolean => (globalThis as Shared)[KEY] !== undefined;

/**
 * The process's runtime. Where no custom server set one, opens it on `DATABASE_URL`.
 * @throws Error when there is neither
 */
export function runtime(): Runtime {
  const shared = globalThis as Shared;
  if (shared[KEY]) return shared[KEY];
  const url = process.env.DATABASE_URL;
  if (!url) throw new Error('No database: start with `npm start`, or set DATABASE_URL.');
  return setRuntime(openRuntime(url));
}
