import { fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * How much longer than at the start the same work takes that no program of the test does: the machine, and the API server, are shared with
 * the attackers and with other programs.
 */
export interface BusyMachine {
  /** @returns at least 1 */
  slowdownSince(from: number): number;
  close(): void;
}

/** Rounds of the work alone. */
const CALIBRATIONS = 10;

/** @param kubeconfigPath of the API server, for its admin */
export async function startBusyMachine(kubeconfigPath: string): Promise<BusyMachine> {
  const child = fork(new URL('machine-probe.ts', import.meta.url), [kubeconfigPath], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const rounds: Round[] = [];
  child.on('message', (round: Round) => void rounds.push(round));
  while (rounds.length < CALIBRATIONS) await once(child, 'message');
  const mean = (of: readonly Round[]) => of.reduce((sum, { ms }) => sum + ms, 0) / of.length;
  const usual = mean(rounds);
  return {
    slowdownSince: (from) => {
      const since = rounds.filter(({ at }) => at >= from);
      return since.length === 0 ? 1 : Math.max(1, mean(since) / usual);
    },
    close: () => void child.kill(),
  };
}

export interface Round {
  /** Time of its end in ms. */
  readonly at: number;
  readonly ms: number;
}
