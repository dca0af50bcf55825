import { type Deps, messageOf } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { Database } from '../database/database.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Settings } from '../model/settings.ts';
import { createEndAttempt } from '../reconciliations/end-attempts.ts';
import { createEventLoop } from '../triggers/event-loop.ts';
import { createClaimKeeper } from './claim-keeper.ts';
import { type ClaimedOperation, claimOperations } from './claim-operations.ts';
import { createOpenedVersions, type DispatchContext, dispatchOperation } from './dispatch-operation.ts';

export interface WorkerPoolOptions
  extends Omit<DispatchContext, 'endAttempt' | 'claims' | 'opened'>,
    Pick<Deps, 'clock'> {
  readonly database: Database;
  readonly keyring: Keyring;
  /** Whether clients have sent requests just now. Default: never. */
  readonly hasRequests?: () => boolean;
  readonly settings: DispatchContext['settings'] &
    Pick<
      Settings,
      'workers' | 'processName' | 'dispatchIntervalMs' | 'orphanTimeoutMs' | 'maxParallelByComponent'
    >;
}

/** Time between claims, in ms: each takes all operations that wait. */
const SPACING_MS = 20;
/** Operations of one claim while clients send requests, which are for people: the work in the background gives way to them. */
const BESIDE_REQUESTS = 2;

/** Claims operations while workers are free, and sends them to component reconcilers. */
export function createWorkerPool(options: WorkerPoolOptions): Runnable {
  const { clock, log, database, settings, observers } = options;
  const claims = createClaimKeeper(options);
  const context: DispatchContext = {
    ...options,
    claims,
    opened: createOpenedVersions(options.keyring),
    endAttempt: createEndAttempt(database, options),
  };
  const running = new Set<Promise<void>>();
  const timers = new Set<() => void>();
  const aborting = new AbortController();
  let isStopping = false;
  /** Operations may wait for a free worker. */
  let isFull = false;

  const report = () => {
    for (const { workersChanged } of observers) workersChanged?.(running.size, settings.workers);
  };

  const wakeAfter = (delayMs: number) => {
    if (isStopping) return;
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      wake();
    });
    timers.add(cancel);
  };

  const work = async (operation: ClaimedOperation) => {
    try {
      const { nextAttemptMs } = await dispatchOperation(operation, context, aborting.signal);
      if (nextAttemptMs !== undefined) wakeAfter(nextAttemptMs);
    } catch (error) {
      // Its lease brings it back.
      log.error('cannot store the end of a dispatch', {
        'correlation-id': operation.correlation_id,
        'component-name': operation.component,
        error: messageOf(error),
      });
    } finally {
      claims.release(operation);
    }
  };

  const { runnable, wake } = createEventLoop({
    ...options,
    name: 'worker pool',
    topics: ['mothership_operations'],
    spacingMs: SPACING_MS,
    intervalMs: settings.dispatchIntervalMs,
    run: async () => {
      const free = settings.workers - running.size;
      isFull = free <= 0;
      if (isFull) return undefined;
      const limit = options.hasRequests?.() === true ? Math.min(free, BESIDE_REQUESTS) : free;
      const claimedAt = clock.monotonic();
      const claimed = await claimOperations(database, {
        claimedBy: settings.processName,
        tokenKey: options.keyring.currentId,
        limit,
        leaseMs: claims.leaseMs,
        maxParallelByComponent: settings.maxParallelByComponent,
      });
      isFull = claimed.length === free;
      for (const operation of claimed) {
        claims.add(operation, claimedAt);
        const worker = work(operation).finally(() => {
          running.delete(worker);
          report();
          if (isFull) wake();
        });
        running.add(worker);
      }
      if (claimed.length > 0) report();
      return claimed.length === limit && limit < free ? SPACING_MS : undefined;
    },
    drain: async (abort) => {
      isStopping = true;
      for (const cancel of timers) cancel();
      const stop = () => aborting.abort(abort.reason);
      abort.addEventListener('abort', stop, { once: true });
      if (abort.aborted) stop();
      await Promise.all(running);
    },
  });
  return {
    ...runnable,
    start: async (signal, abort) => {
      const stop = claims.start();
      try {
        await runnable.start(signal, abort);
      } finally {
        stop();
      }
    },
  };
}
