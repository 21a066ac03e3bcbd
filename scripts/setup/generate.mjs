import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, hashFiles, isStamped, stamp } from './hash.mjs';
import { ROOT } from './paths.mjs';
import { run } from './run.mjs';

const FOLDER = join(ROOT, 'lib', 'generated', 'prisma');
const STAMP = join(FOLDER, '.made-from');

/** Generates the Prisma client unless it was made from this very schema. */
export async function ensureGenerated() {
  const sources = filesUnder(ROOT, ['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json']);
  const wanted = hashFiles(ROOT, sources);
  if (existsSync(join(FOLDER, 'client.ts')) && isStamped(STAMP, wanted)) return;
  await run(process.execPath, [join(ROOT, 'node_modules', 'prisma', 'build', 'index.js'), 'generate'], {
    label: 'Generating the database client',
    log: 'generate.log',
    advice: 'prisma/schema.prisma may hold an error: the log names the line.',
    // Prisma downloads its schema engine unless told where one is, and `generate` never runs it.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  });
  stamp(STAMP, wanted);
}
