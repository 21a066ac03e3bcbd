import { expect, it } from 'vitest';
import { foldRuns } from './fold-runs';

const ada = { name: 'Ada' };
const bob = { name: 'Bob' };

it('folds what one author beat in a row, and nothing else', () => {
  const beat = (revision: number, author = ada) => ({ revision, kind: 'heartbeat', author });
  const items = [beat(9, bob), beat(8), beat(7), beat(6), { revision: 5, kind: 'acquire', author: ada }, beat(4)];
  expect(foldRuns(items).map((f) => ('run' in f ? f.run.map((r) => r.revision) : f.one.revision))).toEqual([9, [8, 7, 6], 5, 4]);
  expect(foldRuns([])).toEqual([]);
});
