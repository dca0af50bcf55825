import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ToolOptions {
  /** Given on standard input. */
  readonly input?: string;
  readonly cwd?: string;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Of what a tool wrote, in an error. */
const LAST_LINES = 15;

/**
 * Runs a command-line tool and returns its standard output. Throws if it is missing or does not exit with 0, with the
 * end of its standard error.
 */
export async function tool(
  name: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<string> {
  // Within Jest, process.env is a copy, which only those see that it is given to.
  const env = { ...process.env, ...options.env };
  const child = spawn(name, args, { cwd: options.cwd, env, stdio: 'pipe' });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (texts.err += chunk));
  // A tool that does not read to the end is no error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const [code, signal] = (await once(child, 'close').catch((error) => {
    throw new Error(`cannot run ${name}: ${error.code === 'ENOENT' ? 'it is not installed' : error.message}`);
  })) as [number | null, string | null];
  if (code === 0) return texts.out;
  const end = texts.err.trimEnd().split('\n').slice(-LAST_LINES).join('\n');
  throw new Error(`${[name, ...args].join(' ')} ended with ${code ?? signal}: ${end}`);
}
