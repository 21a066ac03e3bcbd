import { listenAddress, requireFree, requirePostgres } from './address.mjs';
import { ensureBuilt } from './build.mjs';
import { ensureGenerated } from './generate.mjs';
import { ensureInstalled } from './install.mjs';

/** All of `npm start`: what is missing is made, then the server runs in this process. */
export async function start() {
  const { host, port } = listenAddress();
  requirePostgres();
  await ensureInstalled();
  const { claimServer } = await import('./claim.mjs');
  const claim = await claimServer();
  try {
    await requireFree(host, port);
    await ensureGenerated();
    await ensureBuilt();
    const { loadServer } = await import('./serve.mjs');
    const { main } = await loadServer();
    await main({ claim });
  } catch (error) {
    claim.release();
    throw error;
  }
}
