import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim, claimant, ClaimedError } from './claim';
import { identityOf, isAlive } from './process-identity';

describe('a claim', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-claim-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is refused while a live process owns the folder, telling what the owner said of itself', () => {
    const first = claim(folder, 'server', { address: null as string | null });
    first.update({ address: 'http://127.0.0.1:3000' });
    expect(() => claim(folder, 'server', { address: null })).toThrow(ClaimedError);
    expect(claimant(folder, 'server')).toMatchObject({ owner: { pid: process.pid }, details: { address: 'http://127.0.0.1:3000' } });
    first.release();
    expect(claimant(folder, 'server')).toBeNull();
    claim(folder, 'server', { address: null }).release();
  });

  it('succeeds a process that is gone, one whose pid has recurred, and a damaged file', () => {
    const self = identityOf();
    const stale = [
      JSON.stringify({ owner: { pid: 2 ** 22 + 1, startedAt: '1', boot: self?.boot }, details: null }),
      JSON.stringify({ owner: { ...self, startedAt: '1' }, details: null }),
      '{"owner',
    ];
    for (const text of stale) {
      writeFileSync(join(folder, 'server.7.json'), text);
      claim(folder, 'server', null).release();
      expect(readdirSync(folder)).toEqual(['server.8.json']);
      rmSync(join(folder, 'server.8.json'));
    }
  });

  it('keeps claims of different names apart', () => {
    const one = claim(folder, 'one', null);
    const two = claim(folder, 'two', null);
    one.release();
    two.release();
  });
});

describe("a process's identity", () => {
  it('holds while the process runs, and for no other', () => {
    const self = identityOf();
    expect(self && isAlive(self)).toBe(true);
    expect(self && isAlive({ ...self, startedAt: '0' })).toBe(false);
  });
});
