/**
 * A controller ties sources, a queue and a reconcile function together: sources add keys, workers take them and
 * reconcile, and the result decides when the key comes again. It lives in two steps, `watch` and `work`, so that a
 * replica can have its caches warm before it is allowed to write.
 */

import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
} from '../../base/concurrency/concurrency-limiter.ts';
import {
  type LimitKey,
  type LimitKeyOption,
  NotAdmittedError,
  type Reserve,
} from '../../base/concurrency/limit-key.ts';
import type { TokenBucket } from '../../base/concurrency/token-bucket.ts';
import { createDeps, type DepsWith } from '../../base/deps.ts';
import { findCause, kindOf, messageOf } from '../../base/errors/errors.ts';
import { type Backoff, createBackoff } from '../../base/time/backoff.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import type { CacheProblem } from '../../kube/cache/cache.ts';
import { createQueueMetrics } from '../queue/queue-metrics.ts';
import { createWorkQueue, POLL_PRIORITY, type RequestInProgress } from '../queue/work-queue.ts';
import { createControllerMetrics, type ReconcileOutcome } from './controller-metrics.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import {
  createReconcileRequest,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
} from './reconcile-result.ts';
import type { Enqueue, Source } from './source.ts';

export interface ControllerOptions extends DepsWith<'clock' | 'log' | 'metrics'> {
  /** Unique in the process: metric label and event source, e.g. `managed/bucket.example.org`. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  /** Objects reconciled at the same time; default 1. */
  readonly workers?: number;
  /**
   * What the reconcile of a key depends on: remote clusters, hosts. It starts when each of these limit keys has a slot;
   * by default a limit key has a quarter of the workers as slots. Asked when the key is due; default: nothing.
   */
  readonly limitKeysOf?: (key: string) => readonly LimitKeyOption[];
  /** Deadline of one reconcile in ms; default 90000. */
  readonly timeoutMs?: number;
  /** Waits between failures; default 1 s doubled up to 60 s for each item. */
  readonly backoff?: Backoff;
  /** Rate of polls and resyncs, usually shared by all controllers; default: no limit. */
  readonly pollRate?: TokenBucket;
  /** Shared by all that use the same limit keys; default: one of its own. */
  readonly limiter?: ConcurrencyLimiter;
  /** Where all that is kept for a key is; default: a store of its own. Cleared when the controller stops. */
  readonly keys?: KeyStore;
}

export interface Controller {
  readonly name: string;
  /** Adds a key from outside of the sources. Of several delays for one key the shortest counts. */
  readonly enqueue: Enqueue;
  /** Starts the sources; keys gather in the queue until `work`. */
  watch(): void;
  hasSynced(): boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  /** The longest of its sources' problems; that its own kind is missing, which its first source knows, explains all. */
  problem(): CacheProblem | undefined;
  /** Starts the workers. */
  work(): void;
  /** Ends sources and intake; resolves when no reconcile runs any more. */
  stop(): Promise<void>;
  /** Aborts the reconciles that run, and those that might still begin, with `reason`. */
  abort(reason: unknown): void;
}

/** A limit key has one in so many workers as slots, unless it says otherwise. */
const KEY_SHARE = 4;
/** Low-priority requests take one in so many workers at most while high-priority ones are in progress. */
const LOW_PRIORITY_SHARE = 8;

