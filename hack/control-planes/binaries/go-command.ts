import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface GoListeners {
  readonly onStdout?: (line: string) => void;
  readonly onStderr?: (line: string) => void;
}

/**
 * Runs `go` in the folder of a module.
 *
 * @throws with the end of its output if it fails
 */
export async function runGo(
  module: string,
  args: readonly string[],
  { onStdout, onStderr }: GoListeners = {},
): Promise<void> {
  const child = spawn('go', args, {
    cwd: module,
    // A workspace of the user's around this folder must not change what is built.
    env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tail: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => onStdout?.(line));
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > 15) tail.shift();
    onStderr?.(line);
  });
  const killChild = () => child.kill();
  process.once('exit', killChild);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        reject(error.code === 'ENOENT' ? new Error('no Go toolchain on PATH') : error);
      });
      child.once('close', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`go ${args[0]} ended with ${code ?? signal}:\n${tail.join('\n')}`));
      });
    });
  } finally {
    process.off('exit', killChild);
  }
}
