/**
 * The controller of a kind, as in controller-runtime: sources, queue, own writes, limits, and the reconcile of each
 * object. Every controller of the process is made here, whatever its reconciler: those of managed resources, of provider
 * configurations, and of kinds with conditions of their own.
 */

import type { ConcurrencyLimiter } from '../base/concurrency/concurrency-limiter.ts';
import type { Fence } from '../base/concurrency/fence.ts';
import type { LimitKeyOption } from '../base/concurrency/limit-key.ts';
import type { TokenBucket } from '../base/concurrency/token-bucket.ts';
import { createDeps, type Deps, type DepsWith } from '../base/deps.ts';
import { findCause, ProviderError, type WatchedObject, wrap } from '../base/errors/errors.ts';
import { jsonEqual } from '../base/json/json-value.ts';
import { type ObservedRun, observedRuns } from '../base/telemetry/telemetry.ts';
import { type Backoff, type BackoffOptions, createBackoff } from '../base/time/backoff.ts';
import type { Clock } from '../base/time/clock.ts';
import type { ObjectCache } from '../kube/cache/cache.ts';
import type { Informer } from '../kube/cache/informer.ts';
import { type Informers, readable } from '../kube/cache/informers.ts';
import { inNamespaces } from '../kube/cache/merged-informer.ts';
import { isHeavy, isPartial } from '../kube/cache/transform.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { Cluster } from '../kube/cluster/cluster.ts';
import { isNotFound } from '../kube/errors/errors.ts';
import type { EventRecorder } from '../kube/events/event-broadcaster.ts';
import { type KubeObject, keyOf } from '../kube/object/object.ts';
import type { ResourceType } from '../kube/object/resource-type.ts';
import { type Controller, createController } from './controller.ts';
import type { GatedKind, RunCondition } from './gate/gated-kinds.ts';
import { createKeyStore, type KeyStore } from './key-store.ts';
import { type ErrorSink, handleError } from './reconcile/handle-error.ts';
import {
  externalTimeoutOf,
  type Reconciler,
  type ReconcilerContext,
  type ShardLabels,
} from './reconcile/reconciler.ts';
import { createShardGuards, shardLabelsOf } from './reconcile/shard-ownership.ts';
import { GoneError } from './reconcile/store-status.ts';
import {
  createWorkingCopy,
  type OnWritten,
  type WithStatus,
  type WorkingCopy,
} from './reconcile/working-copy.ts';
import { createWriteGuard } from './reconcile/write-guard.ts';
import { gone, type Reconcile, type ReconcileResult, requeue } from './reconcile-result.ts';
import { createDepartures, createOwnObjects, type OwnWrite } from './sources/own-objects.ts';
import type { Predicate, Source } from './sources/source.ts';
import { createWatchTriggers, type WatchTriggers } from './sources/watch-triggers.ts';

/** A kind with its reconciler. */
export interface ReconciledKind<T extends WithStatus, M = unknown> extends ReconcilableKind<T, M> {
  /** Name of the controller, unique in the process; default: kind and group, as in controller-runtime. */
  readonly name?: string;
  /** Delays after failures; default 1 s doubled up to 60 s. */
  readonly backoff?: Pick<BackoffOptions, 'baseMs' | 'maxMs'>;
  /** It starts once these are served; default: its type. */
  readonly needs?: readonly ResourceType[];
  /** It stops when one of these is not served; default: `needs`. */
  readonly keeps?: readonly ResourceType[];
  /** The objects; default: those with the labels of the shard. */
  readonly cache?: (informers: Informers) => Informer<T>;
  /** Transform of the default cache, as in `InformerOptions`; default: that of informers. */
  readonly transform?: (object: T) => T;
  /** Filters updates of the object; default: `changedByUsers`. Updates by expected own writes are not reported. */
  readonly predicate?: Predicate<T>;
  /** Whether the event of an own write needs no reconcile; default: none does. */
  readonly expects?: (write: OwnWrite) => boolean;
  /**
   * Further sources. Informers requested here run while the controller of the kind runs; `at` has those of another cluster.
   * Default: none.
   */
  readonly sources?: (informers: Informers, cache: ObjectCache<T>, at: InformersAt) => readonly Source[];
  /** The limit keys of an object, as in `ControllerOptions`; default: none. */
  readonly limitKeysOf?: ((object: T) => readonly LimitKeyOption[]) | undefined;
  /** Whose objects take turns with those of others; default: the namespace. */
  readonly tenantOf?: (object: T) => string | undefined;
  /** Objects reconciled at the same time; default: the workers of each controller of the process, or 1. */
  readonly workers?: number;
  /** Deadline of one reconcile in ms; default 30 s more than that of its external calls. */
  readonly timeoutMs?: number;
  /** Only objects in these namespaces, also of `sources` without a namespace; default: all. Not empty. */
  readonly namespaces?: readonly string[];
  /** The kind runs only while all of these hold, besides that its CRD is served; default: none. */
  readonly conditions?: readonly RunCondition[];
  /** Starts what else runs with the controller, and returns the function that stops it; default: nothing. */
  readonly whileRunning?: (cache: ObjectCache<T>) => () => void;
}

