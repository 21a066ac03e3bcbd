import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where the data lies: `HOLDFAST_DATA_DIR`, else `.holdfast` in the project. Absolute. */
export function dataFolder() {
  return resolve(ROOT, process.env.HOLDFAST_DATA_DIR || '.holdfast');
}

/** Full logs of what runs before the server. */
export function logFolder() {
  return join(dataFolder(), 'logs');
}
