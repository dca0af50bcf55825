import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { type Clock, sleep } from '../../../internal/framework/base/time/clock.ts';
import type { Screen } from '../output/screen.ts';
import { Unmet } from './expectation.ts';

/** The user, or the system, interrupted the demo. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.signal = signal;
  }
}

/** The provider exited: the demo cannot go on. */
export class ProviderGone extends Error {
  constructor(how: string) {
    super(`the provider is gone: ${how}`);
  }
}

/** The rest of the demo cannot be run, and the user knows why. */
export class NotPossible extends Error {}

/** Runs one task after the other, with an announcement, a tick or a cross, and the reasons of a failure. */
export interface Runner {
  /** A failure is shown and counted, and the next step goes on. Rejects only when the demo is aborted. */
  step(title: string, work: () => Promise<void>): Promise<void>;
  /** For prerequisites of all later steps: rejects with `NotPossible` after showing the reason. */
  need<T>(title: string, work: () => Promise<T>): Promise<T>;
  /** The last line of a demo: `12 steps held, 0 failed` */
  outcome(): string;
  /** Whether there were steps, and all of them held. */
  allHeld(): boolean;
}

export interface RunnerOptions {
  readonly screen: Screen;
  readonly clock: Clock;
  /** Aborted to end the demo; its reason is the cause. */
  readonly signal: AbortSignal;
  /** Called before a step is marked: lets pending activity be printed first. */
  readonly catchUp: () => Promise<void>;
  /** The provider's last log lines, for a failed step. */
  readonly lastLines: () => readonly string[];
}

/** How long aborted work may take to end, in ms. */
const GRACE_MS = 2000;

export function createRunner({ screen, clock, signal, catchUp, lastLines }: RunnerOptions): Runner {
  let held = 0;
  let failed = 0;
  const attempt = async <T>(title: string, work: () => Promise<T>): Promise<{ value: T } | undefined> => {
    signal.throwIfAborted();
    screen.begin(title);
    const startedAt = clock.monotonic();
    const seconds = () => (clock.monotonic() - startedAt) / 1000;
    try {
      const value = await untilAborted(work(), signal, clock);
      await catchUp();
      screen.held(seconds());
      held++;
      return { value };
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : undefined;
      if (reason instanceof Interrupted) throw reason;
      await catchUp();
      screen.failed(title, seconds(), [...reasonsOf(reason ?? error), ...quoted(lastLines())]);
      failed++;
      if (signal.aborted) throw reason;
      return undefined;
    }
  };
  return {
    step: async (title, work) => {
      await attempt(title, work);
    },
    need: async (title, work) => {
      const done = await attempt(title, work);
      if (done === undefined) throw new NotPossible(title);
      return done.value;
    },
    outcome: () => `${held} ${held === 1 ? 'step' : 'steps'} held, ${failed} failed`,
    allHeld: () => held > 0 && failed === 0,
  };
}

/** What came of the work, or the signal's reason once the work has ended or had time to. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => {
    const settled = work.catch(() => undefined);
    Promise.race([settled, sleep(clock, GRACE_MS)]).then(() => aborted.reject(signal.reason), aborted.reject);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof Unmet) return error.lines;
  return (error instanceof Error ? error.message : messageOf(error)).split('\n');
}

const quoted = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['the provider’s last words:', ...lines.map((line) => `  ${line}`)];