/** The informers of another cluster. */
export type InformersAt = (cluster: Pick<Cluster, 'informers'>) => Informers;

/** What the controllers of a process have in common. */
export interface ObjectControllerOptions extends Deps {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly recorderFor: (controller: string) => EventRecorder;
  /** Only objects with these labels are reconciled; default: all. */
  readonly labelSelector?: string;
  /** Called before each external write; default: this process may write. */
  readonly fence?: Fence;
  /** Shared by all users of the same limit keys; default: a limiter for each controller. */
  readonly limiter?: ConcurrencyLimiter;
  /** Rate of polls and resyncs of all controllers; default: no limit. */
  readonly pollRate?: TokenBucket;
  /** Workers of a kind that names no number; default 1. */
  readonly workers?: number;
  /** Deadline of the external calls of a reconcile of a kind that has none, in ms; default 60000. */
  readonly externalTimeoutMs?: number;
}

/** Time of a reconcile beyond its external calls, for the status and events, in ms. */
const STATUS_TIME_MS = 30_000;

/** The name of the controller, as in controller-runtime: kind and group. */
const nameOf = ({ name, type: { kind, group } }: { name?: string; type: ResourceType }): string =>
  name ?? (group === '' ? kind : `${kind}.${group}`).toLowerCase();

/** Runs a kind while its CRD is served. */
export function gatedKind<T extends WithStatus, M>(
  kind: ReconciledKind<T, M>,
  options: ObjectControllerOptions,
): GatedKind {
  return {
    name: nameOf(kind),
    needs: kind.needs ?? [kind.type],
    ...(kind.keeps === undefined ? {} : { keeps: kind.keeps }),
    ...(kind.conditions === undefined ? {} : { conditions: kind.conditions }),
    build: () => {
      const { labelSelector = '' } = options;
      const informers =
        kind.namespaces === undefined ? options.informers : inNamespaces(options.informers, kind.namespaces);
      const used = new Set<Pick<Informer<KubeObject>, 'start' | 'forget'>>();
      const noted = <I extends Pick<Informer<KubeObject>, 'start' | 'forget'>>(informer: I): I => {
        used.add(informer);
        return informer;
      };
      const shared = {
        ...(labelSelector === '' ? {} : { selection: { labelSelector } }),
        ...(kind.transform === undefined ? {} : { transform: kind.transform }),
      };
      const noting = (all: Informers): Informers => ({
        of: (type, more) => noted(all.of(type, more)),
        metadataOf: (type, more) => noted(all.metadataOf(type, more)),
      });
      const notedInformers = noting(informers);
      const cache = kind.cache?.(notedInformers) ?? notedInformers.of(kind.type, shared);
      const sources = kind.sources?.(notedInformers, cache, (other) => noting(other.informers)) ?? [];
      return {
        controller: createObjectController(kind, { ...options, informers, cache, sources }),
        start: () => {
          const stops = [...[...used].map((informer) => informer.start()), kind.whileRunning?.(cache)];
          return () => {
            for (const stop of stops) stop?.();
          };
        },
        forget: () => {
          for (const informer of used) informer.forget();
        },
      };
    },
  };
}

export interface OneControllerOptions<T extends WithStatus>
  extends DepsWith<'clock' | 'log' | 'metrics'>,
    Omit<ObjectControllerOptions, 'informers' | keyof Deps> {
  /** The objects of the kind, kept up to date by an informer that the caller starts. */
  readonly cache: ObjectCache<T>;
  readonly sources: readonly Source[];
  /** Default: the reconciler reads no informers. */
  readonly informers?: Informers;
  /** Default: that of the kind. */
  readonly backoff?: Backoff;
  /** State kept for each request; default: a store of its own. */
  readonly keys?: KeyStore;
}

