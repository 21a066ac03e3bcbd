import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, hashFiles, isStamped, stamp } from './hash.mjs';
import { ROOT } from './paths.mjs';
import { run } from './run.mjs';

const STAMP = join(ROOT, '.next', '.made-from');
const SOURCES = [
  'app',
  'components',
  'lib',
  'public',
  'styles',
  'hooks',
  'prisma/schema.prisma',
  'package-lock.json',
  'tsconfig.json',
  'next.config.ts',
  'next.config.mjs',
  'postcss.config.mjs',
  'proxy.ts',
  'instrumentation.ts',
];

/** Whether a file can change what the build makes. @param {string} path */
export function isBuildSource(path) {
  return !path.startsWith('lib/generated') && !path.startsWith('lib/testing') && !/\.test\.tsx?$/.test(path);
}

/** What the build is made from, as one SHA-256. @param {string} root */
export function buildHash(root = ROOT) {
  return hashFiles(root, filesUnder(root, SOURCES, isBuildSource));
}

/** Builds the pages unless they were built from these very sources. */
export async function ensureBuilt() {
  const wanted = buildHash();
  if (existsSync(join(ROOT, '.next', 'BUILD_ID')) && isStamped(STAMP, wanted)) return;
  await run(process.execPath, [join(ROOT, 'node_modules', 'next', 'dist', 'bin', 'next'), 'build'], {
    label: 'Building the pages (once)',
    log: 'build.log',
    advice: 'If you changed the code, the log names the place. Otherwise run `npm ci`, then the same command again.',
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  stamp(STAMP, wanted);
}
