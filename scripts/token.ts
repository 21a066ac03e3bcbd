import { MigrationError } from '../lib/postgres/migrate';
import { isProblem } from '../lib/problems';
import { principalName, role as roleSchema } from '../lib/schemas/principals';
import { unstorable } from '../lib/schemas/text';
import { issueTokenByName } from '../lib/tokens/issue-by-name';
import { NoAnswerError, withDatabase } from './database';

const USAGE = `Usage: npm run -s token -- NAME ROLE [--person]

Prints a new API token for NAME, alone on a line. Makes NAME if there is none (an agent, or a person with --person),
gives it ROLE (reader, coworker or operator), and activates it again if it was deactivated.`;

export type Wanted = { name: string; role: 'reader' | 'coworker' | 'operator'; kind: 'person' | 'agent' };

/** What the command line asks for, or what is wrong with it. */
export function parse(args: string[]): Wanted | { fault: string } {
  const flags = args.filter((arg) => arg.startsWith('--'));
  const [givenName, givenRole, ...more] = args.filter((arg) => !arg.startsWith('--'));
  const unknown = flags.find((flag) => flag !== '--person');
  if (unknown) return { fault: `Unknown option ${unknown}.` };
  if (givenName === undefined || givenRole === undefined || more.length > 0) return { fault: 'A name and a role are needed (quote a name with spaces).' };
  const name = principalName.safeParse(givenName);
  const fault = unstorable(givenName)?.message ?? name.error?.issues[0]?.message;
  if (fault) return { fault: `The name ${fault}.` };
  const role = roleSchema.safeParse(givenRole);
  if (!role.success) return { fault: `There is no role ${givenRole}.` };
  return { name: name.data as string, role: role.data, kind: flags.length > 0 ? 'person' : 'agent' };
}

/** All of the command. @returns the token for standard output, or a message for people; `code` is the exit code (2: bad usage) */
export async function main(args: string[]): Promise<{ output?: string; message?: string; code: number }> {
  const wanted = parse(args);
  if ('fault' in wanted) return { message: `${wanted.fault}\n\n${USAGE}`, code: 2 };
  try {
    return { output: (await withDatabase((db) => issueTokenByName(db, wanted))).token, code: 0 };
  } catch (error) {
    if (isProblem(error) || error instanceof MigrationError || error instanceof NoAnswerError) return { message: error.message, code: 1 };
    throw error;
  }
}
