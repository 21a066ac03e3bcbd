import { register } from 'tsx/esm/api';
import { dataFolder } from './paths.mjs';
import { SetupError } from './run.mjs';

register();

/**
 * Makes this process the one server of the data folder.
 * @returns {Promise<import("../../lib/postgres/claim").Claim<{ address: string | null }>>}
 * @throws {SetupError} naming the server that is there already
 */
export async function claimServer() {
  const { claim, ClaimedError } = await import('../../lib/postgres/claim.ts');
  const folder = dataFolder();
  try {
    return claim(folder, 'server', { address: null });
  } catch (error) {
    if (!(error instanceof ClaimedError)) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (!code) throw error;
      throw new SetupError(`The data folder ${folder} cannot be used: ${message}. Set HOLDFAST_DATA_DIR to a folder that this account can write.`);
    }
    const { address } = /** @type {{ address: string | null }} */ (error.details ?? { address: null });
    throw new SetupError(
      `Holdfast is ${address ? `running already, at ${address}` : 'starting already'} (process ${error.owner.pid}, data in ${folder}).\n` +
        'Use that one, or stop it first. For a second, separate Holdfast set HOLDFAST_DATA_DIR and PORT.',
    );
  }
}
