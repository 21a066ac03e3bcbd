/** what a commit does, whole or not at all, and what is set aside. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { raiseAlert } from '../alerts';
import { archiveContainer } from '../containers/change';
import { propose } from '../engine';
import type { Dependency, Grid, GridArrow } from '../grid/document';
import { parseGrid } from '../grid/parse';
import type { Registered } from '../recovery/instance';
import { completePass, readPass, startPass } from '../runner';
import { amendmentsOf, ask, found, gridNow, quietInstance } from '../testing/amendments';
import { arrow, complete, containerWith, gridOf, start } from '../testing/work';
import { openWorld, refusal, type World } from '../testing/world';
import { decideQueue, readAmendments, resubmitAmendment } from '.';

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

/** A container with these arrows, led by somebody under grant 1. */
async function led(arrows: GridArrow[]) {
  const [slug, lead] = await Promise.all([containerWith(w, arrows), w.person()]);
  await w.lead(slug, lead);
  return { slug, lead };
}
const statuses = async (slug: string) => Object.fromEntries((await gridNow(w, slug)).arrows.map((a) => [a.id, a.conservative ? `${a.status}, conservative` : a.status]));
const passOf = (slug: string, id: string) => readPass(w.db, slug, w.operator, id);
const decide = async (slug: string) => {
  await decideQueue(w.db, slug);
  return (await amendmentsOf(w, slug)).at(-1)!;
};
const amend = async (slug: string, change: (arrows: GridArrow[]) => GridArrow[], more: { changes?: Dependency[]; base?: number; from?: Grid } = {}) => {
  const from = more.from ?? (await gridNow(w, slug)).grid;
  return ask(w, slug, { grid: gridOf(change(from.arrows)), changes: more.changes, base: more.base });
};
const x = { artifact: 'x' };

