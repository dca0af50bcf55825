import type { ConcurrencyLimiter } from '../base/concurrency/concurrency-limiter.ts';
import type { TokenBucket } from '../base/concurrency/token-bucket.ts';
import { createDeps, type Deps } from '../base/deps.ts';
import type { Backoff } from '../base/time/backoff.ts';
import { type Controller, createController } from '../controller/controller.ts';
import { createDepartures } from '../controller/departures.ts';
import { createKeyStore } from '../controller/key-store.ts';
import { createOwnObjects } from '../controller/own-objects.ts';
import { externalTimeoutOf } from '../controller/reconcile/timeouts.ts';
import { createWatchTriggers } from '../controller/watch-triggers.ts';
import type { ObjectCache } from '../kube/cache/cache.ts';
import { controllerName } from './kind/managed-kind.ts';
import { createManagedReconciler } from './reconciler.ts';
import type { ManagedReconcilerOptions } from './reconciliations.ts';
import type { Managed } from './resource/managed.ts';
import { createUpdatePredicate } from './update-predicate.ts';

export interface ManagedControllerOptions<R extends Managed>
  extends Omit<
      ManagedReconcilerOptions<R>,
      'read' | 'watchTriggers' | 'hasLeftCache' | 'onWritten' | 'outdated' | 'metrics'
    >,
    Pick<Deps, 'metrics'> {
  /** The resources of the kind, kept up to date by an informer. */
  readonly cache: ObjectCache<R>;
  /** Resources reconciled at the same time; default 1. */
  readonly workers?: number;
  /** Rate of polls, usually shared by all controllers. */
  readonly pollRate?: TokenBucket;
  /** Shared by all users of the same limit keys; default: a limiter of its own. */
  readonly limiter?: ConcurrencyLimiter;
  /** Default: 1 s doubled up to 60 s for each resource. */
  readonly backoff?: Backoff;
}

/** Time of a reconcile beyond its external calls, for the status and events, in ms. */
const REPORT_MS = 30_000;

/** The controller of a kind of managed resources. */
export function createManagedController<R extends Managed>(options: ManagedControllerOptions<R>): Controller {
  const { kind, cache } = options;
  const deps = createDeps(options);
  const name = controllerName(kind.type);
  const keys = options.keys ?? createKeyStore();
  const outdated = new WeakSet<object>();
  const objects = createOwnObjects<R>({ cache, keys, predicate: createUpdatePredicate(outdated) });
  const departures = createDepartures(cache, keys);
  const watchTriggers = createWatchTriggers({
    ...deps,
    keys,
    trigger: (key, delayMs) => controller.enqueue(key, { delayMs }),
  });
  const reconcile = createManagedReconciler<R>({
    ...options,
    log: deps.log.child({ controller: name }),
    watchTriggers,
    outdated,
    keys,
    read: objects.newest,
    hasLeftCache: departures.take,
    // A reconcile that observes after Create has already handled the events of its own writes.
    onWritten: (stored, what) =>
      objects.wrote(stored, what === 'object' && (kind.observeAfterCreate ?? false)),
  });
  const controller: Controller = createController({
    name,
    sources: [
      objects.source,
      departures.source,
      ...(kind.configUse === undefined ? [] : [kind.configUse.source]),
      ...(kind.sources?.(cache) ?? []),
    ],
    keys,
    reconcile: (key, signal, request) => objects.reconciling(key, () => reconcile(key, signal, request)),
    limitKeysOf: (key) => {
      const resource = kind.limitKeysOf && cache.get(key);
      return resource === undefined ? [] : (kind.limitKeysOf?.(resource) ?? []);
    },
    timeoutMs: externalTimeoutOf(kind) + REPORT_MS,
    ...deps,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.pollRate === undefined ? {} : { pollRate: options.pollRate }),
    ...(options.limiter === undefined ? {} : { limiter: options.limiter }),
    ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
  });
  return controller;
}
