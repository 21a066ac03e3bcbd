import { isProblem } from '../lib/problems';
import { MigrationError } from '../lib/postgres/migrate';
import { allRegisters, verifyRegister } from '../lib/register/verify';
import { NoAnswerError, withDatabase } from './database';

const USAGE = `Usage: npm run -s verify -- [SLUG …]

Verifies the registers of the containers named, or of all: rehashes every stored body, walks the chain, and names the
first bad link. Exit code 0 when all hold, 1 when one does not.`;

/** All of the command. @returns a line for each register; `code` is the exit code (2: bad usage) */
export async function main(args: string[]): Promise<{ output?: string; message?: string; code: number }> {
  if (args.some((arg) => arg.startsWith('-'))) return { message: USAGE, code: 2 };
  try {
    return await withDatabase(async (db) => {
      const lines: string[] = [];
      let code = 0;
      for (const slug of args.length > 0 ? args : await allRegisters(db)) {
        const { ok, checked, firstBad } = await verifyRegister(db, slug, 'host');
        lines.push(ok ? `${slug}: good, ${checked} landings` : `${slug}: BAD at landing ${firstBad!.sequence}: ${firstBad!.reason}`);
        if (!ok) code = 1;
      }
      return { output: lines.join('\n'), code };
    });
  } catch (error) {
    if (isProblem(error) || error instanceof MigrationError || error instanceof NoAnswerError) return { message: error.message, code: 1 };
    throw error;
  }
}
