import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import type { Manager } from '../../process/manager/manager.ts';
import type { Controllers } from '../controllers.ts';
import type { GatedKind, KindRun } from './gated-kind.ts';

export interface KindLifecycleOptions extends Pick<Deps, 'clock' | 'log' | 'metrics'> {
  readonly kind: GatedKind;
  readonly manager: Controllers & Pick<Manager, 'addReadyCheck'>;
  /** The names of the missing CRDs, and of conditions that do not hold. */
  readonly missing: () => readonly string[];
  /** Whether reconciles in progress must end at once when it stops. */
  readonly mustAbort: () => boolean;
  /** Whether it may run without its CRD. */
  readonly mayBeMissing: () => boolean;
}

/**
 * Starts and stops one kind, one step at a time: it never starts again before it has stopped. Starting takes two
 * calls, so that several kinds are built before the first of them runs.
 */
export interface KindLifecycle {
  readonly kind: GatedKind;
  want(running: boolean): void;
  /** Builds the kind if it is about to start. */
  build(): void;
  /** Performs the next steps. */
  settle(): void;
  /** Reports that the kind waits for its CRD, if it does. */
  reportWaiting(): void;
  /** Stops what runs besides the controller, which has stopped, and starts nothing any more. */
  end(): void;
}

export function createKindLifecycle(options: KindLifecycleOptions): KindLifecycle {
  const { kind, manager, missing, clock, metrics } = options;
  const log = options.log.child({ controller: kind.name });
  const labels = { controller: kind.name };
  const available = metrics.gauge({
    name: 'controller_kind_available',
    help: '1 while the kind is reconciled, 0 while the controller waits for its CRD.',
    labels: ['controller'],
  });
  const backoff = createBackoff();
  let wanted = false;
  let ended = false;
  let built: KindRun | undefined;
  let running: { readonly run: KindRun; readonly stop: () => void } | undefined;
  let stopping: Promise<void> | undefined;
  let cancelRetry: () => void = () => undefined;

  const removeScrapeHook = metrics.onScrape(() => {
    if (running === undefined) return;
    available.set(running.run.controller.problem()?.kindMissing ? 0 : 1, labels);
  });
  const isIdle = () => built === undefined && running === undefined && stopping === undefined;
  const wait = () => {
    available.set(0, labels);
    manager.addReadyCheck(kind.name, () => `waits for ${missing().join(', ')}`);
  };
  const attempt = (doing: string, work: () => void): void => {
    try {
      work();
      backoff.forget(kind.name);
    } catch (error) {
      const retryInMs = backoff.next(kind.name);
      log.error('cannot start the controller', { doing, error: messageOf(error), retryInMs });
      cancelRetry = clock.after(retryInMs, () => {
        self.build();
        self.settle();
      });
    }
  };
  const begin = (run: KindRun) => {
    const stop = run.start();
    running = { run, stop };
    manager.addController(run.controller, {
      mayBeMissing: options.mayBeMissing,
    });
    available.set(1, labels);
  };
  const finish = async ({ run, stop }: { run: KindRun; stop: () => void }) => {
    log.info('the controller stops until what it needs is available', { missing: missing() });
    if (options.mustAbort()) run.controller.abort(new ProviderError('transient', 'the controller must stop'));
    const removed = manager.removeController(run.controller);
    wait();
    try {
      await removed;
    } finally {
      stop();
      run.forget();
    }
  };
  const self: KindLifecycle = {
    kind,
    want: (value) => {
      wanted = value;
    },
    build: () => {
      if (!wanted || ended || !isIdle()) return;
      cancelRetry();
      attempt('build', () => {
        built = kind.build();
      });
    },
    settle: () => {
      if (ended) return;
      if (wanted && built !== undefined) {
        const run = built;
        built = undefined;
        attempt('start', () => begin(run));
      } else if (!wanted) {
        built = undefined;
        cancelRetry();
        if (running === undefined) return;
        const last = running;
        running = undefined;
        stopping = finish(last)
          .catch((error: unknown) => log.error('cannot end cleanly', { error: messageOf(error) }))
          .then(() => {
            stopping = undefined;
            self.build();
            self.settle();
          });
      }
    },
    reportWaiting: () => {
      if (wanted || missing().length === 0) return;
      log.info('the controller waits', { missing: missing() });
      wait();
    },
    end: () => {
      ended = true;
      cancelRetry();
      removeScrapeHook();
      available.remove(labels);
      running?.stop();
      running = undefined;
    },
  };
  return self;
}
