import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decideQueue, kickMirror, mirrorFolder, requestAmendment, setMirrorRoot } from '../amendment';
import { digestOf } from '../digest';
import { completePass, startPass } from '../runner';
import type { Grid } from '../grid/document';
import { gridYaml, readYaml } from '../grid/parse';
import { openApi, type Api } from '../testing/api';
import { livesOn, within, type Lives } from '../testing/lives';
import { arrow, containerWith, gridOf, start } from '../testing/work';
import { refusal } from '../testing/world';
import { checkOnce, readRecovery } from './run';

let w: Api;
let lives: Lives;
let root: string;
beforeAll(async () => {
  w = await openApi({ recovered: false });
  lives = livesOn(w);
  root = await mkdtemp(join(tmpdir(), 'holdfast-mirror-'));
  setMirrorRoot(root);
});
afterAll(async () => {
  await lives.stop();
  setMirrorRoot(undefined);
  await w.close();
  await rm(root, { recursive: true, force: true });
});

/** Grids that differ by version: the first arrow depends on one more artifact each time. */
const gridAt = (version: number): Grid =>
  gridOf([arrow('a', { dependencies: Array.from({ length: version }, (_, i) => ({ artifact: `artifact-${i + 1}` })) }), arrow('b', { context: 'ledger' }), arrow('c', { context: 'audit' })]);

type Place = { slug: string; id: string; folder: string; pointer: string; file: (version: number) => string };

const versionOf = async (id: string): Promise<number> => (await w.db.query('SELECT version FROM grid WHERE container_id = $1', [id])).rows[0].version;

async function amendTo(place: Pick<Place, 'slug'>, version: number) {
  return requestAmendment(w.db, place.slug, w.operator.id, { baseVersion: version - 1, changes: [], grid: gridAt(version), rationale: `v${version}` });
}

/** A container whose grid is at `version`, and where its mirror is. */
async function mirrored(version = 2): Promise<Place> {
  const slug = await containerWith(w, gridAt(1).arrows);
  const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
  const id: string = rows[0].id;
  const folder = mirrorFolder(id)!;
  const place = { slug, id, folder, pointer: join(folder, 'grid.current'), file: (v: number) => join(folder, `grid.v${v}.yaml`) };
  for (let v = 2; v <= version; v++) {
    await amendTo(place, v);
    await within(10, async () => (await readFile(place.pointer, 'utf8')) === `v${v}`);
  }
  return place;
}

const alertsOf = async (id: string): Promise<{ kind: string; details: { reason: string } }[]> =>
  (await w.db.query(`SELECT kind, details FROM alert WHERE container_id = $1 AND closed_at IS NULL`, [id])).rows;

/** The mirror is whole: it points to the current version, whose file has the record's digest, and nothing else lies about. */
async function expectWhole(place: Place, versions?: number[]): Promise<void> {
  const { rows } = await w.db.query('SELECT version, digest FROM grid_version WHERE container_id = $1 ORDER BY version', [place.id]);
  const current = rows.at(-1).version;
  expect(await readFile(place.pointer, 'utf8')).toBe(`v${current}`);
  expect(digestOf(readYaml(await readFile(place.file(current), 'utf8')))).toBe(rows.at(-1).digest);
  const names = (await readdir(place.folder)).sort();
  expect(names.filter((n) => n.endsWith('.tmp'))).toEqual([]);
  if (versions) expect(names).toEqual(['grid.current', ...versions.map((v) => `grid.v${v}.yaml`)]);
}

