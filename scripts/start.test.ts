import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainListen, listenAddress, requireFree, requirePostgres } from './setup/address.mjs';
import { claimServer } from './setup/claim.mjs';
import { buildHash, isBuildSource } from './setup/build.mjs';
import { filesUnder, hashFiles, isStamped, stamp } from './setup/hash.mjs';
import { agrees } from './setup/install.mjs';
import { refuseNode } from './setup/node-version.mjs';
import { playwrightCounts, vitestCounts } from './setup/test.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-start-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (path: string, text: string) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};

describe('the version of Node', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('accepts %s', (version) => expect(refuseNode(version)).toBeNull());
  it.each(['18.20.0', '20.18.3'])('refuses %s, naming both versions', (version) => {
    expect(refuseNode(version)).toContain('20.19');
    expect(refuseNode(version)).toContain(version);
  });
});

describe("the build's hash", () => {
  it('changes with any source, and not with tests or generated code', () => {
    put('app/page.tsx', 'one');
    put('lib/a.ts', 'one');
    const before = buildHash(folder);
    put('lib/a.test.ts', 'test');
    put('lib/generated/prisma/client.ts', 'made');
    put('README.md', 'text');
    expect(buildHash(folder)).toBe(before);
    put('lib/a.ts', 'two');
    expect(buildHash(folder)).not.toBe(before);
  });

  it('tells a moved file from an unmoved one, and text from file names', () => {
    put('a', 'bc');
    put('ab', 'c');
    expect(hashFiles(folder, ['a'])).not.toBe(hashFiles(folder, ['ab']));
    expect(filesUnder(folder, ['ab', 'a', 'nowhere'])).toEqual(['a', 'ab']);
    expect(isBuildSource('components/button.test.tsx')).toBe(false);
  });

  it('is stamped only by itself', () => {
    const file = join(folder, '.next', 'stamp');
    expect(isStamped(file, 'x')).toBe(false);
    stamp(file, 'x');
    expect(isStamped(file, 'x')).toBe(true);
    expect(isStamped(file, 'y')).toBe(false);
  });
});

describe('what is installed', () => {
  const files = () => [join(folder, 'lock.json'), join(folder, 'note.json')] as const;
  const write = (lock: object, note: object) => {
    put('lock.json', JSON.stringify({ packages: { '': {}, ...lock } }));
    put('note.json', JSON.stringify({ packages: note }));
  };

  it('agrees with the lock file when only optional packages are missing', () => {
    write(
      { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0', optional: true } },
      { 'node_modules/a': { version: '1.0.0' } },
    );
    expect(agrees(...files())).toBe(true);
  });

  it.each([{ 'node_modules/a': { version: '0.9.0' } }, {}])('does not agree with %j', (note) => {
    write({ 'node_modules/a': { version: '1.0.0' } }, note);
    expect(agrees(...files())).toBe(false);
  });

  it('does not agree when nothing was installed', () => expect(agrees(join(folder, 'lock.json'), join(folder, 'none.json'))).toBe(false));
});

describe('the address', () => {
  it('is port 3000 of the loopback address unless PORT and HOST say otherwise', () => {
    expect(listenAddress({})).toEqual({ host: '127.0.0.1', port: 3000 });
    expect(listenAddress({ PORT: '8080', HOST: '0.0.0.0' })).toEqual({ host: '0.0.0.0', port: 8080 });
  });

  it.each(['x', '-1', '70000', '3000.5'])('refuses PORT=%s', (PORT) => expect(() => listenAddress({ PORT })).toThrow(/PORT must be/));

  it('names PORT when another program has it', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(requireFree('127.0.0.1', port)).rejects.toThrow(`PORT=${port + 1} npm start`);
    other.close();
    await once(other, 'close');
    await requireFree('127.0.0.1', port);
  });

  it('names HOST when it is none of this machine', () => {
    expect(explainListen({ code: 'EADDRNOTAVAIL' }, '10.1.2.3', 1).message).toContain('HOST is "10.1.2.3"');
  });
});

describe('the counts of a test run', () => {
  it('count a file that does not load as one failure', () => {
    const broken = { status: 'failed', assertionResults: [] };
    const failing = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] };
    expect(vitestCounts({ numPassedTests: 5, numFailedTests: 1, testResults: [broken, failing] })).toEqual({ passed: 5, failed: 2 });
  });

  it('count errors outside any browser test as failures', () => {
    expect(playwrightCounts({ stats: { expected: 3, flaky: 0, unexpected: 1, skipped: 2 }, errors: [{}] })).toEqual({
      passed: 3,
      failed: 2,
    });
  });
});

describe('your own database', () => {
  it.each(['garbage', 'mysql://a/b', 'postgres:', '127.0.0.1:5432/x', 'http://postgresql://x/y'])('is refused before the build when its address is %j', (url) =>
    expect(() => requirePostgres(url)).toThrow(/DATABASE_URL must be/),
  );
  it.each([undefined, '', 'postgres://u:p@h/d', 'postgresql://u:p%40@h:5433/d?sslmode=require'])('may be %j', (url) => expect(() => requirePostgres(url)).not.toThrow());
});

describe('the data folder', () => {
  it('that is a file, or below one, is refused in a sentence', async () => {
    put('file', 'x');
    for (const place of [join(folder, 'file'), join(folder, 'file', 'below')]) {
      process.env.HOLDFAST_DATA_DIR = place;
      try {
        await expect(claimServer()).rejects.toThrow(/^The data folder .* cannot be used: /);
      } finally {
        delete process.env.HOLDFAST_DATA_DIR;
      }
    }
  });
});