export function createController(options: ControllerOptions): Controller {
  const { name, sources, reconcile, workers = 1, timeoutMs = 90_000, limitKeysOf = () => [] } = options;
  const { clock, tracer } = createDeps(options);
  const { limiter = createConcurrencyLimiter({ clock }), keys = createKeyStore() } = options;
  const log = options.log.child({ controller: name });
  const queueMetrics = createQueueMetrics(options.metrics, clock, name);
  /** Limit keys without a slot that reconciles met on their way: the next reconcile of the key starts with them. */
  const missedSlots = keys.values<readonly LimitKey[]>('missed slots');
  const slots = Math.ceil(workers / KEY_SHARE);
  const withSlots = (limitKeys: readonly LimitKeyOption[]): readonly LimitKey[] =>
    limitKeys.map((limitKey) => ({ slots, ...limitKey }));
  const queue = createWorkQueue({
    clock,
    backoff: options.backoff ?? createBackoff({ counts: keys.values('failures') }),
    metrics: queueMetrics,
    limiter,
    limitKeysOf: (key) => {
      const known = withSlots(limitKeysOf(key));
      const missed = missedSlots.get(key)?.filter(({ name }) => !known.some((other) => other.name === name));
      return missed === undefined ? known : [...known, ...missed];
    },
    lowSlots: Math.ceil(workers / LOW_PRIORITY_SHARE),
    rate: options.pollRate,
  });
  const halt = new AbortController();
  const stops: (() => void)[] = [];
  const metrics = createControllerMetrics(options.metrics, name, queue.waitingForSlots);

  const settle = ({ key, priority }: RequestInProgress, result: ReconcileResult): ReconcileOutcome => {
    switch (result.type) {
      case 'done':
        queue.forget(key);
        return 'success';
      case 'gone':
        queue.forget(key);
        keys.drop(key);
        return 'success';
      case 'requeue':
        queue.addRateLimited(key, { priority });
        return 'requeue';
      case 'requeue-after':
        queue.forget(key);
        queue.addAfter(
          key,
          result.delayMs,
          result.poll ? { priority: POLL_PRIORITY, paced: true } : { priority },
        );
        return 'requeue_after';
      default:
        return result satisfies never;
    }
  };
  const fail = (
    { key, priority }: RequestInProgress,
    { reconcileID }: ReconcileRequest,
    error: unknown,
  ): ReconcileOutcome => {
    const refused = findCause(error, NotAdmittedError);
    if (refused !== undefined) {
      missedSlots.set(key, withSlots(refused.limitKeys));
      queue.add(key, { priority });
      return 'requeue';
    }
    const kind = kindOf(error);
    const stack = kind === 'bug' && error instanceof Error ? { stack: error.stack } : {};
    log.error('reconcile failed', { request: key, reconcileID, kind, error: messageOf(error), ...stack });
    if (kind === 'bug') metrics.panic();
    if (kind === 'terminal') {
      metrics.terminalError();
      queue.forget(key);
    } else queue.addRateLimited(key, { priority });
    return 'error';
  };
  const perform = async (taken: RequestInProgress) => {
    const { key } = taken;
    metrics.started();
    missedSlots.delete(key);
    const reserve: Reserve = (limitKeys) => {
      if (!queue.reserve(key, withSlots(limitKeys))) throw new NotAdmittedError(limitKeys);
      return () => queue.release(key, limitKeys);
    };
    const request = createReconcileRequest(taken.priority < 0, reserve);
    const startedAt = clock.monotonic();
    using deadline = withDeadline(clock, timeoutMs, `reconcile of ${key}`, halt.signal);
    let outcome: ReconcileOutcome = 'error';
    try {
      const attributes = { 'controller.name': name, 'reconcile.key': key };
      outcome = await tracer.trace({ name: `reconcile ${name}`, attributes }, async (span) => {
        const settled = settle(taken, await reconcile(key, deadline.signal, request));
        span.set({ 'reconcile.result': settled });
        return settled;
      });
    } catch (error) {
      outcome = fail(taken, request, error);
    }
    if (deadline.signal.aborted && !halt.signal.aborted) metrics.timeout();
    const durationMs = clock.monotonic() - startedAt;
    metrics.ended(outcome, durationMs / 1000);
    log.debug('reconciled', {
      request: key,
      // The ID is not made where the line is not written.
      get reconcileID() {
        return request.reconcileID;
      },
      result: outcome,
      durationMs: Math.round(durationMs),
    });
  };
  const enqueue: Enqueue = (key, { delayMs = 0, ...options } = {}) => {
    if (delayMs > 0) queue.addAfter(key, delayMs, options);
    else queue.add(key, options);
  };
  const worker = async () => {
    for (let taken = await queue.take(); taken !== undefined; taken = await queue.take()) {
      try {
        await perform(taken);
      } finally {
        queue.done(taken.key);
      }
    }
  };
  return {
    name,
    enqueue,
    watch: () => {
      for (const source of sources) stops.push(source.start(enqueue));
    },
    hasSynced: () => sources.every((source) => source.hasSynced()),
    whenSynced: async (signal) => {
      await Promise.all(sources.map((source) => source.whenSynced(signal)));
    },
    problem: () => {
      const [own, ...others] = sources.map((source) => source.problem?.());
      if (own?.kindMissing) return own;
      const all = [own, ...others.map((problem) => problem && { ...problem, kindMissing: false })];
      return all.reduce((a, b) => ((b?.forMs ?? -1) > (a?.forMs ?? -1) ? b : a), undefined);
    },
    work: () => {
      metrics.workers(workers);
      for (let i = 0; i < workers; i++) {
        worker().catch((error: unknown) => log.error('worker ended', { error: messageOf(error) }));
      }
    },
    stop: async () => {
      for (const stop of stops.splice(0)) stop();
      await queue.shutdown();
      keys.clear();
      queueMetrics.close();
      metrics.close();
    },
    abort: (reason) => halt.abort(reason),
  };
}
