import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petition } from '../collaboration/petition';
import { withdraw } from '../collaboration/withdraw';
import { archiveContainer } from '../containers/change';
import { clear } from '../lock-page/clear';
import { changePrincipal } from '../principals/change';
import type { Principal } from '../principals/record';
import { land } from '../register/land';
import { letTimePass, openWorld, refusal, type World } from '../testing/world';
import { countUnread, markNoticeRead, markNoticesRead, readNotices } from './read';

let w: World;
beforeAll(async () => {
  w = await openWorld();
});
afterAll(() => w.close());

const told = async (who: Pick<Principal, 'id'>) => (await readNotices(w.db, who.id, { limit: 200 })).items.map(({ kind, details }) => ({ kind, details }));

describe('petition-made (Q-5)', () => {
  test('tells the holder who waits and why', async () => {
    const [slug, lead, ann] = [await w.container(), await w.person(), await w.person()];
    const { grant } = await w.lead(slug, lead);
    const { id } = await petition(w.db, slug, ann.id, { reason: 'Chapter two' });
    expect(await told(lead)).toEqual([{ kind: 'petition-made', details: { petition: id, by: ann.name, reason: 'Chapter two', grant } }]);
    await refusal(petition(w.db, slug, ann.id, { reason: 'Chapter two' }));
    expect(await told(lead)).toHaveLength(1);
  });

  test('tells a silent holder too, but not of its own petition, and nobody where nobody is on the page', async () => {
    const [slug, lead, ann] = [await w.container(), await w.person(), await w.person()];
    await petition(w.db, slug, ann.id, { reason: 'First' });
    await letTimePass(w.db, slug, 1);
    await withdraw(w.db, slug, ann.id, (await w.lock(slug)).queue[0]!.petition);
    await w.lead(slug, lead);
    await w.fallSilent(slug);
    await petition(w.db, slug, lead.id, { reason: 'Again' });
    expect(await told(lead)).toEqual([]);
    await petition(w.db, slug, ann.id, { reason: 'Second' });
    expect(await told(lead)).toMatchObject([{ kind: 'petition-made', details: { by: ann.name, reason: 'Second' } }]);
  });
});

describe('nobody leaves a queue untold', () => {
  const waiting = async () => {
    const [slug, ann] = [await w.container(), await w.person()];
    const { id } = await petition(w.db, slug, ann.id, { reason: 'Why' });
    return { slug, ann, id };
  };
  const stateOf = async (id: string) => (await w.db.query(`SELECT state FROM petition WHERE id = $1`, [id])).rows[0].state;

  test('Q-6: withdrawn by an operator', async () => {
    const { slug, ann, id } = await waiting();
    await withdraw(w.db, slug, w.operator.id, id);
    expect(await told(ann)).toEqual([{ kind: 'petition-withdrawn', details: { petition: id, by: w.operator.name } }]);
  });

  test.each([['deactivated', { active: false }], ['demoted', { role: 'reader' }]] as const)('P-1: its author is %s', async (_, change) => {
    const { slug, ann, id } = await waiting();
    await changePrincipal(w.db, w.operator.id, ann.id, change);
    expect(await told(ann)).toEqual([{ kind: 'petition-withdrawn', details: { petition: id, by: null } }]);
    expect(await stateOf(id)).toBe('withdrawn');
    expect((await w.lock(slug)).queue).toEqual([]);
  });

  test('P-2: the container is archived: withdrawn, told, audited, in the collaboration page’s history', async () => {
    const { slug, ann, id } = await waiting();
    const bob = await w.person();
    const second = await petition(w.db, slug, bob.id, { reason: 'Me too' });
    await archiveContainer(w.db, slug, w.operator.id);
    await archiveContainer(w.db, slug, w.operator.id);
    expect([await stateOf(id), await stateOf(second.id)]).toEqual(['withdrawn', 'withdrawn']);
    expect(await told(ann)).toEqual([{ kind: 'petition-withdrawn', details: { petition: id, by: w.operator.name, archived: true } }]);
    expect(await told(bob)).toHaveLength(1);
    const { rows } = await w.db.query(`SELECT count(*)::int AS n FROM audit_line WHERE action = 'petition-withdrawn' AND target = ANY ($1)`, [[id, second.id]]);
    expect(rows[0].n).toBe(2);
    const history = await w.db.query(
      `SELECT revision, kind FROM collaboration_revision WHERE container_id = (SELECT id FROM container WHERE slug = $1) ORDER BY revision`, [slug]);
    expect(history.rows).toEqual(['create', 'petition', 'petition', 'withdraw', 'withdraw'].map((kind, i) => ({ revision: i + 1, kind })));
  });
});

