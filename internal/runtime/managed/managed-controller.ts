import type { Backoff } from '../../base/backoff.ts';
import type { ConcurrencyLimiter } from '../../base/concurrency-limiter.ts';
import { createDeps, type Deps } from '../../base/deps.ts';
import type { TokenBucket } from '../../base/token-bucket.ts';
import type { ObjectCache } from '../../kube/cache.ts';
import { type KubeObject, keyOf, keyString } from '../../kube/object.ts';
import { isOlder } from '../../kube/resource-version.ts';
import { type Controller, createController } from '../controller/controller.ts';
import { createHeldUpdates } from '../controller/held-updates.ts';
import { createOwnWrites } from '../controller/own-writes.ts';
import { ofType, type Source } from '../controller/source.ts';
import { createWakeUps } from '../controller/wake-ups.ts';
import type { Managed } from '../resource/managed.ts';
import { controllerName, externalTimeoutOf } from './kind/managed-kind.ts';
import type { ManagedReconcilerOptions } from './passes.ts';
import { createManagedReconciler } from './reconciler.ts';
import { isNews } from './watch-filter.ts';

export interface ManagedControllerOptions<R extends Managed>
  extends Omit<
      ManagedReconcilerOptions<R>,
      'read' | 'wakeUps' | 'wasAway' | 'onWritten' | 'outdated' | 'metrics'
    >,
    Pick<Deps, 'metrics'> {
  /** The resources of the kind, kept up to date by an informer. */
  readonly cache: ObjectCache<R>;
  /** Resources reconciled at the same time; default 1. */
  readonly workers?: number;
  /** Rate of polls, usually shared by all controllers. */
  readonly pollRate?: TokenBucket;
  /** Shared by all that use the same limit keys; default: one of its own. */
  readonly limiter?: ConcurrencyLimiter;
  /** Default: 1 s doubled up to 60 s for each resource. */
  readonly backoff?: Backoff;
}

/** What a reconcile may take beyond its external calls, to tell how they went, in ms. */
const REPORT_MS = 30_000;

/** The controller of a kind of managed resources. */
export function createManagedController<R extends Managed>(options: ManagedControllerOptions<R>): Controller {
  const { kind, cache } = options;
  const deps = createDeps(options);
  const name = controllerName(kind.type);
  const ownWrites = createOwnWrites<R>();
  const outdated = new WeakSet<object>();
  const isWorthAPass = (old: R, object: R) => {
    // What was reconciled last: after an outdated version this may be one that the cache has never seen.
    const known = ownWrites.newest(keyString(keyOf(object)), old) ?? old;
    if (ownWrites.saw(object)) return false;
    return isNews(old, object) || outdated.has(known) || (isBefore(known, object) && isNews(known, object));
  };
  const held = createHeldUpdates<R>((key, old, object) => {
    if (isWorthAPass(old, object)) controller.enqueue(key);
  });
  const departed = new Set<string>();
  const wakeUps = createWakeUps({
    ...deps,
    wake: (key, delayMs) => controller.enqueue(key, { delayMs }),
  });
  const reconcile = createManagedReconciler<R>({
    ...options,
    log: deps.log.child({ controller: name }),
    wakeUps,
    outdated,
    read: (key) => ownWrites.newest(key, cache.get(key)),
    wasAway: (key) => departed.delete(key),
    // A pass that looks again after Create leaves nothing for its own writes to bring up.
    onWritten: (stored, what) =>
      ownWrites.wrote(stored, what === 'object' && (kind.observeAfterCreate ?? false)),
  });
  const controller = createController({
    name,
    sources: [
      ofType(cache, (old, object) => !held.keep(old, object) && isWorthAPass(old, object)),
      departuresOf(cache, departed),
      ...(kind.configUse === undefined ? [] : [kind.configUse.source]),
      ...(kind.sources?.(cache) ?? []),
    ],
    reconcile: async (key, signal, occasion) => {
      using _ = held.begin(key);
      return await reconcile(key, signal, occasion);
    },
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
  return {
    ...controller,
    stop: async () => {
      await controller.stop();
      wakeUps.close();
    },
  };
}

function isBefore(a: KubeObject, b: KubeObject): boolean {
  return isOlder(a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '');
}

/** Notes what leaves the cache, and brings nothing up. */
function departuresOf<R extends Managed>(cache: ObjectCache<R>, departed: Set<string>): Source {
  return {
    start: () =>
      cache.subscribe(({ type, object }) => {
        if (type === 'deleted') departed.add(keyString(keyOf(object)));
      }),
    hasSynced: () => true,
    whenSynced: async () => undefined,
  };
}
