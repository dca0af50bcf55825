import type { WatchEvent, WatchOptions } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';

/** One watch request, controlled by a test. */
export interface ControlledWatch<T extends KubeObject> {
  readonly options: WatchOptions;
  /** The server accepts the watch. */
  open(): void;
  send(...events: readonly WatchEvent<T>[]): void;
  /** The server ends it regularly. */
  end(): void;
  fail(error: unknown): void;
  /** Whether the client still reads. */
  isOpen(): boolean;
}

export interface ControlledWatches<T extends KubeObject> {
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** All requests so far. */
  readonly all: readonly ControlledWatch<T>[];
  /** The latest request; throws if there is none. */
  latest(): ControlledWatch<T>;
}

type Step<T> =
  | { readonly events: readonly WatchEvent<T>[] }
  | { readonly end: true }
  | { readonly error: unknown };

/** Watches whose events, end and failures are controlled by a test. */
export function createControlledWatches<T extends KubeObject>(): ControlledWatches<T> {
  const all: ControlledWatch<T>[] = [];
  async function* play(
    steps: Step<T>[],
    wait: () => Promise<void>,
    onEnd: () => void,
  ): AsyncGenerator<WatchEvent<T>> {
    try {
      for (;;) {
        const step = steps.shift();
        if (step === undefined) await wait();
        else if ('events' in step) yield* step.events;
        else if ('error' in step) throw step.error;
        else return;
      }
    } finally {
      onEnd();
    }
  }
  return {
    all,
    latest: () => {
      const latest = all.at(-1);
      if (!latest) throw new Error('no watch was opened');
      return latest;
    },
    watch: (options) => {
      const steps: Step<T>[] = [];
      let wake: () => void = () => undefined;
      let open = true;
      const add = (step: Step<T>) => {
        steps.push(step);
        wake();
      };
      const onAbort = () => add({ error: options.signal?.reason });
      options.signal?.addEventListener('abort', onAbort, { once: true });
      all.push({
        options,
        open: () => options.onOpen?.(),
        send: (...events) => add({ events }),
        end: () => add({ end: true }),
        fail: (error) => add({ error }),
        isOpen: () => open,
      });
      const wait = () =>
        new Promise<void>((resolve) => {
          wake = resolve;
        });
      return play(steps, wait, () => {
        open = false;
        options.signal?.removeEventListener('abort', onAbort);
      });
    },
  };
}
