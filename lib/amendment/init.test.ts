/** G-1, G-3, G-4: the first version, the versions after it, and their files. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveContainer } from '../containers/change';
import { beginRecovery, finishStep, STEPS } from '../db/phase';
import { readYaml } from '../grid/parse';
import { readGridVersion } from '../project/read';
import type { Registered } from '../recovery/instance';
import { startPass } from '../runner';
import { amendmentsOf, ask, found, gridNow, quietInstance } from '../testing/amendments';
import { arrow, containerWith, gridOf } from '../testing/work';
import { holdGate, openWorld, outcomes, refusal, waitUntilWaiting, type World } from '../testing/world';
import { decideQueue, initGrid, mirrorFolder, setMirrorRoot } from '.';
import { lockGrid } from './write-lock';

let w: World;
let instance: Registered;
beforeAll(async () => {
  w = await openWorld({ size: 20 });
  instance = await quietInstance(w);
});
afterAll(async () => {
  await instance.close();
  await w.close();
});

const GRID = gridOf([arrow('a'), arrow('b', { requires: ['a'] })]);

describe('G-1: init', () => {
  test('writes v1, audited and in the checkpoint log, and lets the write-lock go', async () => {
    const slug = await w.container();
    const made = await initGrid(w.db, slug, w.operator.id, GRID);
    expect(made).toEqual({ version: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await gridNow(w, slug)).toEqual({
      ...made,
      grid: GRID,
      arrows: [{ id: 'a', status: 'unevaluated' }, { id: 'b', status: 'unevaluated' }],
      project: { version: 1, complete: 0, total: 2, unevaluated: 2 },
    });
    expect(await found(w, slug, 'SELECT * FROM grid_write_lock WHERE container_id = $1')).toEqual([]);
    expect(await found(w, slug, `SELECT action, actor_id AS actor, details->>'digest' AS digest FROM audit_line WHERE container_id = $1 AND action LIKE 'grid%'`)).toEqual([
      { action: 'grid-init', actor: w.operator.id, digest: made.digest },
    ]);
    expect(await found(w, slug, 'SELECT kind, content FROM checkpoint WHERE container_id = $1')).toEqual([{ kind: 'grid', content: made }]);
  });

  test('before v1 no pass starts, nothing is amended, and there is no grid to read', async () => {
    const [slug, lead] = await Promise.all([w.container(), w.person()]);
    const { grant } = await w.lead(slug, lead);
    expect((await refusal(startPass(w.db, slug, lead.id, { grant, arrow: 'a' }))).code).toBe('grid-missing');
    expect((await refusal(ask(w, slug))).code).toBe('grid-missing');
    expect((await refusal(gridNow(w, slug))).code).toBe('grid-missing');
  });

  test('a second init is grid-exists, also after amendments', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    expect((await refusal(initGrid(w.db, slug, w.operator.id, GRID))).code).toBe('grid-exists');
    await ask(w, slug);
    await decideQueue(w.db, slug);
    expect((await refusal(initGrid(w.db, slug, w.operator.id, GRID))).code).toBe('grid-exists');
    expect(await gridNow(w, slug)).toMatchObject({ version: 2, grid: { arrows: [{ id: 'a' }] } });
  });

  test('of eight inits at once, which all wait for the write-lock, one writes v1', async () => {
    const slug = await w.container();
    const grip = await holdGate(w.db, slug, 'shared', async (client) => lockGrid(client, (await client.query('SELECT id FROM container WHERE slug = $1', [slug])).rows[0].id));
    const inits = Array.from({ length: 8 }, (_, i) => initGrid(w.db, slug, w.operator.id, gridOf([arrow(`a${i}`)])));
    const done = outcomes(inits);
    await waitUntilWaiting(w.db, 8);
    await grip.letGo();
    const made = (await done).filter((d) => !('refused' in d));
    expect(made).toHaveLength(1);
    expect((await done).filter((d) => 'refused' in d)).toEqual(Array(7).fill({ refused: 'grid-exists' }));
    expect(await gridNow(w, slug)).toMatchObject(made[0]!);
    expect(await found(w, slug, 'SELECT version FROM grid_version WHERE container_id = $1')).toEqual([{ version: 1 }]);
  });

  test('only an operator, not where the container is archived, and not before the amendment step of recovery is done', async () => {
    const [slug, coworker] = await Promise.all([w.container(), w.person()]);
    expect(await refusal(initGrid(w.db, slug, coworker.id, GRID))).toMatchObject({ code: 'forbidden', members: { neededRole: 'operator' } });
    beginRecovery(instance.id);
    finishStep('engine');
    try {
      expect(await refusal(initGrid(w.db, slug, w.operator.id, GRID))).toMatchObject({ code: 'recovering', members: { step: 'amendment' } });
    } finally {
      for (const step of STEPS) finishStep(step);
    }
    await archiveContainer(w.db, slug, w.operator.id);
    expect((await refusal(initGrid(w.db, slug, w.operator.id, GRID))).code).toBe('archived');
    expect((await refusal(initGrid(w.db, 'there-is-none', w.operator.id, GRID))).code).toBe('not-found');
  });
});

describe('G-3: versions', () => {
  test('are kept, rise by one, cannot be changed, and each has the SHA-256 of its RFC 8785 form', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    for (let n = 2; n <= 4; n++) {
      await ask(w, slug, { change: (grid) => gridOf([...grid.arrows, arrow(`a${n}`, { dependencies: [] })]) });
      await decideQueue(w.db, slug);
    }
    const versions = await found<{ version: number; digest: string }>(w, slug, 'SELECT version, digest FROM grid_version WHERE container_id = $1 ORDER BY version');
    expect(versions.map((v) => v.version)).toEqual([1, 2, 3, 4]);
    for (const { version, digest } of versions) {
      const kept = await readGridVersion(w.db, slug, w.operator, version);
      expect(kept).toMatchObject({ version, digest });
      expect(kept.grid.arrows).toHaveLength(version);
      expect(digest).toBe(createHash('sha256').update(canonical(kept.grid)).digest('hex'));
    }
    await expect(found(w, slug, `UPDATE grid_version SET grid = '{}' WHERE container_id = $1`)).rejects.toThrow(/append-only/);
    await expect(found(w, slug, `DELETE FROM grid_version WHERE container_id = $1`)).rejects.toThrow(/append-only/);
  });

  test('the digest of a known grid', async () => {
    const slug = await w.container();
    const { digest } = await initGrid(w.db, slug, w.operator.id, gridOf([]));
    expect(digest).toBe(createHash('sha256').update('{"arrows":[],"contexts":[],"roles":[]}').digest('hex'));
  });

  test.each([0, 2, 2 ** 31, 2 ** 53 - 1])('there is no version %d', async (version) => {
    const slug = await containerWith(w, [arrow('a')]);
    expect((await refusal(readGridVersion(w.db, slug, w.operator, version))).code).toBe('not-found');
  });
});

/** RFC 8785, written apart from the code under test: the values here are ASCII text, whole numbers and lists. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value && typeof value === 'object') return `{${Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`).join(',')}}`;
  return JSON.stringify(value);
}

describe('G-4: the mirror', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'holdfast-mirror-'));
    setMirrorRoot(root);
  });
  afterAll(async () => {
    setMirrorRoot(undefined);
    await rm(root, { recursive: true, force: true });
  });

  const folderOf = async (slug: string): Promise<string> => mirrorFolder((await found<{ id: string }>(w, slug, 'SELECT id FROM container WHERE id = $1'))[0]!.id)!;

  test('has the version and the pointer when init answers, and every version that this instance decides', async () => {
    const slug = await w.container();
    await initGrid(w.db, slug, w.operator.id, GRID);
    const folder = await folderOf(slug);
    expect((await readdir(folder)).sort()).toEqual(['grid.current', 'grid.v1.yaml']);
    expect(await readFile(join(folder, 'grid.current'), 'utf8')).toBe('v1');
    expect(readYaml(await readFile(join(folder, 'grid.v1.yaml'), 'utf8'))).toEqual(GRID);
    await ask(w, slug, { change: () => gridOf([arrow('n')]) });
    await decideQueue(w.db, slug);
    expect((await readdir(folder)).sort()).toEqual(['grid.current', 'grid.v1.yaml', 'grid.v2.yaml']);
    expect(await readFile(join(folder, 'grid.current'), 'utf8')).toBe('v2');
    expect(readYaml(await readFile(join(folder, 'grid.v2.yaml'), 'utf8'))).toEqual(gridOf([arrow('n')]));
  });

  test('a reader at any instant finds a version that is whole, and versions only rise', async () => {
    const slug = await containerWith(w, [arrow('a0')]);
    const folder = await folderOf(slug);
    let writing = true;
    const seen: number[] = [];
    const reader = (async () => {
      while (writing) {
        const version = Number(/^v(\d+)$/.exec(await readFile(join(folder, 'grid.current'), 'utf8'))![1]);
        const grid = readYaml(await readFile(join(folder, `grid.v${version}.yaml`), 'utf8'));
        expect(grid).toMatchObject({ arrows: Array.from({ length: version }, (_, i) => ({ id: `a${i}` })) });
        seen.push(version);
      }
    })();
    for (let n = 1; n <= 12; n++) {
      await ask(w, slug, { change: (grid) => gridOf([...grid.arrows, arrow(`a${n}`)]) });
      await decideQueue(w.db, slug);
    }
    writing = false;
    await reader;
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(new Set(seen).size).toBeGreaterThan(3);
    expect((await amendmentsOf(w, slug)).map((a) => a.version)).toEqual(Array.from({ length: 12 }, (_, i) => i + 2));
  });
});
