import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openAlerts } from '../alerts';
import { digestOf } from '../digest';
import type { Principal } from '../principals/record';
import { acknowledgeCheckpoints } from '../recovery/acknowledge';
import { checkChains } from '../recovery/chains';
import { abortPass, startPass } from '../runner';
import { arrow, complete, containerWith, start } from '../testing/work';
import { openWorld, refusal, type World } from '../testing/world';
import { verifyChain } from './index';

let w: World;
let lead: Principal;
beforeAll(async () => {
  w = await openWorld({ size: 12, recovered: true });
  lead = await w.person();
});
afterAll(() => w.close());

/** A container whose chain has `count` checkpoints: v1 of its grid, then passes. */
async function chainOf(count: number): Promise<{ slug: string; id: string }> {
  const slug = await containerWith(w, [arrow('a')]);
  await w.lead(slug, lead);
  for (let i = 1; i < count; i++) {
    if (i % 2) await complete(w, slug, lead, 'a');
    else await abortPass(w.db, slug, lead.id, (await start(w, slug, lead, 'a')).id, { reason: 'manual-stop' });
  }
  const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [slug]);
  return { slug, id: rows[0].id };
}

/** Changes the log by hand, as nobody but the database's owner can. */
async function tamper(sql: string, values: unknown[]): Promise<void> {
  const client = await w.db.connect();
  try {
    await client.query('BEGIN; ALTER TABLE checkpoint DISABLE TRIGGER append_only');
    await client.query(sql, values);
    await client.query('ALTER TABLE checkpoint ENABLE TRIGGER append_only; COMMIT');
  } finally {
    client.release();
  }
}