const DAMAGES: Record<string, [(place: Place) => Promise<void>, RegExp]> = {
  'a pointer to a version that never was': [(p) => writeFile(p.pointer, 'v9'), /^the pointer names "v9", which is no version$/],
  'a pointer to a version whose file is missing': [(p) => rm(p.file(2)), /^the pointer names v2, whose file is missing$/],
  'a pointer that is no version': [(p) => writeFile(p.pointer, 'latest'), /^the pointer names "latest"/],
  'an empty pointer': [(p) => writeFile(p.pointer, ''), /^the pointer names "", which is no version$/],
  'no pointer': [(p) => rm(p.pointer), /^there is no pointer$/],
  'an edited file': [async (p) => writeFile(p.file(2), (await readFile(p.file(2), 'utf8')).replace('ledger', 'ledgers')), /^grid.v2.yaml does not match its digest$/],
  'a truncated file': [(p) => truncate(p.file(2), 40), /^grid.v2.yaml does not match its digest$/],
  'an emptied file': [(p) => truncate(p.file(2), 0), /^grid.v2.yaml does not match its digest$/],
  'a file that is no YAML': [(p) => writeFile(p.file(2), '{['), /^grid.v2.yaml does not match its digest$/],
  'the file of a version that never was': [(p) => writeFile(p.file(99), gridYaml(gridAt(2))), /^grid.v99.yaml is a version that was never committed$/],
  'a file with a malformed version': [(p) => writeFile(join(p.folder, 'grid.v02.yaml'), gridYaml(gridAt(2))), /^grid.v02.yaml is a version that was never committed$/],
  'an older version’s file, edited': [(p) => writeFile(p.file(1), gridYaml(gridAt(2))), /^grid.v1.yaml does not match its digest$/],
  'a folder in the pointer’s place': [async (p) => { await rm(p.pointer); await mkdir(join(p.pointer, 'x'), { recursive: true }); }, /^it cannot be read: EISDIR$/],
  'a folder in the file’s place': [async (p) => { await rm(p.file(2)); await mkdir(p.file(2)); }, /^it cannot be read: EISDIR$/],
  'a file in the mirror’s place': [async (p) => { await rm(p.folder, { recursive: true }); await writeFile(p.folder, 'x'); }, /^it cannot be read: ENOTDIR$/],
};

const BEHIND: Record<string, [(place: Place) => Promise<void>, RegExp]> = {
  'no mirror at all': [(p) => rm(p.folder, { recursive: true }), /^there is no mirror yet$/],
  'an empty folder': [async (p) => { await rm(p.folder, { recursive: true }); await mkdir(p.folder); }, /^its first version was not pointed to yet$/],
  'an older version, before the first rename': [async (p) => { await rm(p.file(2)); await writeFile(p.pointer, 'v1'); }, /^it is at v1, the grid at v2$/],
  'an older version, between the renames': [(p) => writeFile(p.pointer, 'v1'), /^it is at v1, the grid at v2$/],
  'the first file written here, not pointed to': [async (p) => { await rm(p.pointer); await rm(p.file(1)); }, /^its first version was not pointed to yet$/],
  'a temp file of a whole mirror': [(p) => writeFile(join(p.folder, '.grid.v3.yaml.7.tmp'), 'half'), /^1 temp file was left$/],
  'temp files of an older one': [async (p) => { await writeFile(p.pointer, 'v1'); await writeFile(join(p.folder, '.grid.current.7.tmp'), ''); }, /^it is at v1/],
};

