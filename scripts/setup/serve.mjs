import { register } from 'tsx/esm/api';

/** The server runs in this process, its TypeScript translated as it loads. */
register();

/** @returns {Promise<typeof import("../../server")>} */
export function loadServer() {
  // React and Next choose their production code by this, when they are first loaded.
  Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' });
  return import('../../server.ts');
}
