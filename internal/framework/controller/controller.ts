/**
 * A controller connects sources, a work queue and a reconcile function: sources add requests, workers reconcile them,
 * and the result determines when a request is reconciled again. It starts in two steps, `watch` and `work`, so that a
 * replica can fill its caches before it leads.
 */

import {
  type ConcurrencyLimiter,
  createConcurrencyLimiter,
} from '../base/concurrency/concurrency-limiter.ts';
import {
  type LimitKey,
  type LimitKeyOption,
  NotAdmittedError,
  reserveFor,
  scopedName,
} from '../base/concurrency/limit-key.ts';
import type { TokenBucket } from '../base/concurrency/token-bucket.ts';
import { createDeps, type DepsWith } from '../base/deps.ts';
import { findCause, kindOf, messageOf } from '../base/errors/errors.ts';
import type { Metrics } from '../base/telemetry/telemetry.ts';
import { type Backoff, createBackoff } from '../base/time/backoff.ts';
import { withDeadline } from '../base/time/clock.ts';
import type { CacheProblem } from '../kube/cache/cache.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import {
  createQueueMetrics,
  createWorkQueue,
  POLL_PRIORITY,
  type RequestInProgress,
} from './queue/work-queue.ts';
import {
  NewReconcileRequest,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
} from './reconcile-result.ts';
import type { Enqueue, Source } from './sources/source.ts';

export interface ControllerOptions extends DepsWith<'clock' | 'log' | 'metrics'> {
  /** Unique in the process: the metric label and event source, e.g. `managed/bucket.example.org`. */
  readonly name: string;
  readonly sources: readonly Source[];
  readonly reconcile: Reconcile;
  /** Objects reconciled at the same time; default 1. */
  readonly workers?: number;
  /**
   * The limit keys of a request, e.g. its remote cluster. It starts when each of them has a slot; by default a limit
   * key has a quarter of the workers as slots. Called when the request is due; default: none.
   */
  readonly limitKeysOf?: (key: string) => readonly LimitKeyOption[];
  /** For whom a request works, as `Reserve` tells its calls; default: not known. */
  readonly tenantOf?: (key: string) => string | undefined;
  /** Deadline of one reconcile in ms; default 90000. */
  readonly timeoutMs?: number;
  /** Delays after failures; default 1 s doubled up to 60 s for each request. */
  readonly backoff?: Backoff;
  /** Rate of polls and resyncs, usually shared by all controllers; default: no limit. */
  readonly pollRate?: TokenBucket;
  /** Shared by all users of the same limit keys; default: a limiter of its own. */
  readonly limiter?: ConcurrencyLimiter;
  /** State kept for each request; default: a store of its own. Cleared when the controller stops. */
  readonly keys?: KeyStore;
}

export interface Controller {
  readonly name: string;
  /** Adds a request besides the sources. Of several delays for one request the shortest counts. */
  readonly enqueue: Enqueue;
  /** Starts the sources; requests wait in the queue until `work`. */
  watch(): void;
  hasSynced(): boolean;
  /** Resolves when it can begin: required sources have synced, others have synced or failed for the first time. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /**
   * The problem of a source that has lasted longest, without sources of clusters that are not required. If the kind of the
   * first source is not installed, its problem.
   */
  problem(): CacheProblem | undefined;
  /** Starts the workers. */
  work(): void;
  /** Stops the sources and the queue; resolves when no reconcile is in progress. */
  stop(): Promise<void>;
  /** Aborts reconciles in progress and later ones with `reason`. */
  abort(reason: unknown): void;
}

/** Share of the workers that a limit key has as slots by default: one in four. */
const KEY_SHARE = 4;
/** Share of the workers for remote dependencies that are slow or unknown, all together: three in four. */
const REMOTE_SHARE = 3 / 4;
/** Share of the workers for low-priority requests while high-priority ones are in progress: one in eight. */
const LOW_PRIORITY_SHARE = 8;

/** Controllers share a limit only where both say so: names may be equal by chance. */
const nameInProcess = (controller: string, { name, scope = controller }: LimitKeyOption): string =>
  scopedName(scope, name);

