import { writeAudit } from '../audit/write';
import { endQueue } from '../collaboration/end-queue';
import { assertOpen, isHeld } from '../db/fence';
import { row, rows, statement, type Db } from '../db/pool';
import { write } from '../db/state';
import { lockHeld } from '../lock-page/lock-held';
import { invalidInput, Problem } from '../problems';
import { slugTaken, type NewContainer } from './create';
import { readContainerWithin, type ContainerView } from './read';

export type ContainerChange = Partial<NewContainer> & { summary?: string };

const CHANGE = statement(`
  WITH changed AS (
    UPDATE container SET revision = revision + 1, slug = coalesce($3, slug), title = coalesce($4, title), description = coalesce($5, description),
      prefix = coalesce($6, prefix), public = coalesce($7, public), term_seconds = coalesce($8, term_seconds), window_seconds = coalesce($9, window_seconds)
    WHERE id = $1 AND revision = $2 RETURNING *
  )
  INSERT INTO container_revision (container_id, revision, author_id, at, summary, slug, title, description, prefix, public, term_seconds, window_seconds)
  SELECT id, revision, $10, $11, $12, slug, title, description, prefix, public, term_seconds, window_seconds FROM changed
  RETURNING revision`);
const USED = statement(`SELECT EXISTS (SELECT 1 FROM lease WHERE container_id = $1) AS used`);
const WINDOW = statement(`UPDATE lock_page SET window_seconds = $2 WHERE container_id = $1`);

/**
 * Changes a container's description and settings against its revision. A new term applies to
 * the next grant, a new window to the next availability (P-2).
 * @param base the container's revision that the caller saw
 * @throws Problem `forbidden`, `edit-conflict` (current), `archived`, `container-closed`, `lock-held` (a new slug while somebody holds), `invalid-input`, `slug-taken`, and those of `write`
 */
export async function changeContainer(db: Db, slug: string, callerId: string, base: number, input: ContainerChange): Promise<ContainerView> {
  try {
    return await write(
      db,
      slug,
      callerId,
      'exclusive',
      async ({ client, state }) => {
        const { container, now, page } = state;
        const isBase = Number.isSafeInteger(base) && base > 0 && base < 2 ** 31;
        const summary = input.summary || 'Changed';
        const values = [container.id, isBase ? base : 0, input.slug, input.title, input.description, input.prefix, input.public, input.termSeconds, input.windowSeconds];
        const changed = await row(client, CHANGE, [...values.map((v) => v ?? null), callerId, now, summary]);
        if (!changed) throw new Problem('edit-conflict', 'The container has changed since you read it. Nothing was changed.', { current: await readContainerWithin(client, container.id, now) });
        assertOpen(state);
        // Its address is what the holder's heartbeats go to: a new one would cost it the grant.
        if (input.slug !== undefined && input.slug !== container.slug && isHeld(page, now)) {
          throw lockHeld(state, `${state.holder!.name} holds the lock: the slug of a held container cannot change.`);
        }
        if (input.prefix !== undefined && input.prefix !== container.prefix && (await row<{ used: boolean }>(client, USED, [container.id]))!.used) {
          throw invalidInput({ path: 'prefix', message: 'cannot change once identifiers have been leased' });
        }
        // While somebody holds, the next availability has not begun; else the running one keeps its window.
        if (input.windowSeconds !== undefined && isHeld(page, now)) await rows(client, WINDOW, [container.id, input.windowSeconds]);
        const { summary: _summary, ...changes } = input;
        await writeAudit(client, { containerId: container.id, at: now, actorId: callerId, action: 'container-changed', target: container.slug, details: { ...changes, description: undefined } });
        return readContainerWithin(client, container.id, now);
      },
      { role: 'operator' },
    );
  } catch (error) {
    throw slugTaken(error, input.slug) ?? error;
  }
}

const ARCHIVE = statement(`UPDATE container SET archived_at = $2 WHERE id = $1`);

/**
 * P-2: archives a container: it can be read, not written. Only when nobody holds; who waits is
 * told. Archiving an archived one changes nothing.
 * @throws Problem `forbidden`, `container-closed`, `lock-held`, and those of `write`
 */
export function archiveContainer(db: Db, slug: string, callerId: string): Promise<ContainerView> {
  return write(
    db,
    slug,
    callerId,
    'exclusive',
    async (gated) => {
      const { client, state } = gated;
      const { container, now, page } = state;
      if (!container.archivedAt) {
        assertOpen(state);
        if (isHeld(page, now)) throw lockHeld(state, `${state.holder!.name} holds the lock: a held container cannot be archived.`);
        await rows(client, ARCHIVE, [container.id, now]);
        await endQueue(gated);
        await writeAudit(client, { containerId: container.id, at: now, actorId: callerId, action: 'container-archived', target: container.slug, grant: page.grant });
      }
      return readContainerWithin(client, container.id, now);
    },
    { role: 'operator' },
  );
}
