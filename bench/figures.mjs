/** How figures are told. */
import { loadavg } from 'node:os';

/** Median, p95, p99 and most of some milliseconds, as text. */
export function spreadOf(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (q) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN).toFixed(1).padStart(6);
  return `median ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)} ms  (${sorted.length})`;
}

/** The middle one of some figures. */
export const median = (figures) => [...figures].sort((a, b) => a - b)[figures.length >> 1];

/** How busy the machine is: of what is measured, much depends on it. */
export const machine = () => `load ${loadavg()[0].toFixed(1)}`;

export const line = (name, text) => console.log(`${name.padEnd(46)} ${text}`);
