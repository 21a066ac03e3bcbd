import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPrincipal } from '../principals/create';
import { changePrincipal } from '../principals/change';
import { HOST } from '../principals/record';
import { setPassword } from '../principals/set-password';
import { openRuntime, type Runtime } from '../runtime';
import { testDatabase, type TestDatabase } from '../testing/database';
import { authOf } from './auth';
import { renewSession, sessionOf, signOut } from './session';
import { purgeSessions } from './sessions';
import { sessionSecret } from './secret';
import { signIn } from './sign-in';

const PASSWORD = 'correct horse battery';

describe('sign-in', () => {
  let database: TestDatabase;
  let runtime: Runtime;
  beforeAll(async () => {
    database = await testDatabase();
    runtime = openRuntime(database.url);
    await createPrincipal(runtime.db, HOST, { name: 'The operator', role: 'operator' });
  });
  afterAll(async () => {
    await runtime.close();
    await database.close();
  });

  const person = (name: string, more: { password?: string } = { password: PASSWORD }) =>
    createPrincipal(runtime.db, HOST, { name, role: 'coworker', ...more });
  const attempt = (name: string, password: string, ip: string = randomUUID()) => signIn(runtime, { name, password }, { headers: new Headers(), ip });
  const cookieOf = (setCookie: string[]) => new Headers({ cookie: setCookie.map((line) => line.split(';')[0]).join('; ') });

  it('opens a session for a name in any case, with a cookie that scripts cannot read', async () => {
    const ann = await person('Ann Ähre');
    const { setCookie, principal } = await attempt('  ANN ÄHRE ', PASSWORD);
    expect(principal).toEqual({ id: ann.id, name: 'Ann Ähre', kind: 'person', role: 'coworker' });
    expect(setCookie).toHaveLength(1);
    expect(setCookie[0]).toMatch(/^holdfast\.session_token=/);
    expect(setCookie[0]).toMatch(/; HttpOnly/i);
    expect(setCookie[0]).toMatch(/; SameSite=Lax/i);
    expect(setCookie[0]).toMatch(/; Max-Age=2592000/i);
    expect(setCookie[0]).not.toMatch(/; Secure/i);
    expect(await sessionOf(runtime, cookieOf(setCookie))).toEqual(principal);
  });

  it('answers an unknown name, a wrong password, a deactivated and a passwordless principal alike', async () => {
    await person('Wrong');
    await person('Passwordless', {});
    const gone = await person('Gone');
    await changePrincipal(runtime.db, HOST, gone.id, { active: false });
    const outcomes: { error: unknown; ms: number }[] = [];
    for (const [name, password] of [['Nobody', PASSWORD], ['Wrong', 'a wrong password'], ['Gone', PASSWORD], ['Passwordless', PASSWORD]] as const) {
      const since = performance.now();
      const error = await attempt(name, password).catch((e: unknown) => e);
      outcomes.push({ error, ms: performance.now() - since });
    }
    for (const { error } of outcomes) {
      expect(error).toMatchObject({ code: 'unauthenticated', message: 'The name or the password is wrong.', members: {} });
    }
    // Each paid for one scrypt, which no query here comes near.
    expect(Math.min(...outcomes.map(({ ms }) => ms))).toBeGreaterThan(15);
  });

  it('takes no cookie that was tampered with, and none that another secret signed', async () => {
    await person('Tamper');
    const { setCookie } = await attempt('Tamper', PASSWORD);
    const cookie = setCookie[0]!.split(';')[0]!;
    const [name, value] = cookie.split('=') as [string, string];
    const [token, signature] = decodeURIComponent(value).split('.') as [string, string];
    const flip = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    for (const forged of [`${flip(token)}.${signature}`, `${token}.${flip(signature)}`, token, `${token}.`, '', '%', 'x.y.z']) {
      expect(await sessionOf(runtime, new Headers({ cookie: `${name}=${encodeURIComponent(forged)}` }))).toBeUndefined();
    }
    expect(await sessionOf(runtime, new Headers({ cookie: `${name}=%E0%A4%A` }))).toBeUndefined();
    expect(await sessionOf(runtime, new Headers({ cookie }))).toMatchObject({ name: 'Tamper' });
  });

  it('opens a new session at each sign-in, whatever cookie came with it', async () => {
    await person('Fixed');
    const first = await attempt('Fixed', PASSWORD);
    const second = await signIn(runtime, { name: 'Fixed', password: PASSWORD }, { headers: cookieOf(first.setCookie), ip: randomUUID() });
    expect(second.setCookie[0]!.split(';')[0]).not.toBe(first.setCookie[0]!.split(';')[0]);
  });

  it('ends a session at sign-out', async () => {
    await person('Leaver');
    const { setCookie } = await attempt('Leaver', PASSWORD);
    const removal = await signOut(runtime, cookieOf(setCookie));
    expect(removal.join('\n')).toMatch(/holdfast\.session_token=;.*Max-Age=0/i);
    expect(await sessionOf(runtime, cookieOf(setCookie))).toBeUndefined();
    await signOut(runtime, new Headers());
  });

  it('P-1: reads role and state at each call, and a deactivated principal is signed out for good', async () => {
    const bo = await person('Bo');
    const { setCookie } = await attempt('Bo', PASSWORD);
    await changePrincipal(runtime.db, HOST, bo.id, { role: 'reader' });
    expect(await sessionOf(runtime, cookieOf(setCookie))).toMatchObject({ role: 'reader' });
    await runtime.db.query('UPDATE principal SET active = false WHERE id = $1', [bo.id]);
    expect(await sessionOf(runtime, cookieOf(setCookie))).toBeUndefined();
    await changePrincipal(runtime.db, HOST, bo.id, { active: true });
    expect(await sessionOf(runtime, cookieOf(setCookie))).toBeUndefined();
  });

  it('ends the sessions of a principal whose password is set, and takes only the new one', async () => {
    const cy = await person('Cy');
    const { setCookie } = await attempt('Cy', PASSWORD);
    await setPassword(runtime.db, HOST, cy.id, 'another password');
    expect(await sessionOf(runtime, cookieOf(setCookie))).toBeUndefined();
    await expect(attempt('Cy', PASSWORD)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(attempt('Cy', 'another password')).resolves.toMatchObject({ principal: { name: 'Cy' } });
  });

  it('refuses an expired session, and prolongs one only when asked to', async () => {
    const di = await person('Di');
    const { setCookie } = await attempt('Di', PASSWORD);
    const expiry = async () => (await runtime.db.query('SELECT "expiresAt"::text AS at FROM auth_session WHERE "userId" = $1', [di.id])).rows[0]?.at;
    await runtime.db.query(`UPDATE auth_session SET "expiresAt" = "expiresAt" - interval '2 days' WHERE "userId" = $1`, [di.id]);
    const before = await expiry();
    expect(await sessionOf(runtime, cookieOf(setCookie))).toMatchObject({ name: 'Di' });
    expect(await expiry()).toBe(before);
    const renewed = await renewSession(runtime, cookieOf(setCookie));
    expect(renewed.caller).toMatchObject({ name: 'Di' });
    expect(renewed.setCookie[0]).toMatch(/Max-Age=2592000/);
    expect(await expiry()).not.toBe(before);
    expect((await renewSession(runtime, cookieOf(setCookie))).setCookie).toEqual([]);
    await runtime.db.query(`UPDATE auth_session SET "expiresAt" = "expiresAt" - interval '40 days' WHERE "userId" = $1`, [di.id]);
    expect(await sessionOf(runtime, cookieOf(setCookie))).toBeUndefined();
    await purgeSessions(runtime.db);
    expect(await expiry()).toBeUndefined();
  });

  it('marks the cookie Secure where the public address is https', async () => {
    await person('Secure');
    vi.stubEnv('HOLDFAST_URL', 'https://wiki.example.org');
    const behindTls = openRuntime(database.url);
    try {
      const { setCookie } = await signIn(behindTls, { name: 'Secure', password: PASSWORD }, { headers: new Headers(), ip: '192.0.2.1' });
      expect(setCookie[0]).toMatch(/^__Secure-holdfast\.session_token=/);
      expect(setCookie[0]).toMatch(/; Secure/i);
      expect(await sessionOf(behindTls, cookieOf(setCookie))).toMatchObject({ name: 'Secure' });
    } finally {
      vi.unstubAllEnvs();
      await behindTls.close();
    }
  });

  it.each([
    ['deactivation', (id: string) => changePrincipal(runtime.db, HOST, id, { active: false })],
    ['new password', (id: string) => setPassword(runtime.db, HOST, id, 'another password')],
  ])('P-1: a sign-in that a %s overtakes is refused and leaves no session', async (what, change) => {
    const eve = await person(`Eve of the ${what}`);
    let reached = () => {};
    let go = () => {};
    const atStore = new Promise<void>((resolve) => (reached = resolve));
    const changed = new Promise<void>((resolve) => (go = resolve));
    const { db, prisma, close } = openRuntime(database.url);
    const held = prisma.$extends({
      query: {
        authSession: {
          // The password was right and the session is about to be stored.
          async create({ args, query }) {
            reached();
            await changed;
            return query(args);
          },
        },
      },
    }) as unknown as Runtime['prisma'];
    try {
      const late = signIn({ db, prisma: held }, { name: eve.name, password: PASSWORD }, { headers: new Headers(), ip: '192.0.2.2' });
      const outcome = expect(late).rejects.toMatchObject({ code: 'unauthenticated' });
      await atStore;
      await change(eve.id);
      go();
      await outcome;
    } finally {
      go();
      await close();
    }
    expect((await runtime.db.query('SELECT 1 FROM auth_session WHERE "userId" = $1', [eve.id])).rowCount).toBe(0);
  });

  it('has no sign-up', async () => {
    const auth = await authOf(runtime);
    await expect(auth.api.signUpEmail({ body: { name: 'x', email: 'x@example.org', password: PASSWORD } })).rejects.toMatchObject({ statusCode: 400 });
  });

  it('makes one secret for all instances, also when they ask at once', async () => {
    await runtime.db.query("DELETE FROM setting WHERE key = 'session-secret'");
    const secrets = await Promise.all(Array.from({ length: 8 }, () => sessionSecret(runtime.db)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]!.length).toBeGreaterThanOrEqual(43);
  });

  it('limits attempts on one name from one address, and forgives them after a success', async () => {
    await person('Limited');
    for (let i = 0; i < 9; i++) await expect(attempt('Limited', 'wrong wrong', '192.0.2.7')).rejects.toMatchObject({ code: 'unauthenticated' });
    await attempt('Limited', PASSWORD, '192.0.2.7');
    for (let i = 0; i < 10; i++) await expect(attempt('Limited', 'wrong wrong', '192.0.2.7')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(attempt('limited', PASSWORD, '192.0.2.7')).rejects.toMatchObject({ code: 'rate-limited', members: { retryAfter: expect.any(Number) } });
    await expect(attempt('Limited', PASSWORD, '192.0.2.8')).resolves.toMatchObject({ principal: { name: 'Limited' } });
  });
});
