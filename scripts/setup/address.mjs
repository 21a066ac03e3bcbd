import { createServer } from 'node:net';
import { SetupError } from './run.mjs';

const DEFAULT_PORT = 3000;

/**
 * Where to listen: `PORT` (0: any free port) and `HOST`.
 * @param {Record<string, string | undefined>} env
 * @returns {{ host: string, port: number }}
 */
export function listenAddress(env = process.env) {
  const text = env.PORT?.trim() || String(DEFAULT_PORT);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new SetupError(`PORT must be a whole number from 0 to 65535; it is "${text}".`);
  return { host: env.HOST?.trim() || '127.0.0.1', port };
}

/** What to tell people when an address cannot be had. @param {unknown} error @param {string} host @param {number} port */
export function explainListen(error, host, port) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code === 'EADDRINUSE')
    return new SetupError(`Port ${port} is taken by another program. Set PORT to a free one, for example: PORT=${port + 1} npm start`);
  if (code === 'EACCES')
    return new SetupError(
      `This account may not listen on port ${port}. Set PORT to 1024 or more, for example: PORT=${DEFAULT_PORT} npm start`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new SetupError(`HOST is "${host}", which is no address of this machine.`);
  return new SetupError(`Holdfast cannot listen on ${host}, port ${port}: ${message}`);
}

/**
 * Finds out early whether the address can be had, before minutes go into a build.
 * @param {string} host
 * @param {number} port
 * @throws {SetupError}
 */
export async function requireFree(host, port) {
  await new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', (error) => failed(explainListen(error, host, port)));
    probe.listen(port, host, () => probe.close(done));
  });
}

/** Refuses a DATABASE_URL that is none of PostgreSQL's, before minutes go into a build. @throws {SetupError} */
export function requirePostgres(url = process.env.DATABASE_URL) {
  if (!url || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))) return;
  throw new SetupError('DATABASE_URL must be the address of a PostgreSQL database: postgresql://USER:PASSWORD@HOST:PORT/DATABASE');
}
