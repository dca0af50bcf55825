import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Waits for the end of its standard input, which comes when the parent process closes it or dies, by any signal. Then
 * it kills the processes that the pid files name and removes the folder.
 */
const SCRIPT = `
cat >/dev/null
for file in "$1"/*.pid; do
  [ -f "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null
done
rm -rf "$1"
`;

/**
 * Guards a folder with pid files: when this process ends, for any reason, the processes and the folder are removed. The
 * returned function does that now and resolves when it is done.
 */
export function startWatchdog(directory: string): () => Promise<void> {
  // In a session of its own, so that a Ctrl-C does not end the watchdog before its work.
  const child = spawn('sh', ['-c', SCRIPT, 'watchdog', directory], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  // The watchdog itself may be killed; then writing to it fails.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'exit').catch(() => undefined);
  return async () => {
    child.ref();
    child.stdin.end();
    await closed;
  };
}
