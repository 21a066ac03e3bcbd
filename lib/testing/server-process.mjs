/*
 * The real server in a process of its own, for tests that kill it: scripts/setup and server.ts as `npm start` runs them,
 * with the one port, the API, boot, recovery, signals and the drain. Only Next is left out, which needs a build and
 * decides nothing: its pages answer 404. The parent arms a failpoint of lib/failpoint.ts by a message.
 */
import { register } from 'node:module';

const data = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
const NO_PAGES = data(`export default () => ({
  prepare: async () => undefined,
  getRequestHandler: () => (request, response) => response.writeHead(404).end(),
  close: async () => undefined,
});`);

process.on('message', ({ failpoint }) => {
  process.env.HOLDFAST_FAILPOINT = failpoint;
});

const { claimServer } = await import('../../scripts/setup/claim.mjs');
const { loadServer } = await import('../../scripts/setup/serve.mjs');
register(data(`export const resolve = (name, context, next) => name === 'next' ? { url: ${JSON.stringify(NO_PAGES)}, shortCircuit: true } : next(name, context);`));
const { main } = await loadServer();
await main({ claim: await claimServer() });
