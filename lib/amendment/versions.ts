import type pg from 'pg';
import { rows, statement } from '../db/pool';
import { digestOf } from '../digest';
import type { Grid } from '../grid/document';
import type { Instant } from '../time';

const WRITE = statement(`
  INSERT INTO grid_version (container_id, version, digest, grid, author_id, at, amendment_id) VALUES ($1, $2, $3, $4, $5, $6, $7)`);
const EXISTS = statement(`SELECT 1 AS there FROM grid WHERE container_id = $1`);
const CREATE = statement(`INSERT INTO grid (container_id, version) VALUES ($1, 1) ON CONFLICT (container_id) DO NOTHING RETURNING container_id`);
const ADVANCE = statement(`UPDATE grid SET version = $2 WHERE container_id = $1 AND version = $2 - 1 RETURNING version`);

type Written = { containerId: string; version: number; grid: Grid; authorId: string; at: Instant; amendmentId: string | null };

/**
 * G-3: writes a grid version, under the write-lock. Versions rise by 1.
 * @returns its digest; undefined when v1 is there already
 */
export async function writeVersion(client: pg.PoolClient, { containerId, version, grid, authorId, at, amendmentId }: Written): Promise<string | undefined> {
  const digest = digestOf(grid);
  // The version row comes first: the grid's row refers to it.
  if (version === 1) {
    const there = await rows(client, EXISTS, [containerId]);
    if (there.length > 0) return undefined;
  }
  await rows(client, WRITE, [containerId, version, digest, JSON.stringify(grid), authorId, at, amendmentId]);
  const moved = version === 1 ? await rows(client, CREATE, [containerId]) : await rows(client, ADVANCE, [containerId, version]);
  if (moved.length === 0) throw new Error(`grid version ${version} does not follow the current one`);
  return digest;
}