/** The controller of a kind. */
export function createObjectController<T extends WithStatus, M>(
  kind: ReconciledKind<T, M>,
  options: OneControllerOptions<T>,
): Controller {
  const { cache, keys = createKeyStore() } = options;
  const deps = createDeps(options);
  const name = nameOf(kind);
  const externalTimeoutMs = kind.externalTimeoutMs ?? externalTimeoutOf(options);
  const fences = [options, ...(kind.conditions ?? [])].flatMap(({ fence }) => fence ?? []);
  const outdated = new WeakSet<object>();
  const { predicate = changedByUsers, expects = () => true, limitKeysOf, tenantOf = namespaceOf } = kind;
  const objects = createOwnObjects<T>({ cache, keys, outdated, predicate, expects });
  const departures = createDepartures(cache, keys);
  const workers = kind.workers ?? options.workers ?? 1;
  const turnOf = createTurns(deps.clock, workers);
  const watchTriggers = createWatchTriggers({
    ...deps,
    keys,
    trigger: (key, delayMs) => controller.enqueue(key, { delayMs }),
  });
  const reconcile = createObjectReconcile<T, M>(
    { ...kind, externalTimeoutMs },
    {
      ...options,
      ...deps,
      log: deps.log.child({ controller: name }),
      recorder: options.recorderFor(name),
      keys,
      read: objects.newest,
      outdated,
      watchTriggers,
      hasLeftCache: departures.hasLeft,
      onWritten: objects.onWritten,
      fence: () => {
        for (const assert of fences) assert();
      },
    },
  );
  const backoffOf = (delays: Pick<BackoffOptions, 'baseMs' | 'maxMs'> = {}) =>
    createBackoff({ ...delays, counts: keys.values('failures') });
  const controller: Controller = createController({
    ...deps,
    name,
    keys,
    sources: [objects.source, departures.source, ...options.sources],
    reconcile: (key, signal, request) => objects.reconciling(key, () => reconcile(key, signal, request)),
    limitKeysOf: (key) => {
      // The watch may be behind the last own write, which decides what comes next.
      const object = objects.newest(key);
      return object === undefined
        ? []
        : [...(limitKeysOf?.(object) ?? []), ...turnOf(object, tenantOf(object))];
    },
    tenantOf: (key) => {
      const object = objects.newest(key);
      return object && tenantOf(object);
    },
    timeoutMs: kind.timeoutMs ?? externalTimeoutMs + STATUS_TIME_MS,
    workers,
    backoff: options.backoff ?? backoffOf(kind.backoff),
    ...(options.pollRate === undefined ? {} : { pollRate: options.pollRate }),
    ...(options.limiter === undefined ? {} : { limiter: options.limiter }),
  });
  return controller;
}

/** Whether the spec, labels, annotations, finalizers or the deletion timestamp changed: everything except the status. */
export function changedByUsers(old: KubeObject, object: KubeObject): boolean {
  const [a, b] = [old.metadata, object.metadata];
  return !(
    a.generation === b.generation &&
    a.deletionTimestamp === b.deletionTimestamp &&
    jsonEqual(a.labels, b.labels) &&
    jsonEqual(a.annotations, b.annotations) &&
    jsonEqual(a.finalizers, b.finalizers)
  );
}

const namespaceOf = ({ metadata: { namespace } }: KubeObject): string | undefined => namespace;

/** Share of the workers that a tenant has while objects of others are due: one in four. */
const TENANT_SHARE = 4;
/** Of heavy objects of a tenant, also alone: what is in progress is what the first object of another tenant waits for. */
const HEAVY_SLOTS = 2;
/** How long objects of others count as due, in ms: as long as several reconciles of each. */
const PRESENT_MS = 10_000;

/**
 * The objects of a tenant take turns with those of others: so many of one tenant, or so large ones, delay no object of another
 * one. Beside others it has a share of the workers only, since the requests of all of them at a time would take the time of the API server
 * from those of others.
 */
function createTurns(
  clock: Clock,
  workers: number,
): (object: KubeObject, tenant: string | undefined) => readonly LimitKeyOption[] {
  const share = Math.ceil(workers / TENANT_SHARE);
  /** The tenant whose object was due last, and the last other one. */
  let last: { readonly tenant: string; at: number } | undefined;
  let lastOther: typeof last;
  const isAlone = (tenant: string): boolean => {
    const other = last?.tenant === tenant ? lastOther : last;
    return other === undefined || clock.monotonic() - other.at >= PRESENT_MS;
  };
  return (object, tenant) => {
    if (tenant === undefined) return [];
    const at = clock.monotonic();
    if (last?.tenant === tenant) last.at = at;
    else [last, lastOther] = [{ tenant, at }, last];
    return [
      {
        name: `tenant ${tenant}`,
        get slots() {
          return isAlone(tenant) ? Number.POSITIVE_INFINITY : share;
        },
      },
      ...(isHeavy(object) ? [{ name: `heavy objects of tenant ${tenant}`, slots: HEAVY_SLOTS }] : []),
    ];
  };
}

