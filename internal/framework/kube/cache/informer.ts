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
import type { CacheEvent, CacheProblem, ClusterInfo, ObjectCache } from './cache.ts';
import {
  createStringInterner,
  dropManagedFields,
  internAndFreeze,
  type StringInterner,
} from './transform.ts';

/** `get` and `list` throw a `bug` if it was never started: an empty answer would be wrong without a sign. */
export interface Informer<T extends KubeObject> extends ObjectCache<T> {
  readonly cluster: ClusterInfo;
  /**
   * Follows the API server until each `start` was ended by the function that it returned. The objects stay in the cache,
   * and the informer may be started again.
   */
  start(): () => void;
  isStarted(): boolean;
  whenTried(signal?: AbortSignal): Promise<void>;
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
  const ofFirstList = createWaiting();
  const ofFirstTry = createWaiting();
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
          ofFirstList.end();
          ofFirstTry.end();
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
          ofFirstTry.end();
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
    whenSynced: async (signal) => {
      if (!synced) await ofFirstList.wait(signal);
    },
    whenTried: async (signal) => {
      if (!synced && problem === undefined) await ofFirstTry.wait(signal);
    },
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

/** Those that wait for something. */
function createWaiting() {
  const waiting = new Set<() => void>();
  return {
    /** Rejects with the reason of the signal. */
    wait: (signal: AbortSignal | undefined) =>
      new Promise<void>((resolve, reject) => {
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
    end: () => {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

/** The objects of an informer by key; computes the events for its handlers. */
interface ObjectStore<T extends KubeObject> {
  get(key: string): T | undefined;
  list(): readonly T[];
  /** Replaces all objects and returns the differences as events. */
  replace(objects: readonly T[], initial: boolean): CacheEvent<T>[];
  /** Undefined if nothing changed: the same version again, or a deletion of an unknown object. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): CacheEvent<T> | undefined;
}

export function createObjectStore<T extends KubeObject>(): ObjectStore<T> {
  let objects = new Map<string, T>();
  return {
    get: (key) => objects.get(key),
    list: () => [...objects.values()],
    replace: (all, initial) => {
      const before = objects;
      const events: CacheEvent<T>[] = [];
      objects = new Map();
      for (const object of all) {
        const key = keyString(keyOf(object));
        const old = before.get(key);
        const same = old !== undefined && sameVersion(old, object);
        objects.set(key, same ? old : object);
        if (old === undefined) events.push({ type: 'added', object, initial });
        else if (!same) events.push(...change(old, object));
      }
      for (const [key, object] of before) if (!objects.has(key)) events.push({ type: 'deleted', object });
      return events;
    },
    apply: (type, object) => {
      const key = keyString(keyOf(object));
      const old = objects.get(key);
      if (type === 'DELETED') return objects.delete(key) ? { type: 'deleted', object } : undefined;
      if (old !== undefined && sameVersion(old, object)) return undefined;
      objects.set(key, object);
      return old === undefined ? { type: 'added', object, initial: false } : { type: 'updated', object, old };
    },
  };
}

/** An object with a new UID was deleted and recreated in between: two events, so that handlers clean up. */
function change<T extends KubeObject>(old: T, object: T): CacheEvent<T>[] {
  if (old.metadata.uid === object.metadata.uid) return [{ type: 'updated', object, old }];
  return [
    { type: 'deleted', object: old },
    { type: 'added', object, initial: false },
  ];
}

function sameVersion(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}

/** Levels that are compared with the known version. */
const MAX_LEVELS = 100;

type Container = Record<string, unknown>;

/**
 * Takes what has not changed from the version that is known, and interns and freezes the rest. An update mostly changes the status: the
 * other parts are frozen already, are equal by identity where versions are compared, and the new copies of them are garbage at once.
 *
 * @param value plain JSON, which is changed
 * @param known an earlier version, frozen; undefined: there is none
 */
export const adoptKnown = <T>(value: T, known: T | undefined, intern: StringInterner): T =>
  adopt(value, known, 0, intern) as T;

function adopt(value: unknown, known: unknown, level: number, intern: StringInterner): unknown {
  if (!isContainer(value) || !Object.isExtensible(value)) return value;
  if (!isContainer(known) || level === MAX_LEVELS || Array.isArray(value) !== Array.isArray(known))
    return internAndFreeze(value, intern);
  for (const name in value) {
    const part = value[name];
    if (typeof part === 'string') value[name] = part === known[name] ? known[name] : intern(part);
    else if (isContainer(part)) {
      const before = Object.hasOwn(known, name) ? known[name] : undefined;
      value[name] = isSame(part, before, level + 1) ? before : adopt(part, before, level + 1, intern);
    }
  }
  return Object.freeze(value);
}

/** Whether the values are the same, member by member: what is the same otherwise is only not shared. */
function isSame(value: unknown, known: unknown, level: number): boolean {
  if (value === known) return true;
  if (!isContainer(value) || !isContainer(known) || level === MAX_LEVELS) return false;
  if (Array.isArray(value)) {
    if (!Array.isArray(known) || value.length !== known.length) return false;
    return value.every((item, index) => isSame(item, known[index], level + 1));
  }
  if (Array.isArray(known)) return false;
  let members = 0;
  for (const name in value) {
    if (!isSame(value[name], known[name], level + 1)) return false;
    members++;
  }
  for (const _ in known) members--;
  return members === 0;
}

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
