import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Waiting } from './waiting';

const queue = (length: number) =>
  Array.from({ length }, (_, n) => ({ principal: { id: `p${n}`, name: `Waiter ${n + 1}`, kind: 'person' as const }, reason: `reason ${n + 1}` }));
const text = (length: number) => renderToStaticMarkup(<Waiting queue={queue(length)} />).replace(/<[^>]+>/g, '');

it.each([
  [0, ''],
  [1, 'One waits: Waiter 1, because “reason 1”.'],
  [3, '3 wait: Waiter 1, because “reason 1”; Waiter 2, because “reason 2”; Waiter 3, because “reason 3”.'],
  [100, '100 wait: Waiter 1, because “reason 1”; Waiter 2, because “reason 2”; Waiter 3, because “reason 3”; and 97 more in the queue.'],
])('a holder reads who waits and why, the first of %i by name', (length, expected) => expect(text(length)).toBe(expected));