/** The part of a kind that one reconcile needs. */
export interface ReconcilableKind<T extends WithStatus, M = unknown> {
  readonly type: ResourceType<T>;
  /** What errors call the object; default: its kind. */
  readonly noun?: string;
  readonly reconcile: Reconciler<T, M>;
  /** Objects with this finalizer may have external resources. Required to write externally. */
  readonly finalizer?: string;
  /** As in `WorkingCopyOptions`. */
  readonly sharesSpec?: boolean;
  /** Deadline of all external calls of one reconcile together, in ms; default 60000. */
  readonly externalTimeoutMs?: number;
  /**
   * Called before each reconcile, also if there is no object with the key. An error fails the reconcile. Default: nothing.
   *
   * @param found the newest version known
   */
  readonly beforeReconcile?:
    | ((key: string, found: T | undefined, signal: AbortSignal) => Promise<void>)
    | undefined;
}

export interface ObjectReconcileOptions<T extends WithStatus> extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly client: KubeClient;
  /** Default: the reconciler reads no informers. */
  readonly informers?: Informers;
  readonly recorder: EventRecorder;
  /** The newest version known, `undefined` where there is none. It is not changed. */
  readonly read: (key: string, signal: AbortSignal) => T | undefined | Promise<T | undefined>;
  /** State kept for each request; the controller drops it. */
  readonly keys: KeyStore;
  /** Watches the targets of errors and results; default: they are not watched. */
  readonly watchTriggers?: WatchTriggers;
  /** Called before each external write; default: this process may write. */
  readonly fence?: Fence;
  /**
   * The label selector by which the process selects its objects. Another selector is another shard: ownership of an
   * object that comes from there is acquired with a delay. Default: empty, all objects.
   */
  readonly labelSelector?: string;
  /**
   * Whether the object has left the cache since the last call, e.g. for another shard and back. Default: only if a
   * reconcile did not find it.
   */
  readonly hasLeftCache?: (key: string) => boolean;
  /** Called after every write to the object. */
  readonly onWritten?: OnWritten<T>;
  /**
   * Versions that the API server has replaced, though `read` may still return them, e.g. while a watch is stalled. A
   * reconcile of such a version reads the object from the API server. Default: an own set.
   */
  readonly outdated?: WeakSet<object>;
}

