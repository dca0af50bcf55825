import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Waits for the end of its standard input, which comes when the parent process closes it or dies, by any signal. Then
 * it kills the processes that the pid files name and removes the folder, and the cgroups, which are busy until their last
 * process is gone.
 */
const SCRIPT = `
cat >/dev/null
directory=$1
shift
for file in "$directory"/*.pid; do
  [ -f "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null
done
for group in "$@"; do
  for attempt in 1 2 3 4 5 6 7 8 9 10; do
    [ -d "$group" ] || break
    [ "$attempt" = 1 ] || sleep 0.5
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
  done
done
rm -rf "$directory"
`;

/**
 * Guards a folder with pid files: when this process ends, for any reason, the processes and the folder are removed. The
 * returned function does that now and resolves when it is done.
 *
 * @param cgroups folders of cgroups to remove too, with all below them
 */
export function startWatchdog(directory: string, cgroups: readonly string[] = []): () => Promise<void> {
  // In a session of its own, so that a Ctrl-C does not end the watchdog before its work.
  const child = spawn('sh', ['-c', SCRIPT, 'watchdog', directory, ...cgroups], {
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
