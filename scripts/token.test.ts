import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, type Db } from '../lib/db/pool';
import { claim } from '../lib/postgres/claim';
import { ensureCluster, temporaryClusterFolder } from '../lib/postgres/cluster';
import { testDatabase, type TestDatabase } from '../lib/testing/database';
import { verifyToken } from '../lib/tokens/verify';
import { parse } from './token';

const SCRIPT = fileURLToPath(new URL('command.mjs', import.meta.url));
const ONE_TOKEN = /^hf_[A-Za-z0-9_-]{43}\n$/;

type Outcome = { code: number; stdout: string; stderr: string };

function run(args: string[], env: Record<string, string>): Promise<Outcome> {
  return new Promise((done) => {
    execFile(process.execPath, [SCRIPT, 'token', ...args], { env: { ...process.env, DATABASE_URL: undefined, ...env } }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
}

describe('npm run token', () => {
  it.each([
    [['ann', 'reader'], { name: 'ann', role: 'reader', kind: 'agent' }],
    [[' Ann B ', 'operator', '--person'], { name: 'Ann B', role: 'operator', kind: 'person' }],
    [['--person', 'ann', 'coworker'], { name: 'ann', role: 'coworker', kind: 'person' }],
  ])('understands %j', (args, wanted) => expect(parse(args)).toEqual(wanted));

  it.each<[string[]]>([[[]], [['ann']], [['ann', 'boss']], [['ann', 'reader', 'x']], [['ann', 'reader', '--force']], [['', 'reader']], [['a'.repeat(61), 'reader']], [['a\nb', 'reader']]])(
    'does not understand %j',
    (args) => expect(parse(args)).toEqual({ fault: expect.any(String) }),
  );

  describe('on the database of DATABASE_URL', () => {
    let database: TestDatabase;
    let db: Db;
    beforeAll(async () => {
      database = await testDatabase();
      db = createPool(database.url);
    });
    afterAll(async () => {
      await db.end();
      await database.close();
    });

    it('prints a token alone on a line', async () => {
      const { code, stdout } = await run(['First', 'operator', '--person'], { DATABASE_URL: database.url });
      expect(code).toBe(0);
      expect(stdout).toMatch(ONE_TOKEN);
      expect(await verifyToken(db, stdout.trim())).toMatchObject({ name: 'First', role: 'operator', kind: 'person' });
    });

    it('says what is wrong on standard error, with exit code 2 for bad usage and 1 for a refusal', async () => {
      const usage = await run(['First'], { DATABASE_URL: database.url });
      expect(usage).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: npm run -s token -- NAME ROLE') });
      await run(['Only', 'operator'], { DATABASE_URL: database.url });
      await db.query("UPDATE principal SET active = false WHERE name = 'First'");
      const refusal = await run(['Only', 'reader'], { DATABASE_URL: database.url });
      expect(refusal).toMatchObject({ code: 1, stdout: '', stderr: 'This is the last active operator: make another one first.\n' });
    });
  });

  it('works on the embedded database while its server runs, and when it does not', async () => {
    const folder = temporaryClusterFolder(tmpdir(), 'holdfast-test-');
    const env = { HOLDFAST_DATA_DIR: folder };
    try {
      const fresh = await run(['cold', 'operator'], env);
      expect(fresh).toMatchObject({ code: 0, stdout: expect.stringMatching(ONE_TOKEN) });

      const server = claim(folder, 'server', { address: null });
      const cluster = await ensureCluster(folder);
      expect(cluster.started).toBe(true); // the script stopped what it started
      try {
        const warm = await run(['warm', 'coworker'], env);
        expect(warm).toMatchObject({ code: 0, stdout: expect.stringMatching(ONE_TOKEN) });
        const db = createPool(cluster.url);
        try {
          expect(await verifyToken(db, fresh.stdout.trim())).toMatchObject({ name: 'cold', role: 'operator', kind: 'agent' });
          expect(await verifyToken(db, warm.stdout.trim())).toMatchObject({ name: 'warm', role: 'coworker' });
        } finally {
          await db.end();
        }
      } finally {
        await cluster.stop();
        server.release();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
