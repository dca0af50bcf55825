import { createBackoff, type Deps, messageOf, sleep } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';
import type { Database, Topic } from '../database/database.ts';

export interface EventLoopOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly name: string;
  readonly database: Pick<Database, 'listen'>;
  /** Notifications that make it run at once. None: only the interval does. */
  readonly topics: readonly Topic[];
  /** The backstop for notifications that were lost, in ms. */
  readonly intervalMs: number;
  /** The shortest time between the beginnings of two runs, in ms, so that many notifications cost few runs. Default 0. */
  readonly spacingMs?: number;
  /** Whether the first run waits for the interval. Default false. */
  readonly delayed?: boolean;
  /**
   * One run. Returns the delay of the next one in ms, if that is less than the interval. An error is logged, and the run
   * repeated with growing delay.
   */
  run(signal: AbortSignal): Promise<number | undefined>;
  /** What the loop waits for at its end. */
  drain?(abort: AbortSignal): Promise<void>;
}

export interface EventLoop {
  readonly runnable: Runnable;
  /** Runs at once; while it runs, once more afterwards. */
  wake(): void;
}

/** A part that runs when it is notified, and at an interval. Notifications during a run lead to one more run. */
export function createEventLoop(options: EventLoopOptions): EventLoop {
  const { clock, log, name, database, topics, intervalMs, spacingMs = 0, run, drain } = options;
  let isAwake = options.delayed !== true;
  let resume: (() => void) | undefined;
  const wake = () => {
    isAwake = true;
    resume?.();
  };

  /** Resolves when it is woken, after the delay, and when the signal is aborted. */
  const wait = async (delayMs: number, signal: AbortSignal) => {
    if (isAwake || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(delayMs, resolve);
      resume = () => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', resume, { once: true });
    });
    if (resume !== undefined) signal.removeEventListener('abort', resume);
    resume = undefined;
  };

  const loop = async (signal: AbortSignal) => {
    const backoff = createBackoff({ baseMs: 500, maxMs: Math.min(30_000, intervalMs) });
    await wait(intervalMs, signal);
    while (!signal.aborted) {
      isAwake = false;
      const began = clock.monotonic();
      let delayMs = intervalMs;
      try {
        delayMs = Math.min((await run(signal)) ?? intervalMs, intervalMs);
        backoff.forget(name);
      } catch (error) {
        if (signal.aborted) return;
        delayMs = backoff.next(name);
        log.error(`the ${name} failed`, { error: messageOf(error) });
      }
      await wait(delayMs, signal);
      const early = began + spacingMs - clock.monotonic();
      if (early > 0) await sleep(clock, early, signal).catch(() => undefined);
    }
  };

  return {
    wake,
    runnable: {
      name,
      start: async (signal, abort) => {
        const stop =
          topics.length === 0
            ? () => undefined
            : database.listen(({ topic }) => {
                if (topic === undefined || topics.includes(topic)) wake();
              });
        try {
          await loop(signal);
        } finally {
          stop();
          await drain?.(abort);
        }
      },
    },
  };
}
