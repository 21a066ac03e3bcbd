const QUIET_MS = 2000;
const REPEAT_MS = 5000;

/** @param {number} ms */
export function seconds(ms) {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/**
 * Runs `work`, and says what is going on once it takes longer than two seconds: a line that counts on a terminal, a
 * new line every five seconds elsewhere.
 * @template T
 * @param {string} label
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const since = Date.now();
  const terminal = process.stdout.isTTY === true;
  let shownAt = 0;
  const timer = setInterval(() => {
    const elapsed = Date.now() - since;
    if (elapsed < QUIET_MS - 50) return;
    if (terminal) process.stdout.write(`\r${label} … ${Math.round(elapsed / 1000)} s `);
    else if (shownAt === 0 || Date.now() - shownAt >= REPEAT_MS - 50) console.log(`${label} … ${Math.round(elapsed / 1000)} s`);
    else return;
    shownAt = Date.now();
  }, 1000);
  try {
    const result = await work();
    if (shownAt > 0) console.log(`${terminal ? '\r' : ''}${label}: done in ${seconds(Date.now() - since)}`);
    return result;
  } catch (error) {
    if (shownAt > 0 && terminal) process.stdout.write('\n');
    throw error;
  } finally {
    clearInterval(timer);
  }
}