describe('A-2: whom a commit affects', () => {
  test('whoever declared a changed artifact, itself changed or went, or declared nothing; their passes are aborted, the others go on', async () => {
    const roles = ['r1', 'r2', 'r3', 'r4', 'r5'];
    const ids = ['declares', 'changes', 'goes', 'declares-nothing', 'unaffected'];
    const { slug, lead } = await led(ids.map((id, i) => arrow(id, { from: roles[i], to: 'r1', ...(id === 'declares' ? { dependencies: [x] } : {}), ...(id === 'declares-nothing' ? { dependencies: [] } : {}) })));
    for (const id of ids) await complete(w, slug, lead, id);
    expect(await statuses(slug)).toEqual(Object.fromEntries(ids.map((id) => [id, 'complete'])));
    const passes = Object.fromEntries(await Promise.all(ids.map(async (id) => [id, (await start(w, slug, lead, id)).id] as const)));

    const { id } = await amend(slug, (arrows) => arrows.filter((a) => a.id !== 'goes').map((a) => (a.id === 'changes' ? { ...a, stratum: 2 } : a)), { changes: [x] });
    expect(await decide(slug)).toEqual({ id, state: 'committed', version: 2, outcome: null });

    expect(await statuses(slug)).toEqual({ declares: 'invalidated', changes: 'invalidated', 'declares-nothing': 'invalidated, conservative', unaffected: 'complete' });
    for (const arrowId of ids) {
      const pass = await passOf(slug, passes[arrowId]!);
      expect([arrowId, pass.state, pass.reason]).toEqual([arrowId, ...(arrowId === 'unaffected' ? ['running', null] : ['aborted', 'invalidated'])]);
    }
    expect(await found(w, slug, 'SELECT role FROM role_lock WHERE container_id = $1')).toEqual([{ role: 'r5' }]);
    const [checkpoint] = await found<{ kind: string; content: Record<string, unknown> }>(w, slug, 'SELECT kind, content FROM checkpoint WHERE container_id = $1 ORDER BY sequence DESC LIMIT 1');
    const invalidated = [
      { id: 'declares', conservative: false },
      { id: 'changes', conservative: false },
      { id: 'goes', conservative: false },
      { id: 'declares-nothing', conservative: true },
    ];
    const { digest } = await gridNow(w, slug);
    expect(checkpoint).toEqual({ kind: 'grid', content: { version: 2, digest, amendment: id, changes: [x], arrows: ['changes', 'goes'], invalidated } });
    const [line] = await found<{ action: string; target: string; reason: string; details: Record<string, unknown> }>(w, slug, `SELECT action, target, reason, details FROM audit_line WHERE container_id = $1 AND action = 'grid-amended'`);
    expect(line).toMatchObject({ target: id, reason: 'Because', details: { version: 2, arrows: ['changes', 'goes'] } });
    expect((line!.details.aborted as string[]).toSorted()).toEqual(ids.slice(0, 4).map((a) => passes[a]!).toSorted());
    // E-6: the passes that ended are in the chain before it.
    expect(await found(w, slug, `SELECT 1 FROM checkpoint WHERE container_id = $1 AND kind = 'pass' AND content->>'reason' = 'invalidated'`)).toHaveLength(4);
  });

  test('what was invalidated stays so until a later pass completes, which clears it', async () => {
    const { slug, lead } = await led([arrow('a', { dependencies: [x] })]);
    await complete(w, slug, lead, 'a');
    await amend(slug, (a) => a, { changes: [x] });
    await decide(slug);
    const pass = await start(w, slug, lead, 'a');
    expect([pass.gridVersion, await statuses(slug)]).toEqual([2, { a: 'invalidated' }]);
    await amend(slug, (a) => a, { changes: [{ artifact: 'else' }] });
    await decide(slug);
    expect((await passOf(slug, pass.id)).state).toBe('running');
    const [c] = pass.clauses;
    await propose(w.db, slug, lead.id, pass.id, c!.id, { to: 'pass' });
    await completePass(w.db, slug, lead.id, pass.id, { grant: 1 });
    expect(await statuses(slug)).toEqual({ a: 'complete' });
  });

  test('conservative is what was invalidated for declaring nothing, and for nothing else', async () => {
    const { slug, lead } = await led([arrow('a', { dependencies: [] }), arrow('b', { from: 'architect' })]);
    const bump = (arrows: GridArrow[]) => arrows.map((a) => (a.id === 'a' ? { ...a, stratum: a.stratum + 1 } : a));
    await amend(slug, bump);
    await decide(slug);
    expect((await statuses(slug)).a).toBe('invalidated');
    await amend(slug, (a) => a);
    await decide(slug);
    expect((await statuses(slug)).a).toBe('invalidated');
    await complete(w, slug, lead, 'a');
    await amend(slug, (a) => a);
    await decide(slug);
    expect((await statuses(slug)).a).toBe('invalidated, conservative');
    await amend(slug, bump);
    await decide(slug);
    expect((await statuses(slug)).a).toBe('invalidated');
  });

  test('sections: a change of one section leaves alone who declared another', async () => {
    const of = (id: string, from: string, section?: string) => arrow(id, { from, dependencies: [section ? { ...x, section } : x] });
    const { slug, lead } = await led([of('whole', 'r1'), of('s', 'r2', 's'), of('t', 'r3', 't')]);
    for (const id of ['whole', 's', 't']) await complete(w, slug, lead, id);
    await amend(slug, (a) => a, { changes: [{ ...x, section: 's' }] });
    await decide(slug);
    expect(await statuses(slug)).toEqual({ whole: 'invalidated', s: 'invalidated', t: 'complete' });
  });

  test('an empty difference commits a new version with the same digest, and invalidates by its changes only', async () => {
    const { slug, lead } = await led([arrow('a', { dependencies: [x] })]);
    await complete(w, slug, lead, 'a');
    const { digest } = await gridNow(w, slug);
    await amend(slug, (a) => a);
    expect(await decide(slug)).toMatchObject({ state: 'committed', version: 2 });
    expect(await gridNow(w, slug)).toMatchObject({ version: 2, digest, project: { complete: 1 } });
  });

  test('an arrow that went and comes back is not complete by what it once was', async () => {
    const { slug, lead } = await led([arrow('a'), arrow('b')]);
    await complete(w, slug, lead, 'a');
    await amend(slug, (arrows) => arrows.slice(1));
    await decide(slug);
    await amend(slug, (arrows) => [...arrows, arrow('a')]);
    await decide(slug);
    expect(await statuses(slug)).toEqual({ b: 'unevaluated', a: 'invalidated' });
  });
});

