/** Who started this process. */
const parent = process.ppid;
const CHECK_MS = 500;

/**
 * Calls back once the process that started this one is gone. Only under npm, whose shell takes a SIGTERM for itself and
 * leaves us running; anybody else may start a server and go.
 * @param {() => void} gone
 */
export function onNpmGone(gone) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, CHECK_MS);
  timer.unref();
}