describe('push-refused (R-2)', () => {
  const push = (slug: string, who: Principal, grant: number, entries: { identifier: string; title: string; body: string }[] = []) =>
    refusal(land(w.db, slug, who.id, randomUUID(), { grant, message: 'The second edition\nin full', entries }));

  test('tells the author of a landing that the fence refused, with the code and both grants, as often as it was refused', async () => {
    const [slug, lead] = [await w.container(), await w.person()];
    const { grant } = await w.lead(slug, lead);
    await w.fallSilent(slug);
    expect((await push(slug, lead, grant)).code).toBe('grant-expired');
    await clear(w.db, slug, w.operator.id, await w.revision(slug), { grant, reason: 'Gone' });
    expect((await push(slug, lead, grant)).code).toBe('grant-cleared');
    const refusals = (await told(lead)).filter((n) => n.kind === 'push-refused');
    expect(refusals.map((n) => n.details)).toEqual([
      { code: 'grant-cleared', yourGrant: grant, currentGrant: grant, holder: null, message: 'The second edition' },
      { code: 'grant-expired', yourGrant: grant, currentGrant: grant, holder: lead.name, message: 'The second edition' },
    ]);
  });

  test('does not tell of bad entries: whoever pushes has their list in hand', async () => {
    const [slug, lead] = [await w.container(), await w.person()];
    const { grant } = await w.lead(slug, lead);
    expect((await push(slug, lead, grant, [{ identifier: 'TS-1', title: 'T', body: '' }])).code).toBe('landing-invalid');
    expect(await told(lead)).toEqual([]);
  });
});

describe('the inbox', () => {
  test('one is read, all are read, and only the unread are asked for', async () => {
    const [slug, lead] = [await w.container(), await w.person()];
    await w.lead(slug, lead);
    for (const reason of ['One', 'Two', 'Three']) await petition(w.db, slug, (await w.person()).id, { reason });
    const unread = async () => (await readNotices(w.db, lead.id, { limit: 50 }, { unread: true })).items.map((n) => n.details.reason);
    const [three, two] = (await readNotices(w.db, lead.id, { limit: 50 })).items;
    expect(await unread()).toEqual(['Three', 'Two', 'One']);

    await markNoticeRead(w.db, lead.id, two!.id);
    const at = (await readNotices(w.db, lead.id, { limit: 50 })).items[1]!.readAt;
    await markNoticeRead(w.db, lead.id, two!.id);
    expect((await readNotices(w.db, lead.id, { limit: 50 })).items[1]!.readAt).toBe(at);
    expect([await unread(), await countUnread(w.db, lead.id)]).toEqual([['Three', 'One'], 2]);
    expect((await refusal(markNoticeRead(w.db, w.operator.id, three!.id))).code).toBe('not-found');

    await markNoticesRead(w.db, lead.id, two!.at);
    expect(await unread()).toEqual(['Three']);
    expect((await refusal(readNotices(w.db, lead.id, { limit: 50, cursor: `9999-99-99T00:00:00.000000Z:${three!.id}` }))).code).toBe('invalid-input');
  });
});