describe('A-2: all of it or none of it', () => {
  test.each(['grid_version', 'checkpoint', 'audit_line'])('when writing its %s fails, nothing of it is there, it is queued again, and commits later', async (table) => {
    const { slug, lead } = await led([arrow('a', { dependencies: [x] }), arrow('b', { from: 'architect', dependencies: [x] })]);
    await complete(w, slug, lead, 'a');
    const pass = await start(w, slug, lead, 'b');
    const { id } = await amend(slug, (arrows) => [...arrows, arrow('new')], { changes: [x] });
    const everything = async () => [
      await gridNow(w, slug),
      await passOf(slug, pass.id),
      await amendmentsOf(w, slug),
      await found(w, slug, 'SELECT * FROM arrow WHERE container_id = $1 ORDER BY id'),
      await found(w, slug, 'SELECT * FROM checkpoint WHERE container_id = $1 ORDER BY sequence'),
      await found(w, slug, 'SELECT * FROM audit_line WHERE container_id = $1 ORDER BY id'),
      await found(w, slug, 'SELECT * FROM role_lock WHERE container_id = $1'),
      await found(w, slug, 'SELECT * FROM grid_write_lock WHERE container_id = $1'),
      await found(w, slug, 'SELECT * FROM grid_version WHERE container_id = $1'),
    ];
    const before = await everything();
    await w.db.query(`
      CREATE FUNCTION break_down() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
      CREATE TRIGGER break_down BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION break_down()`);
    try {
      await expect(decideQueue(w.db, slug)).rejects.toThrow('the disk is full');
      expect(await everything()).toEqual(before);
    } finally {
      await w.db.query(`DROP FUNCTION break_down() CASCADE`);
    }
    expect(await decide(slug)).toEqual({ id, state: 'committed', version: 2, outcome: null });
    expect(await statuses(slug)).toEqual({ a: 'invalidated', b: 'invalidated', new: 'unevaluated' });
    expect((await passOf(slug, pass.id)).reason).toBe('invalidated');
  });

  test('a container that is closed for its chain or its mirror decides nothing until an operator opened it', async () => {
    const { slug } = await led([arrow('a')]);
    await amend(slug, (a) => a);
    const [{ id }] = (await found<{ id: string }>(w, slug, 'SELECT id FROM container WHERE id = $1')) as [{ id: string }];
    await raiseAlert(w.db, id, 'grid-diverged', {});
    expect(await decideQueue(w.db, slug)).toBe(0);
    await w.db.query('UPDATE alert SET closed_at = clock_timestamp() WHERE container_id = $1', [id]);
    expect(await decideQueue(w.db, slug)).toBe(1);
  });
});