describe('E-6: the checkpoint chain', () => {
  test('is gapless, each link with the digest of the one before, and its head is the last', async () => {
    const { id } = await chainOf(6);
    const { rows } = await w.db.query('SELECT sequence, kind, previous_digest, digest, at FROM checkpoint WHERE container_id = $1 ORDER BY sequence', [id]);
    expect(rows.map((r) => [r.sequence, r.kind])).toEqual([1, 2, 3, 4, 5, 6].map((n) => [n, n === 1 ? 'grid' : 'pass']));
    rows.forEach((r, i) => expect(r.previous_digest).toBe(rows[i - 1]?.digest ?? '0'.repeat(64)));
    expect(rows.map((r) => r.at)).toEqual(rows.map((r) => r.at).sort());
    const { rows: chain } = await w.db.query('SELECT count, head FROM checkpoint_chain WHERE container_id = $1', [id]);
    expect(chain).toEqual([{ count: 6, head: rows[5].digest }]);
  });

  test('is verified from its last verified point, or whole; a container without one is in order', async () => {
    const { id, slug } = await chainOf(4);
    expect(await verifyChain(w.db, id, { whole: true })).toEqual({ ok: true, checked: 4 });
    expect(await verifyChain(w.db, id)).toEqual({ ok: true, checked: 0 });
    await complete(w, slug, lead, 'a');
    expect(await verifyChain(w.db, id)).toEqual({ ok: true, checked: 1 });
    expect(await verifyChain(w.db, id, { whole: true })).toEqual({ ok: true, checked: 5 });
    const { rows } = await w.db.query('SELECT id FROM container WHERE slug = $1', [await w.container()]);
    expect(await verifyChain(w.db, rows[0].id)).toEqual({ ok: true, checked: 0 });
  });

  test('holds over more checkpoints than are read at a time', async () => {
    const { id, slug } = await chainOf(2);
    const { rows } = await w.db.query('SELECT count, head FROM checkpoint_chain WHERE container_id = $1', [id]);
    const at = '2026-01-01T00:00:00.000000Z';
    const links: [number, string, string][] = [];
    let head: string = rows[0].head;
    for (let sequence = 3; sequence <= 2300; sequence++) {
      const digest = digestOf({ container: id, sequence, kind: 'pass', content: { n: sequence }, at, previousDigest: head });
      links.push([sequence, head, digest]);
      head = digest;
    }
    await w.db.query(
      `INSERT INTO checkpoint (container_id, sequence, kind, content, at, previous_digest, digest)
       SELECT $1, n, 'pass', jsonb_build_object('n', n), $2, p, d FROM unnest($3::int[], $4::text[], $5::text[]) AS x (n, p, d)`,
      [id, at, ...[0, 1, 2].map((k) => links.map((l) => l[k]))],
    );
    await w.db.query('UPDATE checkpoint_chain SET count = 2300, head = $2 WHERE container_id = $1', [id, head]);
    await complete(w, slug, lead, 'a');
    expect(await verifyChain(w.db, id, { whole: true })).toEqual({ ok: true, checked: 2301 });
  });

  const HERE = 'WHERE container_id = $1';
  const TAMPERED: [string, string, number, boolean][] = [
    ['a content that was changed', `UPDATE checkpoint SET content = jsonb_set(content, '{state}', '"completed"') ${HERE} AND sequence = 3`, 3, false],
    ['a clause that was changed deep inside', `UPDATE checkpoint SET content = jsonb_set(content, '{clauses,0,status}', '"fail"') ${HERE} AND sequence = 2`, 2, false],
    ['an instant that was moved by a microsecond', `UPDATE checkpoint SET at = at + interval '1 microsecond' ${HERE} AND sequence = 4`, 4, false],
    ['a kind that was changed', `UPDATE checkpoint SET kind = 'grid' ${HERE} AND sequence = 2`, 2, false],
    ['a digest that was changed', `UPDATE checkpoint SET digest = repeat('a', 64) ${HERE} AND sequence = 3`, 3, false],
    ['a link to another predecessor', `UPDATE checkpoint SET previous_digest = repeat('a', 64) ${HERE} AND sequence = 3`, 3, false],
    ['a checkpoint that is missing in the middle', `DELETE FROM checkpoint ${HERE} AND sequence = 3`, 3, false],
    ['the first that is missing', `DELETE FROM checkpoint ${HERE} AND sequence = 1`, 1, false],
    ['the last that is missing', `DELETE FROM checkpoint ${HERE} AND sequence = 5`, 5, false],
    ['a head that is another', `UPDATE checkpoint_chain SET head = repeat('a', 64) ${HERE}`, 5, false],
    ['an end that was cut off, count and all', `WITH cut AS (DELETE FROM checkpoint ${HERE} AND sequence > 3) UPDATE checkpoint_chain SET count = 3, head = (SELECT digest FROM checkpoint ${HERE} AND sequence = 3) ${HERE}`, 4, true],
  ];

  test.each(TAMPERED)('%s is found, and named as the first bad link', async (_, sql, sequence, sinceVerified) => {
    const { id } = await chainOf(5);
    if (sinceVerified) await verifyChain(w.db, id);
    await w.db.query(`UPDATE checkpoint_chain SET verified = ${sinceVerified ? 5 : 0}, verified_digest = ${sinceVerified ? 'head' : `repeat('0', 64)`} WHERE container_id = $1`, [id]);
    await tamper(sql, [id]);
    const whole = await verifyChain(w.db, id, { whole: true });
    expect(whole).toMatchObject({ ok: false, firstBad: { sequence, reason: expect.stringMatching(/\S/) } });
    expect(await verifyChain(w.db, id)).toMatchObject({ ok: false, firstBad: { sequence } });
    const { rows } = await w.db.query('SELECT verified FROM checkpoint_chain WHERE container_id = $1', [id]);
    expect(rows[0].verified).toBe(sinceVerified ? 5 : 0);
    await acknowledge(id);
  });

  test('BR-6: a broken chain closes its container to new passes, and no other, until an operator acknowledges it; what comes is judged from there', async () => {
    const [{ id, slug }, sound] = [await chainOf(4), await chainOf(2)];
    await tamper(`UPDATE checkpoint SET content = '{}' ${HERE} AND sequence = 2`, [id]);
    const found: unknown[] = [];
    await checkChains(w.db, (finding) => found.push(finding), { whole: true });
    expect(found).toMatchObject([{ id: expect.any(String), proof: expect.stringContaining('checkpoint 2') }]);
    expect(await openAlerts(w.db)).toMatchObject([{ container: slug, kind: 'chain-broken', details: { sequence: 2 } }]);
    expect(await refusal(startPass(w.db, slug, lead.id, { grant: 1, arrow: 'a' }))).toMatchObject({ code: 'container-closed', members: { reason: 'chain-broken' } });
    expect(await start(w, sound.slug, lead, 'a')).toMatchObject({ state: 'running' });
    expect(await acknowledgeCheckpoints(w.db, slug, w.operator.id, { reason: 'A test did it' })).toEqual({ acknowledged: 4 });
    expect(await openAlerts(w.db)).toEqual([]);
    await complete(w, slug, lead, 'a');
    expect(await verifyChain(w.db, id, { whole: true })).toEqual({ ok: true, checked: 1 });
    await tamper(`UPDATE checkpoint SET content = '{}' ${HERE} AND sequence = 5`, [id]);
    expect(await verifyChain(w.db, id, { whole: true })).toMatchObject({ ok: false, firstBad: { sequence: 5 } });
    await acknowledge(id);
  });

  /** So that a check in a later test does not find what an earlier one broke. */
  async function acknowledge(id: string): Promise<void> {
    await w.db.query('DELETE FROM alert');
    await w.db.query('UPDATE checkpoint_chain SET acknowledged = count, verified = count, verified_digest = head WHERE container_id = $1', [id]);
  }
});
