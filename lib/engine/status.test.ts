import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestAmendment } from '../amendment';
import { readContainer } from '../containers/read';
import type { Queryable } from '../db/pool';
import type { Principal } from '../principals/record';
import { readGrid, readProjects } from '../project/read';
import { abortPass } from '../runner';
import { arrow, bring, clausesOf, complete, containerWith, gridOf, start } from '../testing/work';
import { openWorld, type World } from '../testing/world';
import { CLAUSE_STATES, type ClauseStatus } from './moves';
import { arrowStatus, projectStatus, type ArrowStatus } from './status';

const state = fc.constantFrom(...CLAUSE_STATES);
/** What a completed pass may hold: nothing that keeps it from completing. */
const settled = fc.constantFrom<ClauseStatus>('pass', 'fail', 'awaiting-attestation', 'insufficient-basis', 'unevaluated');
const STATUSES: ArrowStatus[] = ['invalidated', 'blocked', 'unevaluated', 'provisional', 'complete'];

/** E-4 as it stands: for each status, in the order of precedence, whether it applies. */
const APPLIES: Record<ArrowStatus, (invalidated: boolean, clauses: ClauseStatus[] | undefined) => boolean> = {
  invalidated: (invalidated) => invalidated,
  blocked: (_, clauses) => clauses !== undefined && clauses.some((c) => c === 'fail'),
  unevaluated: (_, clauses) => clauses === undefined || clauses.some((c) => c === 'unevaluated'),
  provisional: (_, clauses) => clauses!.some((c) => c === 'awaiting-attestation' || c === 'insufficient-basis'),
  complete: () => true,
};

describe('E-4: arrow status, derived', () => {
  test('follows the precedence: invalidated, blocked, unevaluated, provisional, complete', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.option(fc.array(settled, { minLength: 1, maxLength: 12 }), { nil: undefined }), (invalidated, clauses) => {
        expect(arrowStatus(invalidated, clauses)).toBe(STATUSES.find((s) => APPLIES[s](invalidated, clauses)));
      }),
      { numRuns: 2_000 },
    );
    expect(arrowStatus(false, undefined)).toBe('unevaluated');
    expect(arrowStatus(true, undefined)).toBe('invalidated');
  });

  test('is pure: the same clauses in any order, any number of times, give the same, and are left as they were', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(state, { maxLength: 12 }), fc.integer({ min: 0, max: 20 }), (invalidated, clauses, turn) => {
        const given = Object.freeze([...clauses]);
        const status = arrowStatus(invalidated, given);
        const turned = [...clauses.slice(turn % (clauses.length || 1)), ...clauses.slice(0, turn % (clauses.length || 1))].reverse();
        expect(arrowStatus(invalidated, turned)).toBe(status);
        expect(arrowStatus(invalidated, [...clauses, ...clauses])).toBe(status);
        expect(arrowStatus(invalidated, given)).toBe(status);
        expect(STATUSES).toContain(status);
      }),
    );
  });

  test('one more fail never makes it better, and complete is every clause’s pass', () => {
    const rank = (s: ArrowStatus) => STATUSES.indexOf(s);
    fc.assert(
      fc.property(fc.boolean(), fc.array(settled, { minLength: 1, maxLength: 8 }), settled, (invalidated, clauses, more) => {
        expect(rank(arrowStatus(invalidated, [...clauses, more]))).toBeLessThanOrEqual(rank(arrowStatus(invalidated, clauses)));
        expect(arrowStatus(invalidated, clauses) === 'complete').toBe(!invalidated && clauses.every((c) => c === 'pass'));
      }),
    );
  });
});

describe('E-5: project status, derived', () => {
  test('k complete of m arrows and C unevaluated, against the version', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), fc.array(fc.constantFrom(...STATUSES), { maxLength: 30 }), (version, statuses) => {
        const given = Object.freeze([...statuses]);
        const count = (s: ArrowStatus) => statuses.reduce((n, t) => n + (s === t ? 1 : 0), 0);
        expect(projectStatus(version, given)).toEqual({ version, complete: count('complete'), total: statuses.length, unevaluated: count('unevaluated') });
      }),
    );
  });
});