describe('A-2: the difference, on a newer grid', () => {
  test('two amendments of one base that touch different things are both kept', async () => {
    const { slug } = await led([arrow('a'), arrow('b', { context: 'ledger' })]);
    const from = (await gridNow(w, slug)).grid;
    await amend(slug, (arrows) => [...arrows.map((a) => (a.id === 'a' ? { ...a, stratum: 2 } : a)), arrow('new-a', { context: 'fees' })], { from, base: 1, changes: [x] });
    await amend(slug, (arrows) => [...arrows.filter((a) => a.id !== 'b'), arrow('new-b')], { from, base: 1, changes: [{ artifact: 'y' }] });
    expect(await decideQueue(w.db, slug)).toBe(2);
    expect((await amendmentsOf(w, slug)).map((a) => a.version)).toEqual([2, 3]);
    const { grid, version } = await gridNow(w, slug);
    expect([version, grid.arrows.map((a) => [a.id, a.stratum]), grid.contexts.toSorted()]).toEqual([3, [['a', 2], ['new-a', 1], ['new-b', 1]], ['fees', 'payments']]);
    expect(parseGrid(grid)).toEqual(grid);
  });

  test('one that no longer holds on the current grid has failed, with the reason, and the queue moves on', async () => {
    const { slug } = await led([arrow('a'), arrow('b')]);
    const from = (await gridNow(w, slug)).grid;
    await amend(slug, (arrows) => arrows.filter((a) => a.id !== 'b'), { from, base: 1 });
    await amend(slug, (arrows) => [...arrows, arrow('n', { requires: ['b'] })], { from, base: 1 });
    await amend(slug, (arrows) => [...arrows, arrow('m')], { from, base: 1 });
    expect(await decideQueue(w.db, slug)).toBe(3);
    expect((await amendmentsOf(w, slug)).map(({ state, version, outcome }) => [state, version, outcome])).toEqual([
      ['committed', 2, null],
      ['failed', null, 'On v2 it does not hold: grid.arrows[1].requires[0] there is no arrow b.'],
      ['committed', 3, null],
    ]);
    expect((await gridNow(w, slug)).grid.arrows.map((a) => a.id)).toEqual(['a', 'm']);
    expect(await found(w, slug, `SELECT reason FROM audit_line WHERE container_id = $1 AND action = 'amendment-failed'`)).toEqual([{ reason: expect.stringContaining('no arrow b') }]);
    const failed = (await amendmentsOf(w, slug))[1]!;
    const again = { baseVersion: 3, changes: [], grid: (await gridNow(w, slug)).grid, rationale: 'Again' };
    expect(await refusal(resubmitAmendment(w.db, slug, w.operator.id, failed.id, again))).toMatchObject({ code: 'wrong-state', members: { state: 'failed' } });
  });

  test('two that are valid each, and together close a cycle, or use a context that went: the second fails', async () => {
    const { slug } = await led([arrow('a'), arrow('b'), arrow('l', { context: 'ledger' })]);
    const from = (await gridNow(w, slug)).grid;
    const requiring = (id: string, required: string) => (arrows: GridArrow[]) => arrows.map((a) => (a.id === id ? { ...a, requires: [required] } : a));
    await amend(slug, requiring('a', 'b'), { from, base: 1 });
    await amend(slug, requiring('b', 'a'), { from, base: 1 });
    await amend(slug, (arrows) => arrows.filter((a) => a.id !== 'l'), { from, base: 1 });
    await amend(slug, (arrows) => [...arrows, arrow('k', { context: 'ledger' })], { from, base: 1 });
    expect(await decideQueue(w.db, slug)).toBe(4);
    expect((await amendmentsOf(w, slug)).map(({ state, outcome }) => [state, outcome?.replace(/^.*: grid/, 'grid')])).toEqual([
      ['committed', undefined],
      ['failed', 'grid.arrows[1].requires[0] closes a cycle: a → b → a.'],
      ['committed', undefined],
      ['failed', 'grid.arrows[2].context there is no context ledger.'],
    ]);
  });

  test('two that are within the limits each, and together are not: the second fails', async () => {
    const { slug } = await led([arrow('a')]);
    const from = (await gridNow(w, slug)).grid;
    const many = (prefix: string) => (arrows: GridArrow[]) => [...arrows, ...Array.from({ length: 2_600 }, (_, i) => arrow(`${prefix}${i}`, { dependencies: [] }))];
    await amend(slug, many('m'), { from, base: 1 });
    await amend(slug, many('n'), { from, base: 1 });
    await decideQueue(w.db, slug);
    expect((await amendmentsOf(w, slug)).map((a) => [a.state, a.outcome])).toEqual([
      ['committed', null],
      ['failed', expect.stringMatching(/^On v2 it does not hold: grid(\.arrows must have at most 5000| must have at most 1048576 bytes)/)],
    ]);
  });
});

