import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { nodeModule } from '../../../hack/bundle/node-module.ts';
import type { Counted } from './kill-point.ts';
import type { ProcessInput } from './mothership-process.ts';

/** Motherships as processes of their own. */
export interface MothershipProcesses {
  /** Resolves when the database of the process answered. */
  start(input: ProcessInput): Promise<MothershipProcess>;
  /** Removes the program. */
  close(): Promise<void>;
}

/** A process that was started by `start`. */
export interface MothershipProcess {
  /** Ends it with SIGKILL, in the middle of whatever it does. */
  kill(): Promise<void>;
  /** Ends it as on SIGTERM. Returns what it counted. */
  stop(): Promise<Counted>;
  /** Resolves when it has ended, by itself too. */
  readonly ended: Promise<unknown>;
}

/** Bundles the program of all processes: one that starts from its 600 sources needs three times as much CPU time. */
export async function mothershipProcesses(): Promise<MothershipProcesses> {
  const folder = await mkdtemp(join(tmpdir(), 'mothership-process-'));
  const script = join(folder, 'mothership-process.mjs');
  // Not `build`, whose own process would stay until this one ends.
  buildSync({
    ...nodeModule,
    entryPoints: [join(import.meta.dirname, 'mothership-process.ts')],
    outfile: script,
    logLevel: 'warning',
  });
  return {
    start: (input) => startProcess(script, input),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startProcess(script: string, input: ProcessInput): Promise<MothershipProcess> {
  const child = spawn(process.execPath, [script, JSON.stringify(input)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The path of the script is another one each time: what Node compiled would not be found again.
    env: { ...process.env, NODE_COMPILE_CACHE: undefined },
  });
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