describe('BR-1, BR-6: a mirror that has diverged', () => {
  test('closes its container alone to new passes and amendments; an operator’s rebuild, audited, opens it', async () => {
    await lives.boot();
    const names = Object.keys(DAMAGES);
    const places = new Map<string, Place>();
    for (const name of names) places.set(name, await mirrored());
    const sound = await mirrored();
    const lead = await w.person();
    const running = new Map<string, string>();
    for (const place of [...places.values(), sound]) {
      await w.lead(place.slug, lead);
      running.set(place.slug, (await start(w, place.slug, lead, 'b')).id);
    }
    await lives.stop();
    for (const [name, [damage]] of Object.entries(DAMAGES)) await damage(places.get(name)!);
    await lives.boot();

    for (const name of names) {
      const place = places.get(name)!;
      await within(5, async () => (await alertsOf(place.id)).length > 0);
      expect(await alertsOf(place.id), name).toMatchObject([{ kind: 'grid-diverged', details: { reason: expect.stringMatching(DAMAGES[name]![1]) } }]);
      const closed = { code: 'container-closed', status: 409, members: { reason: 'grid-diverged' } };
      expect(await refusal(startPass(w.db, place.slug, lead.id, { grant: 1, arrow: 'c' })), name).toMatchObject(closed);
      expect(await refusal(amendTo(place, 3)), name).toMatchObject(closed);
      await w.call('POST', `/containers/${place.slug}/passes/${running.get(place.slug)}/clauses/C1/transitions`, { as: lead, body: { to: 'pass' } });
      expect(await completePass(w.db, place.slug, lead.id, running.get(place.slug)!, { grant: 1 }), name).toMatchObject({ state: 'completed' });
    }
    expect(await alertsOf(sound.id)).toEqual([]);
    expect(await startPass(w.db, sound.slug, lead.id, { grant: 1, arrow: 'c' })).toMatchObject({ state: 'running' });
    const { steps, alerts } = await readRecovery(w.db, w.operator);
    expect(alerts.filter((a) => a.kind === 'grid-diverged')).toHaveLength(names.length);
    expect(steps.find((s) => s.name === 'amendment')!.found.length).toBeGreaterThan(0);

    for (const name of names) {
      const place = places.get(name)!;
      const rebuild = (as: { id: string }) => w.call('POST', `/containers/${place.slug}/grid/mirror/rebuild`, { as });
      expect((await rebuild(lead)).body.code).toBe('forbidden');
      expect(await rebuild(w.operator), name).toMatchObject({ status: 200, body: { version: 2 } });
      await expectWhole(place, [1, 2]);
      expect(await alertsOf(place.id)).toEqual([]);
      expect(await startPass(w.db, place.slug, lead.id, { grant: 1, arrow: 'c' }), name).toMatchObject({ state: 'running' });
      const audit = await w.call('GET', `/containers/${place.slug}/audit`, { as: w.operator });
      expect(audit.body.items[0]).toMatchObject({ action: 'mirror-rebuilt', actor: { id: w.operator.id }, details: { version: 2, opened: true } });
    }
    // What comes next is mirrored again.
    const [first] = [...places.values()];
    await amendTo(first!, 3);
    await within(10, async () => (await readFile(first!.pointer, 'utf8')) === 'v3');
    await lives.stop();
    await lives.boot();
    for (const place of places.values()) expect(await alertsOf(place.id)).toEqual([]);
  }, 60_000);

  test('is found at a commit too, and left as it is; the commit stands in the record', async () => {
    await lives.boot();
    const place = await mirrored(1);
    // Nobody else looks at the mirror meanwhile.
    await lives.stop();
    await writeFile(place.pointer, 'v7');
    await amendTo(place, 2);
    expect(await decideQueue(w.db, place.slug)).toBe(1);
    expect(await alertsOf(place.id)).toMatchObject([{ kind: 'grid-diverged' }]);
    expect(await versionOf(place.id)).toBe(2);
    expect(await readFile(place.pointer, 'utf8')).toBe('v7');
  });

  test('on one of several instances: a rebuild that was asked for at another holds for it too', async () => {
    await lives.boot();
    const place = await mirrored();
    await lives.stop();
    await writeFile(place.file(2), 'edited');
    const { instance } = await lives.boot();
    expect(await alertsOf(place.id)).toHaveLength(1);
    await checkOnce(w.db, instance, new Map());
    expect(await readFile(place.file(2), 'utf8')).toBe('edited');
    // The other instance, whose own mirror is whole, opens the container.
    await w.db.query(`UPDATE alert SET closed_at = clock_timestamp() WHERE container_id = $1`, [place.id]);
    await checkOnce(w.db, instance, new Map());
    await expectWhole(place, [1, 2]);
    expect(await alertsOf(place.id)).toEqual([]);

    // Also when a commit comes before the next check.
    await lives.stop();
    await writeFile(place.pointer, '');
    await lives.boot();
    await lives.stop();
    expect(await alertsOf(place.id)).toHaveLength(1);
    await w.db.query(`UPDATE alert SET closed_at = clock_timestamp() WHERE container_id = $1`, [place.id]);
    expect(await kickMirror(w.db, place.id)).toBe(true);
    await expectWhole(place, [1, 2]);
    expect(await alertsOf(place.id)).toEqual([]);
  });
});