describe('E-4, E-5: as stored', () => {
  let w: World;
  let lead: Principal;
  beforeAll(async () => {
    w = await openWorld({ size: 12, recovered: true });
    lead = await w.person();
  });
  afterAll(() => w.close());

  const statuses = async (slug: string) => Object.fromEntries((await readGrid(w.db, slug, lead)).arrows.map((a) => [a.id, a.status]));

  test('the arrow’s latest completed pass decides; one that runs or was aborted does not', async () => {
    const slug = await containerWith(w, [arrow('a', { clauses: clausesOf(['machine', 'attested']) })]);
    await w.lead(slug, lead);
    expect(await statuses(slug)).toEqual({ a: 'unevaluated' });
    const begin = async (to: ClauseStatus) => {
      const pass = await start(w, slug, lead, 'a');
      await bring(w, slug, lead, w.operator, pass, 'C1', to);
      return pass;
    };
    const WAYS: [ClauseStatus, ClauseStatus, ArrowStatus][] = [
      ['pass', 'awaiting-attestation', 'provisional'],
      ['pass', 'insufficient-basis', 'provisional'],
      ['unevaluated', 'awaiting-attestation', 'unevaluated'],
      ['fail', 'unevaluated', 'blocked'],
      ['pass', 'pass', 'complete'],
    ];
    for (const [C1, C2, expected] of WAYS) {
      const before = await statuses(slug);
      for (const other of ['fail', 'unevaluated', 'pass'] as const) {
        const { id } = await begin(other);
        expect(await statuses(slug)).toEqual(before);
        await abortPass(w.db, slug, lead.id, id, { reason: 'manual-stop' });
        expect(await statuses(slug)).toEqual(before);
      }
      await complete(w, slug, lead, 'a', { C1, C2 });
      expect(await statuses(slug)).toEqual({ a: expected });
    }
  });

  test('an amendment invalidates what it affects, until a later pass completes', async () => {
    const own = (id: string) => [{ artifact: `features/${id}.feature` }];
    const arrows = [arrow('a', { dependencies: own('a') }), arrow('b', { context: 'ledger', dependencies: own('b') }), arrow('c', { context: 'mail', dependencies: [] })];
    const slug = await containerWith(w, arrows);
    await w.lead(slug, lead);
    for (const { id } of arrows) await complete(w, slug, lead, id);
    expect((await readGrid(w.db, slug, lead)).project).toEqual({ version: 1, complete: 3, total: 3, unevaluated: 0 });
    await requestAmendment(w.db, slug, w.operator.id, { baseVersion: 1, changes: own('a'), grid: gridOf(arrows), rationale: 'Why' });
    while ((await readGrid(w.db, slug, lead)).version === 1);
    const { arrows: seen, project } = await readGrid(w.db, slug, lead);
    expect(seen).toEqual([{ id: 'a', status: 'invalidated' }, { id: 'b', status: 'complete' }, { id: 'c', status: 'invalidated', conservative: true }]);
    expect(project).toEqual({ version: 2, complete: 1, total: 3, unevaluated: 0 });
    const running = await start(w, slug, lead, 'a');
    expect((await statuses(slug)).a).toBe('invalidated');
    await abortPass(w.db, slug, lead.id, running.id, { reason: 'manual-stop' });
    expect((await statuses(slug)).a).toBe('invalidated');
    for (const id of ['a', 'c']) await complete(w, slug, lead, id);
    expect((await readGrid(w.db, slug, lead)).arrows).toEqual([{ id: 'a', status: 'complete' }, { id: 'b', status: 'complete' }, { id: 'c', status: 'complete' }]);
  });

  test('the pair and C are read in one statement, on the grid, on the container and on the board', async () => {
    const slug = await containerWith(w, [arrow('a'), arrow('b', { context: 'ledger' })]);
    await w.lead(slug, lead);
    await complete(w, slug, lead, 'a');
    let queries = 0;
    const counting = { query: (...args: unknown[]) => (queries++, (w.db.query as (...a: unknown[]) => unknown)(...args)) } as unknown as Queryable;
    const expected = { version: 1, complete: 1, total: 2, unevaluated: 1 };
    expect([(await readGrid(counting, slug, lead)).project, queries]).toEqual([expected, 1]);
    const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
    queries = 0;
    expect([(await readProjects(counting, [rows[0].id])).get(rows[0].id), queries]).toEqual([expected, 1]);
    expect((await readContainer(w.db, slug, lead)).project).toEqual(expected);
  });

  test('while passes complete, every reading is of one moment', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const slug = await containerWith(w, ids.map((id, i) => arrow(id, { context: `x${i}`, requires: i > 0 ? [ids[i - 1]!] : [] })));
    await w.lead(slug, lead);
    let working = true;
    const work = (async () => {
      for (const id of ids) await complete(w, slug, lead, id);
      await complete(w, slug, lead, 'a', 'unevaluated');
    })().finally(() => (working = false));
    let readings = 0;
    while (working) {
      const { version, arrows, project } = await readGrid(w.db, slug, lead);
      expect(project).toEqual(projectStatus(version, arrows.map((a) => a.status)));
      // They come in order, so at any moment those that have are the first of them; at the end all but the first.
      const done = arrows.map((a) => a.status === 'complete');
      expect([...done].sort().reverse().join() === done.join() || done.join() === 'false,true,true,true').toBe(true);
      readings++;
    }
    await work;
    expect(readings).toBeGreaterThan(3);
  });
});