describe('A-3: overlaps with what was committed since its base', () => {
  const cases: [string, Parameters<typeof amend>[2] & { change?: (arrows: GridArrow[]) => GridArrow[] }, Parameters<typeof amend>[2] & { change?: (arrows: GridArrow[]) => GridArrow[] }, string][] = [
    ['the same artifact', { changes: [x] }, { changes: [x] }, 'needs-rejustification'],
    ['an artifact and a section of it', { changes: [{ ...x, section: 's' }] }, { changes: [x] }, 'needs-rejustification'],
    ['two sections of an artifact', { changes: [{ ...x, section: 's' }] }, { changes: [{ ...x, section: 't' }] }, 'committed'],
    ['different artifacts', { changes: [x] }, { changes: [{ artifact: 'y' }] }, 'committed'],
    ['the same arrow, changed by both', { change: (a) => a.map((v) => ({ ...v, stratum: 2 })) }, { change: (a) => a.map((v) => ({ ...v, stratum: 3 })) }, 'needs-rejustification'],
    ['an arrow that went and was changed', { change: (a) => a.slice(1) }, { change: (a) => a.map((v) => ({ ...v, stratum: 3 })) }, 'needs-rejustification'],
    ['a new arrow of one name in both', { change: (a) => [...a, arrow('n')] }, { change: (a) => [...a, arrow('n', { stratum: 2 })] }, 'needs-rejustification'],
    // The first invalidates `d`, which declares x; the second changes `d`: no overlap, by A-3.
    ['an arrow that was merely invalidated, changed now', { changes: [{ artifact: 'declared-by-d' }] }, { change: (a) => a.map((v) => (v.id === 'd' ? { ...v, stratum: 4 } : v)) }, 'committed'],
    ['nothing at all, twice', {}, {}, 'committed'],
  ];
  test.each(cases)('%s', async (_name, first, second, expected) => {
    const { slug } = await led([arrow('a'), arrow('d', { dependencies: [{ artifact: 'declared-by-d' }] })]);
    const from = (await gridNow(w, slug)).grid;
    const same = (a: GridArrow[]) => a;
    await amend(slug, first.change ?? same, { ...first, from, base: 1 });
    await amend(slug, second.change ?? same, { ...second, from, base: 1 });
    expect(await decideQueue(w.db, slug)).toBe(2);
    const [one, two] = await amendmentsOf(w, slug);
    expect([one!.state, two!.state]).toEqual(['committed', expected]);
    expect((await gridNow(w, slug)).version).toBe(expected === 'committed' ? 3 : 2);
    if (expected !== 'committed') expect(two!.outcome).toBe('It overlaps v2, which was committed since its base v1.');
  });

  test('an overlap with what came before its base is none; the queue moves on past one that is set aside', async () => {
    const { slug } = await led([arrow('a')]);
    const from = (await gridNow(w, slug)).grid;
    const same = (a: GridArrow[]) => a;
    await amend(slug, same, { changes: [x], from, base: 1 });
    await amend(slug, same, { changes: [x], from, base: 1 });
    await amend(slug, same, { changes: [{ artifact: 'y' }], from, base: 1 });
    expect(await decideQueue(w.db, slug)).toBe(3);
    await amend(slug, same, { changes: [x], from, base: 3 });
    expect(await decide(slug)).toMatchObject({ state: 'committed', version: 4 });
    expect((await amendmentsOf(w, slug)).map((a) => a.state)).toEqual(['committed', 'needs-rejustification', 'committed', 'committed']);
  });

  test('its author resubmits it, at a new place; nobody else may, and only in that state', async () => {
    const [slug, lead] = await Promise.all([containerWith(w, [arrow('a')]), w.person()]);
    await w.lead(slug, lead);
    await ask(w, slug, { changes: [x] });
    const { id } = await ask(w, slug, { changes: [x], base: 1, grant: 1 }, lead);
    await ask(w, slug, { changes: [{ artifact: 'y' }] });
    const { grid } = await gridNow(w, slug);
    const again = { baseVersion: 2, changes: [x], grid, rationale: 'I looked again' };
    const resubmit = (who: { id: string }, input: Parameters<typeof resubmitAmendment>[4], which = id) => resubmitAmendment(w.db, slug, who.id, which, input);
    expect(await refusal(resubmit(lead, { ...again, grant: 1, baseVersion: 1 }))).toMatchObject({ code: 'wrong-state', members: { state: 'queued' } });
    await decideQueue(w.db, slug);
    expect((await amendmentsOf(w, slug))[1]).toMatchObject({ id, state: 'needs-rejustification' });

    expect((await refusal(resubmit(w.operator, again))).code).toBe('forbidden');
    expect((await refusal(resubmit(lead, again))).code).toBe('invalid-input');
    expect((await refusal(resubmit(lead, { ...again, grant: 2 }))).code).toBe('grant-unknown');
    expect(await refusal(resubmit(lead, { ...again, grant: 1, baseVersion: 9 }))).toMatchObject({ code: 'invalid-input', members: { errors: [{ path: 'baseVersion' }] } });
    expect((await refusal(resubmit(lead, { ...again, grant: 1 }, '00000000-0000-4000-8000-000000000000'))).code).toBe('not-found');

    const queued = await resubmit(lead, { ...again, grant: 1 });
    expect(queued).toMatchObject({ id, state: 'queued', place: 4, baseVersion: 2, rationale: 'I looked again', decidedAt: null, outcome: null });
    expect(await decide(slug)).toEqual({ id, state: 'committed', version: 4, outcome: null });
    expect(await refusal(resubmit(lead, { ...again, grant: 1 }))).toMatchObject({ code: 'wrong-state', members: { state: 'committed' } });
    const { items } = await readAmendments(w.db, slug, w.operator, { limit: 10 });
    expect(items.map((a) => a.place)).toEqual([4, 3, 1]);
  });

  test('resubmitted against the old version it is set aside again', async () => {
    const { slug } = await led([arrow('a')]);
    await ask(w, slug, { changes: [x] });
    const { id } = await ask(w, slug, { changes: [x], base: 1 });
    await decideQueue(w.db, slug);
    const { grid } = await gridNow(w, slug);
    await resubmitAmendment(w.db, slug, w.operator.id, id, { baseVersion: 1, changes: [x], grid, rationale: 'Again' });
    expect(await decide(slug)).toMatchObject({ id, state: 'needs-rejustification' });
  });

  test('an operator cannot resubmit in an archived container', async () => {
    const slug = await containerWith(w, [arrow('a')]);
    await ask(w, slug, { changes: [x] });
    const { id } = await ask(w, slug, { changes: [x], base: 1 });
    await decideQueue(w.db, slug);
    const { grid } = await gridNow(w, slug);
    await archiveContainer(w.db, slug, w.operator.id);
    expect((await refusal(resubmitAmendment(w.db, slug, w.operator.id, id, { baseVersion: 2, changes: [], grid, rationale: 'Again' }))).code).toBe('archived');
  });
});

test('a pass that starts after a commit has the new version and its clauses', async () => {
  const { slug, lead } = await led([arrow('a')]);
  await amend(slug, (arrows) => arrows.map((a) => ({ ...a, clauses: [...a.clauses, { id: 'C2', concept: 'more', type: 'attested' }] })));
  await decide(slug);
  expect(await startPass(w.db, slug, lead.id, { grant: 1, arrow: 'a' })).toMatchObject({ gridVersion: 2, clauses: [{ id: 'C1' }, { id: 'C2' }] });
});
