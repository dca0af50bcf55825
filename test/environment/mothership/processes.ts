import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Counted } from './kill-point.ts';
import type { ProcessInput } from './mothership-process.ts';

/** A process that was started by `startProcess`. */
export interface MothershipProcess {
  /** Ends it with SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** Ends it as on SIGTERM. Returns what it counted. */
  stop(): Promise<Counted>;
  /** Resolves when it has ended, by itself too. */
  readonly ended: Promise<unknown>;
}

const script = fileURLToPath(new URL('./mothership-process.ts', import.meta.url));

/** Starts a mothership as a process of its own. Resolves when its database answered. */
export async function startProcess(input: ProcessInput): Promise<MothershipProcess> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, JSON.stringify(input)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const started = await Promise.race([once(child.stdout, 'data'), ended]);
  if (child.exitCode !== null) throw new Error(`a mothership process ended at its start: ${started}`);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  return {
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    stop: async () => {
      child.stdin.end();
      await ended;
      return JSON.parse(output) as Counted;
    },
  };
}
