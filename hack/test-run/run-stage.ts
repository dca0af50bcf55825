import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type Clock, sleep } from '../../internal/base/time/clock.ts';

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
  /** Told when it had to be ended. */
  readonly report: (line: string) => void;
}

/**
 * Runs a program to its end and returns its exit code; 128 and more where a signal ended it.
 *
 * A run that hangs says nothing to anybody, least of all in continuous integration: so this one ends, and with
 * it whatever it started and left behind, which else would hold the output open or load the machine for the
 * stages that follow. The program leads a process group of its own for that.
 */
export async function runStage(options: StageProcess): Promise<number> {
  const { command, args, cwd, quiet, limitMs, clock, report } = options;
  // Nobody answers questions here.
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
  });
  // A Ctrl-C of the terminal no longer reaches it by itself.
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
    // No further stage for somebody who wants it to end.
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

/** Nothing of the group may be left, which is no error. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}
