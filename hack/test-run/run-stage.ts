import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type Clock, sleep } from '../../internal/framework/base/time/clock.ts';

/** Between the request to end and the kill. Jest ends its control planes in that time. */
const GRACE_MS = 20_000;

export interface StageProcess {
  readonly command: string;
  readonly args: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** Whether what it writes to stdout is thrown away. */
  readonly quiet: boolean;
  /** Milliseconds after which it is ended, with everything it started. */
  readonly limitMs: number;
  readonly clock: Clock;
  /** Called if the run had to be ended. */
  readonly report: (line: string) => void;
}

/**
 * Runs a program to its end and returns its exit code; 128 and more where a signal ended it.
 *
 * A run that hangs is ended, with all processes that it started and left: these would hold the output open or load the
 * machine during later stages. For that, the program leads a process group of its own.
 */
export async function runStage(options: StageProcess): Promise<number> {
  const { command, args, cwd, quiet, limitMs, clock, report } = options;
  // The program gets no standard input.
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
  });
  // A Ctrl-C of the terminal does not reach the group: forward it.
  let interruption: NodeJS.Signals | undefined;
  const forward = (signal: NodeJS.Signals) => {
    interruption = signal;
    signalGroup(child.pid, signal);
  };
  process.on('SIGINT', forward);
  process.on('SIGTERM', forward);
  const watch = new AbortController();
  const limit = endAt(limitMs).catch(() => undefined);
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    watch.abort();
    await limit;
    signalGroup(child.pid, 'SIGKILL');
    process.off('SIGINT', forward);
    process.off('SIGTERM', forward);
    // After an interrupt no further stage starts.
    if (interruption !== undefined) process.kill(process.pid, interruption);
  }

  async function endAt(ms: number): Promise<void> {
    await sleep(clock, ms, watch.signal);
    report(`not done after ${Math.round(ms / 60_000)} minutes: ended`);
    signalGroup(child.pid, 'SIGTERM');
    await sleep(clock, GRACE_MS, watch.signal);
    signalGroup(child.pid, 'SIGKILL');
  }
}

/** An empty group is no error. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}
