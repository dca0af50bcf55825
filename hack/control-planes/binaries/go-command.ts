import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Of its output, in an error. */
const LAST_LINES = 15;

/**
 * Runs `go` in the folder of a module. Returns its standard output.
 *
 * @throws with the end of its output if it fails
 */
export async function runGo(module: string, args: readonly string[]): Promise<string> {
  // A workspace of the user's around this folder must not change what is built.
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
  const running = promisify(execFile)('go', args, { cwd: module, env, maxBuffer: 64 << 20 });
  const killGo = () => running.child.kill();
  process.once('exit', killGo);
  try {
    return (await running).stdout;
  } catch (error) {
    const { code, signal, stderr = '' } = error as { code?: unknown; signal?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error('no Go toolchain on PATH', { cause: error });
    const end = stderr.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
    throw new Error(`go ${args[0]} ended with ${code ?? signal}:\n${end}`, { cause: error });
  } finally {
    process.off('exit', killGo);
  }
}

/** The folder with the sources of a module that another one requires. */
export const moduleFolder = async (module: string, path: string): Promise<string> =>
  (await runGo(module, ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', path])).trim();