describe('BR-1: a mirror that is merely behind', () => {
  test('is completed without an alert, and told in the report', async () => {
    await lives.boot();
    const places = new Map<string, Place>();
    for (const name of Object.keys(BEHIND)) places.set(name, await mirrored());
    await lives.stop();
    for (const [name, [damage]] of Object.entries(BEHIND)) await damage(places.get(name)!);
    await lives.boot();
    const { steps } = await readRecovery(w.db, w.operator);
    for (const [name, place] of places) {
      await expectWhole(place);
      expect(await alertsOf(place.id), name).toEqual([]);
      expect(
        steps.find((s) => s.name === 'amendment')!.found.find((f) => f.id === place.id),
        name,
      ).toEqual({ what: 'mirror', id: place.id, proof: expect.stringMatching(BEHIND[name]![1]), done: 'completed' });
    }
  });

  test('a version that another instance committed is mirrored at the next check', async () => {
    const { instance } = await lives.boot();
    const place = await mirrored(1);
    setMirrorRoot(join(root, 'elsewhere'));
    await amendTo(place, 2);
    await within(5, async () => (await versionOf(place.id)) === 2);
    await within(5, async () => (await w.db.query('SELECT 1 FROM grid_write_lock')).rowCount === 0);
    setMirrorRoot(root);
    await checkOnce(w.db, instance, new Map([[place.id, 1]]));
    await expectWhole(place, [1, 2]);
  });

  test('one that cannot be written keeps nothing else from recovering, and is tried again', async () => {
    await lives.boot();
    const [stuck, other] = [await mirrored(), await mirrored(1)];
    await lives.stop();
    await writeFile(stuck.pointer, 'v1');
    // A folder where a temp file is to be: no file system error is rarer, but it is one.
    await mkdir(join(stuck.folder, 'in-the-way.tmp', 'x'), { recursive: true });
    await rm(other.folder, { recursive: true });
    const { instance } = await lives.boot();
    await expectWhole(other, [1]);
    const { steps } = await readRecovery(w.db, w.operator);
    expect(steps.flatMap((s) => s.found).find((f) => f.id === stuck.id)).toMatchObject({ proof: expect.stringMatching(/^it could not be written: /), done: 'tried again while running' });
    expect(await alertsOf(stuck.id)).toEqual([]);
    expect(await readFile(stuck.pointer, 'utf8')).toBe('v1');
    await rm(join(stuck.folder, 'in-the-way.tmp'), { recursive: true });
    await checkOnce(w.db, instance, new Map());
    await expectWhole(stuck, [1, 2]);
  });
});

/** Reads pointer and file as tools outside the app do, as fast as it can; gives what it saw. */
const READER = `
  const { readFileSync } = require('node:fs');
  const { createHash } = require('node:crypto');
  const { parentPort, workerData: folder } = require('node:worker_threads');
  const seen = new Set();
  let reads = 0, failed = null, told = false;
  parentPort.on('message', () => { told = true; });
  const read = () => {
    try {
      for (let i = 0; i < 50; i++, reads++) {
        const pointer = readFileSync(folder + '/grid.current', 'utf8');
        const text = readFileSync(folder + '/grid.' + pointer + '.yaml', 'utf8');
        seen.add(pointer + ' ' + createHash('sha256').update(text).digest('hex'));
      }
    } catch (error) { failed = error.message; }
    if (told || failed) return parentPort.postMessage({ seen: [...seen], reads, failed }), parentPort.close();
    setImmediate(read);
  };
  read();`;

describe('G-4: a reader of the mirror', () => {
  test('sees at any instant one version whole, while many are committed and the mirror is rebuilt', async () => {
    await lives.boot();
    const place = await mirrored(1);
    const reader = new Worker(READER, { eval: true, workerData: place.folder });
    const result = new Promise<{ seen: string[]; reads: number; failed: string | null }>((done) => reader.once('message', done));
    const LAST = 17;
    for (let v = 2; v <= LAST; v++) {
      await amendTo(place, v);
      await within(10, async () => (await versionOf(place.id)) === v);
      if (v % 8 === 0) expect((await w.call('POST', `/containers/${place.slug}/grid/mirror/rebuild`, { as: w.operator })).status).toBe(200);
    }
    await within(10, async () => (await readFile(place.pointer, 'utf8')) === `v${LAST}`);
    reader.postMessage('enough');
    const { seen, reads, failed } = await result;
    expect(failed).toBeNull();
    expect(reads).toBeGreaterThan(100);
    const { rows } = await w.db.query('SELECT version, grid FROM grid_version WHERE container_id = $1', [place.id]);
    const whole = new Set(rows.map((r) => `v${r.version} ${createHash('sha256').update(gridYaml(r.grid)).digest('hex')}`));
    expect(seen.filter((s) => !whole.has(s))).toEqual([]);
    expect(seen.length).toBeGreaterThan(5);
    await expectWhole(place);
  }, 60_000);
});