/** The reconcile function of a kind, for a controller: everything between the queue and the kind's reconciler. */
export function createObjectReconcile<T extends WithStatus, M>(
  kind: ReconcilableKind<T, M>,
  options: ObjectReconcileOptions<T>,
): Reconcile {
  const {
    client,
    informers = noInformers,
    recorder,
    clock,
    random,
    keys,
    watchTriggers,
    onWritten,
  } = options;
  const { labelSelector: shard = '', outdated = new WeakSet(), fence } = options;
  const { type, finalizer = '' } = kind;
  const memories = keys.values<{ readonly uid: string | undefined; readonly value: M }>(
    'memory of the reconciler',
  );
  const readableInformers = readable(informers);
  const shards = createShardGuards({ clock, shard, finalizer, keys, timeoutMs: externalTimeoutOf(kind) });
  const reconcile = async (...[key, signal, request, onAllowed]: [...Parameters<Reconcile>, () => void]) => {
    if (options.hasLeftCache?.(key)) shards.forget(key);
    const object = await readObject(kind, { ...options, outdated }, key, signal);
    await kind.beforeReconcile?.(key, object, signal);
    if (object === undefined) return gone;
    const copy = createWorkingCopy({
      client,
      type,
      object,
      sharesSpec: kind.sharesSpec,
      onWritten,
      onOutdated: (version) => outdated.add(version),
    });
    const { uid, resourceVersion: version } = object.metadata;
    // The ID is generated with the first line.
    const log = options.log.child(() => ({ request: key, uid, version, reconcileID: request.reconcileID }));
    const writeGuard = shards.guardOf(
      { key, copy, signal },
      createWriteGuard({
        copy,
        client,
        newest: () => options.read(key, signal),
        clock,
        signal,
        timeoutMs: externalTimeoutOf(kind),
        finalizer,
        fence,
      }),
    );
    const guard = {
      ...writeGuard,
      assertMayWrite: () => {
        writeGuard.assertMayWrite();
        onAllowed();
      },
    };
    const memory = {
      // An object that follows another one of its name has another uid.
      get: () => {
        const kept = memories.get(key);
        return kept?.uid === uid ? kept?.value : undefined;
      },
      set: (value: M) => memories.set(key, { uid, value }),
    };
    const { isLowPriority, reserve } = request;
    const context: ReconcilerContext<M> = {
      key,
      client,
      informers: readableInformers,
      informersAt: (other) => readable(other.informers),
      clock,
      random,
      log,
      recorder,
      signal,
      guard,
      memory,
      isLowPriority,
      reserve,
      shardLabels: shard === '' ? noShardLabels : shardLabelsOf(object, shard),
    };
    let targets: readonly WatchedObject[] = [];
    try {
      const result = await reconcileObject(kind, copy, context);
      targets = result.targets ?? [];
      return guard.notAfterDelay(result);
    } catch (error) {
      targets = findCause(error, ProviderError)?.targets ?? [];
      throw error;
    } finally {
      watchTriggers?.watch(key, targets);
    }
  };
  return (key, signal, request) => {
    if (!observedRuns.hasSubscribers) return reconcile(key, signal, request, ignore);
    let allowed = 0;
    let ended = false;
    const run: ObservedRun = {
      name: `reconcile of ${type.kind}`,
      hasEnded: () => ended,
      reconcile: { key, home: client.clusterName, signal, allowedWrites: () => allowed },
    };
    return observedRuns.runStores(run, () =>
      reconcile(key, signal, request, () => {
        allowed++;
      }).finally(() => {
        ended = true;
      }),
    );
  };
}

const ignore = () => undefined;
const noShardLabels: ShardLabels = {};

/** An error that is no failure becomes a result; others are thrown to the controller. */
async function reconcileObject<T extends WithStatus, M>(
  kind: ReconcilableKind<T, M>,
  copy: WorkingCopy<T>,
  context: ReconcilerContext<M>,
): Promise<ReconcileResult> {
  try {
    return await kind.reconcile(copy, context);
  } catch (error) {
    // The next read does not find it; what belongs to it is released then.
    if (findCause(error, GoneError) !== undefined) return requeue;
    return handleError(error, failuresAreThrown, context.log);
  }
}

const failuresAreThrown: ErrorSink = {
  show: async ({ kind, error, isPostponed, result }) => {
    if (isPostponed) return result;
    if (kind === 'throttled' && result.type === 'requeue-after') return { ...result, keepsBackoff: true };
    throw error;
  },
};

async function readObject<T extends WithStatus>(
  { type, noun = type.kind }: Pick<ReconcilableKind<T>, 'type' | 'noun'>,
  options: ObjectReconcileOptions<T> & { readonly outdated: WeakSet<object> },
  key: string,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    const known = await options.read(key, signal);
    return known !== undefined && (isPartial(known) || options.outdated.has(known))
      ? await readNewest(type, options, known, signal)
      : known;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw wrap(error, `cannot get ${noun}`);
  }
}

/** Instead of a version that is outdated or partial. */
async function readNewest<T extends KubeObject>(
  type: ResourceType<T>,
  {
    client,
    labelSelector = '',
    log,
  }: Pick<ObjectReconcileOptions<T & WithStatus>, 'client' | 'labelSelector' | 'log'>,
  known: T,
  signal: AbortSignal,
): Promise<T> {
  const newest = await client.get(type, keyOf(known), { signal });
  const { name, resourceVersion: version } = known.metadata;
  if (newest.metadata.resourceVersion === version) return newest;
  log.debug('the cache is outdated', { name, version });
  // With other labels the object may belong to another shard. Only the watch shows that, and no write succeeds with
  // the outdated version.
  const sameLabels = jsonEqual(newest.metadata.labels ?? {}, known.metadata.labels ?? {});
  if (labelSelector === '' || sameLabels) return newest;
  if (isPartial(known)) throw new ProviderError('conflict', 'the labels have changed');
  return known;
}

const unavailable = (): never => {
  throw new ProviderError('bug', 'this reconcile has no informers');
};
/** Informers of a reconcile that reads none. */
export const noInformers: Informers = { of: unavailable, metadataOf: unavailable };
