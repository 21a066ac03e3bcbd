import { row, statement, type Queryable } from '../db/pool';

const HOLDING = statement(`
  SELECT EXISTS (
    SELECT 1 FROM lock_page l JOIN container c ON c.id = l.container_id
    WHERE l.holder_id = $1 AND c.slug = $2 AND l.expires_at > clock_timestamp()
  ) AS holding`);

/** Whether a principal holds a container now: for its rate budget (section 10), never for a rule. */
export const isHolding = async (q: Queryable, principalId: string, slug: string | undefined): Promise<boolean> =>
  slug !== undefined && (await row<{ holding: boolean }>(q, HOLDING, [principalId, slug]))!.holding;
