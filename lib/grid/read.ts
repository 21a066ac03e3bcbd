import { row, rows, statement, type Queryable } from '../db/pool';
import type { Grid } from './document';

export type GridVersion = { version: number; digest: string; grid: Grid };

const CURRENT = statement(`
  SELECT v.version, v.digest, v.grid FROM grid g JOIN grid_version v ON v.container_id = g.container_id AND v.version = g.version WHERE g.container_id = $1`);
const ONE = statement(`SELECT version, digest, grid FROM grid_version WHERE container_id = $1 AND version = $2`);
const DIGESTS = statement(`SELECT version, digest FROM grid_version WHERE container_id = $1 ORDER BY version`);

/** The current grid of a container, or undefined before v1 (G-1). */
export const currentGrid = (q: Queryable, containerId: string): Promise<GridVersion | undefined> => row<GridVersion>(q, CURRENT, [containerId]);

/** A version that once was current, or undefined (G-3). */
export const gridVersion = async (q: Queryable, containerId: string, version: number): Promise<GridVersion | undefined> =>
  version < 2 ** 31 ? row<GridVersion>(q, ONE, [containerId, version]) : undefined;

/** The digests of all versions. */
export const gridDigests = (q: Queryable, containerId: string): Promise<{ version: number; digest: string }[]> => rows(q, DIGESTS, [containerId]);
