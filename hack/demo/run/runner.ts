import { messageOf } from '../../../internal/base/errors/errors.ts';
import { type Clock, sleep } from '../../../internal/base/time/clock.ts';
import type { Screen } from '../output/screen.ts';
import { Interrupted } from './errors.ts';
import { Unmet } from './expectation.ts';
import type { Outcomes } from './outcomes.ts';

/** Runs one task after the other, with an announcement, a tick or a cross, and the reasons of a failure. */
export interface Runner {
  /** A failure is shown and counted, and the next step goes on. Rejects only when the demo is aborted. */
  step(title: string, work: () => Promise<void>): Promise<void>;
  /** For prerequisites of all later steps: rejects with `NotPossible` after showing the reason. */
  need<T>(title: string, work: () => Promise<T>): Promise<T>;
}

export interface RunnerOptions {
  readonly screen: Screen;
  readonly outcomes: Outcomes;
  readonly clock: Clock;
  /** Aborted to end the demo; its reason is the cause. */
  readonly signal: AbortSignal;
  /** Called before a step is marked: lets pending activity be printed first. */
  readonly catchUp: () => Promise<void>;
  /** The provider's last log lines, for a failed step. */
  readonly lastLines: () => readonly string[];
}

/** The rest of the demo cannot be run, and the user knows why. */
export class NotPossible extends Error {}

/** How long aborted work may take to end, in ms. */
const GRACE_MS = 2000;

export function createRunner({ screen, outcomes, clock, signal, ...options }: RunnerOptions): Runner {
  const attempt = async <T>(title: string, work: () => Promise<T>): Promise<{ value: T } | undefined> => {
    signal.throwIfAborted();
    screen.begin(title);
    const startedAt = clock.monotonic();
    const seconds = () => (clock.monotonic() - startedAt) / 1000;
    try {
      const value = await untilAborted(work(), signal, clock);
      await options.catchUp();
      screen.held(seconds());
      outcomes.add('held');
      return { value };
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : undefined;
      if (reason instanceof Interrupted) throw reason;
      await options.catchUp();
      screen.failed(title, seconds(), [...reasonsOf(reason ?? error), ...quoted(options.lastLines())]);
      outcomes.add('failed');
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
  };
}

/** What came of the work, or the signal's reason once the work has ended or had time to. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    Promise.race([settled, sleep(clock, GRACE_MS)]).then(() => aborted.reject(signal.reason), aborted.reject);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function reasonsOf(error: unknown): string[] {
  if (error instanceof Unmet) {
    return [error.what, `  expected  ${error.expected}`, `  found     ${error.found}`];
  }
  return (error instanceof Error ? error.message : messageOf(error)).split('\n');
}

const quoted = (lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['the provider’s last words:', ...lines.map((line) => `  ${line}`)];
