/**
 * The sign-in library, set up for us: name and password for principals that operators made,
 * sessions in the database, one signed cookie. Its own HTTP routes are not mounted anywhere.
 */
import { betterAuth } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { log } from '../log';
import type { Runtime } from '../runtime';
import { sessionSecret } from './secret';

const DAY_SECONDS = 24 * 60 * 60;
/** A session ends 30 days after it was last renewed. */
const SESSION_SECONDS = 30 * DAY_SECONDS;

function create(prisma: Runtime['prisma'], secret: string) {
  return betterAuth({
    appName: 'Holdfast',
    baseURL: process.env.HOLDFAST_URL ?? 'http://localhost',
    secret,
    database: prismaAdapter(prisma, { provider: 'postgresql' }),
    user: { modelName: 'authUser' },
    session: { modelName: 'authSession', expiresIn: SESSION_SECONDS, updateAge: DAY_SECONDS },
    account: { modelName: 'authAccount' },
    verification: { modelName: 'authVerification' },
    // The library counts UTF-16 units; our schemas count characters.
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 8, maxPasswordLength: 400 },
    advanced: {
      cookiePrefix: 'holdfast',
      useSecureCookies: process.env.HOLDFAST_URL?.startsWith('https://') ?? false,
      ipAddress: { disableIpTracking: true },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message) => log.error({ event: 'sign-in-library', message }) },
  });
}

export type Auth = ReturnType<typeof create>;

const instances = new WeakMap<object, Promise<Auth>>();

/** The library on a runtime's database; made once. */
export function authOf(runtime: Pick<Runtime, 'db' | 'prisma'>): Promise<Auth> {
  let auth = instances.get(runtime.db);
  if (!auth) {
    auth = sessionSecret(runtime.db).then((secret) => create(runtime.prisma, secret));
    auth.catch(() => instances.delete(runtime.db));
    instances.set(runtime.db, auth);
  }
  return auth;
}
