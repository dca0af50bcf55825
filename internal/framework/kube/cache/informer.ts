/**
 * A local copy of a collection that follows the API server and reports changes to its handlers. Reading it costs no
 * request. It is eventually consistent. Before the first list it is empty; see `readable` for reconciles.
 */
import { createDeps, type DepsWith } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { type KubeClient, MANAGEMENT_CLUSTER, type PartialObject, type Selection } from '../client/client.ts';
import { isUnknownKind } from '../errors/errors.ts';
import { type KubeObject, keyOf, keyString } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import { type ReflectorSource, startReflector } from '../watch/reflector.ts';
import { adoptKnown } from './adopt-known.ts';
import type { CacheEvent, CacheProblem, ClusterInfo, ObjectCache } from './cache.ts';
import { createObjectStore } from './object-store.ts';
import { createStringInterner, dropManagedFields } from './transform.ts';

/** `get` and `list` throw a `bug` if it was never started: an empty answer would be wrong without a sign. */
export interface Informer<T extends KubeObject> extends ObjectCache<T> {
  readonly cluster: ClusterInfo;
  /**
   * Follows the API server until each `start` was ended by the function that it returned. The objects stay in the cache,
   * and the informer may be started again.
   */
  start(): () => void;
  isStarted(): boolean;
  /** Undefined while the watch is established. */
  problem(): CacheProblem | undefined;
  /**
   * Removes all objects, with `deleted` events, as before its first list. For an informer that was ended because its kind
   * was removed, so that there are no objects. Without effect while it is started.
   */
  forget(): void;
}

/** An informer with the right to end it for all its users. */
export interface StoppableInformer<T extends KubeObject> extends Informer<T> {
  /** Ends every `start`, when the cluster is closed. */
  stop(): void;
}

export interface InformerOptions<T extends KubeObject> extends DepsWith<'clock' | 'log'> {
  readonly client: KubeClient;
  /** Default: the management cluster. */
  readonly cluster?: ClusterInfo;
  readonly type: ResourceType<T>;
  /** Default: everything. */
  readonly selection?: Selection;
  /**
   * Called once for each object before it is stored; may change it in place. Default `dropManagedFields`; see
   * `dropBookkeeping` for objects that are only read.
   */
  readonly transform?: (object: T) => T;
  /** Called after each failure, and when the watch works again; default: nothing. */
  readonly onProblem?: () => void;
}

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): StoppableInformer<T> {
  const { client, type, selection = {} } = options;
  return informerOf(options, {
    list: (list) => client.list(type, { ...selection, ...list }),
    watch: (watch) => client.watch(type, { ...selection, ...watch }),
  });
}

/** An informer of metadata only, for kinds whose content must not be in memory, such as Secrets. */
export function createMetadataInformer(
  options: InformerOptions<PartialObject>,
): StoppableInformer<PartialObject> {
  const { client, type, selection = {} } = options;
  return informerOf(options, {
    list: (list) => client.listMetadata(type, { ...selection, ...list }),
    watch: (watch) => client.watchMetadata(type, { ...selection, ...watch }),
  });
}

function informerOf<T extends KubeObject>(
  options: InformerOptions<T>,
  source: ReflectorSource<T>,
): StoppableInformer<T> {
  const { client, type, transform = dropManagedFields, onProblem = () => undefined } = options;
  const { cluster = { name: MANAGEMENT_CLUSTER, displayName: client.clusterName, required: true } } = options;
  const deps = createDeps(options);
  const { clock, log, metrics } = deps;
  const store = createObjectStore<T>();
  const pool = createStringInterner();
  const handlers = new Set<(event: CacheEvent<T>) => void>();
  const waiting = new Set<() => void>();
  const failures = metrics.counter({
    name: 'kube_informer_failures_total',
    help: 'Failed lists and watches of an informer, which were restarted.',
    labels: ['cluster', 'resource'],
  });
  const resource = groupResource(type);
  const labels = { cluster: cluster.name, resource };
  // Reported as 0 from the start, so that `rate()` sees the first increase.
  failures.inc(labels, 0);
  let synced = false;
  let everStarted = false;
  /** One for each `start` that has not been ended. */
  const users = new Set<symbol>();
  let stop: () => void = () => undefined;
  let problem: { readonly text: string; readonly since: number; readonly kindMissing: boolean } | undefined;

  const notify = (handler: (event: CacheEvent<T>) => void, event: CacheEvent<T>) => {
    try {
      handler(event);
    } catch (error) {
      log.error('an informer handler failed', { ...labels, error: messageOf(error) });
    }
  };
  const notifyAll = (event: CacheEvent<T>) => {
    for (const handler of handlers) notify(handler, event);
  };
  const begin = () =>
    startReflector({
      ...deps,
      source,
      sink: {
        transform: (object) => {
          const kept = transform(object);
          return adoptKnown(kept, store.get(keyString(keyOf(kept))), pool);
        },
        replace: (objects) => {
          const events = store.replace(objects, !synced);
          synced = true;
          for (const event of events) notifyAll(event);
          for (const resolve of waiting) resolve();
          waiting.clear();
        },
        apply: (eventType, object) => {
          const event = store.apply(eventType, object);
          if (event) notifyAll(event);
        },
        watching: () => {
          if (problem === undefined) return;
          log.info('the watch works again', labels);
          problem = undefined;
          onProblem();
        },
        failing: (error, retryInMs) => {
          const text = messageOf(error);
          const fields = { ...labels, error: text, retryInMs: Math.round(retryInMs) };
          if (problem?.text === text) log.debug('the watch still fails', fields);
          else log.info('the watch failed', fields);
          const kindMissing = isUnknownKind(error);
          // A kind that is not installed yet is counted as a failure only once.
          if (!(kindMissing && problem?.kindMissing)) failures.inc(labels);
          problem = { text, since: problem?.since ?? clock.monotonic(), kindMissing };
          onProblem();
        },
      },
    });

  const read = () => {
    if (everStarted) return store;
    throw new ProviderError('bug', `nothing watches ${resource} on ${cluster.displayName}`);
  };

  return {
    cluster,
    get: (key) => read().get(key),
    list: () => read().list(),
    hasSynced: () => synced,
    whenSynced: (signal) =>
      new Promise((resolve, reject) => {
        if (synced) return resolve();
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          waiting.delete(done);
          reject(signal?.reason);
        };
        const done = () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        waiting.add(done);
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    subscribe: (handler) => {
      // A new function for each call, so that one handler may subscribe twice.
      const own = (event: CacheEvent<T>) => handler(event);
      for (const object of store.list()) notify(own, { type: 'added', object, initial: true });
      handlers.add(own);
      return () => {
        handlers.delete(own);
      };
    },
    start: () => {
      const user = Symbol('user');
      everStarted = true;
      if (users.size === 0) stop = begin();
      users.add(user);
      return () => {
        if (users.delete(user) && users.size === 0) stop();
      };
    },
    isStarted: () => users.size > 0,
    stop: () => {
      users.clear();
      stop();
    },
    problem: () => {
      if (problem === undefined) return undefined;
      const { text, since, kindMissing } = problem;
      return {
        text,
        forMs: clock.monotonic() - since,
        kindMissing,
        ...(cluster.name === MANAGEMENT_CLUSTER ? {} : { cluster: cluster.name }),
      };
    },
    forget: () => {
      if (users.size > 0) return;
      const events = store.replace([], false);
      synced = false;
      problem = undefined;
      for (const event of events) notifyAll(event);
    },
  };
}