export function createController(options: ControllerOptions): Controller {
  const { name, sources, reconcile, workers = 1, timeoutMs = 90_000, limitKeysOf = () => [] } = options;
  const { tenantOf = () => undefined } = options;
  const { clock, tracer } = createDeps(options);
  const { limiter = createConcurrencyLimiter({ clock }), keys = createKeyStore() } = options;
  const log = options.log.child({ controller: name });
  const queueMetrics = createQueueMetrics(options.metrics, clock, name);
  /** Limit keys that had no slot during a reconcile: the next reconcile of the request waits for them. */
  const missedLimitKeys = keys.values<readonly LimitKey[]>('limit keys without a slot');
  const defaultSlots = Math.ceil(workers / KEY_SHARE);
  // Per controller: the slow dependencies of one controller do not stop the workers of another.
  const shared = {
    name: scopedName(name, 'remote dependencies'),
    slots: Math.ceil(workers * REMOTE_SHARE),
  };
  const withSlots = (limitKeys: readonly LimitKeyOption[]): readonly LimitKey[] =>
    limitKeys.map((limitKey) => ({
      name: nameInProcess(name, limitKey),
      get slots() {
        return limitKey.slots ?? defaultSlots;
      },
      ...(limitKey.remote === true ? { shared } : {}),
    }));
  const queue = createWorkQueue({
    clock,
    backoff: options.backoff ?? createBackoff({ counts: keys.values('failures') }),
    metrics: queueMetrics,
    limiter,
    limitKeysOf: (key) => {
      const known = withSlots(limitKeysOf(key));
      const missed = missedLimitKeys
        .get(key)
        ?.filter(({ name }) => !known.some((other) => other.name === name));
      return missed === undefined ? known : [...known, ...missed];
    },
    lowSlots: Math.ceil(workers / LOW_PRIORITY_SHARE),
    rate: options.pollRate,
  });
  /** Those without which it cannot work. */
  const required = sources.filter(({ cluster }) => cluster?.required !== false);
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
        if (result.keepsBackoff !== true) queue.forget(key);
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
      missedLimitKeys.set(key, withSlots(refused.limitKeys));
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
    missedLimitKeys.delete(key);
    const reserve = reserveFor(tenantOf(key) ?? '', (limitKeys) => {
      const keys = withSlots(limitKeys);
      if (!queue.reserve(key, keys)) throw new NotAdmittedError(limitKeys);
      return () => queue.release(key, keys);
    });
    const request = new NewReconcileRequest(taken.priority < 0, reserve);
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
    log.debug('reconciled', () => ({
      request: key,
      reconcileID: request.reconcileID,
      result: outcome,
      durationMs: Math.round(durationMs),
    }));
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
      queueMetrics.hold();
      for (const source of sources) stops.push(source.start(enqueue));
    },
    hasSynced: () => required.every((source) => source.hasSynced()),
    whenSynced: async (signal) => {
      // Without the first list of a cluster that is not required each object would be reconciled in vain, again and again.
      const wait = (source: Source) =>
        required.includes(source) ? source.whenSynced(signal) : source.whenTried?.(signal);
      await Promise.all(sources.map(wait));
    },
    problem: () => {
      const [own, ...others] = required.map((source) => source.problem?.());
      if (own?.kindMissing) return own;
      const all = [own, ...others.map((problem) => problem && { ...problem, kindMissing: false })];
      return all.reduce((a, b) => ((b?.forMs ?? -1) > (a?.forMs ?? -1) ? b : a), undefined);
    },
    work: () => {
      metrics.workers(workers);
      queueMetrics.work();
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

type ReconcileOutcome = 'success' | 'requeue' | 'requeue_after' | 'error';

/** The `controller_runtime_*` metrics of one controller. Names are those of controller-runtime. */
interface ControllerMetrics {
  workers(count: number): void;
  started(): void;
  ended(outcome: ReconcileOutcome, seconds: number): void;
  terminalError(): void;
  panic(): void;
  timeout(): void;
  /** Removes the gauges of an ended controller; counters stay. */
  close(): void;
}

/** The buckets of controller-runtime: 5 ms to 60 s. */
const TIME_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

const OUTCOMES: readonly ReconcileOutcome[] = ['success', 'requeue', 'requeue_after', 'error'];

/** @param waitingForSlots number of requests that wait for a slot of a limit key; called on each scrape */
function createControllerMetrics(
  metrics: Metrics,
  controller: string,
  waitingForSlots: () => number,
): ControllerMetrics {
  const own = { controller };
  const labels = ['controller'];
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels });
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labels: ['controller', 'result'],
  });
  const errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that ended with an error.');
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that ended with an error that is not retried.',
  );
  const panics = counter(
    'controller_runtime_reconcile_panics_total',
    'Reconciles that ended with a programming error.',
  );
  const timeouts = counter(
    'controller_runtime_reconcile_timeouts_total',
    'Reconciles that exceeded their deadline.',
  );
  const time = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Duration of reconciles.',
    labels,
    buckets: TIME_BUCKETS,
  });
  const concurrency = metrics.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Workers of the controller.',
    labels,
  });
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Workers that are reconciling.',
    labels,
  });
  const waiting = metrics.gauge({
    name: 'controller_requests_waiting_for_slot',
    help: 'Reconcile requests that wait, without a worker, for a slot of a limit key (a cluster or host).',
    labels,
  });
  for (const count of [errors, terminal, panics, timeouts]) count.inc(own, 0);
  for (const result of OUTCOMES) total.inc({ ...own, result }, 0);
  let running = 0;
  let removeScrapeHook = () => {};
  return {
    workers: (count) => {
      concurrency.set(count, own);
      removeScrapeHook = metrics.onScrape(() => {
        active.set(running, own);
        waiting.set(waitingForSlots(), own);
      });
    },
    started: () => {
      running++;
    },
    ended: (outcome, seconds) => {
      running--;
      time.observe(seconds, own);
      total.inc({ ...own, result: outcome });
      if (outcome === 'error') errors.inc(own);
    },
    terminalError: () => terminal.inc(own),
    panic: () => panics.inc(own),
    timeout: () => timeouts.inc(own),
    close: () => {
      removeScrapeHook();
      for (const gauge of [concurrency, active, waiting]) gauge.remove(own);
    },
  };
}
