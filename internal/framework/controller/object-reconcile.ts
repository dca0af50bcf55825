import type { Fence } from '../base/concurrency/fence.ts';
import type { Deps } from '../base/deps.ts';
import { findCause, ProviderError, type WatchedObject, wrap } from '../base/errors/errors.ts';
import { jsonEqual } from '../base/json/json-value.ts';
import { type ObservedRun, observedRuns } from '../base/telemetry/observed-run.ts';
import type { Informers } from '../kube/cache/informers.ts';
import { readable } from '../kube/cache/readable-informers.ts';
import { isPartial } from '../kube/cache/small-parts.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { isNotFound } from '../kube/errors/errors.ts';
import type { EventRecorder } from '../kube/events/event-recorder.ts';
import { type KubeObject, keyOf } from '../kube/object/object.ts';
import type { ResourceType } from '../kube/object/resource-type.ts';
import type { KeyStore } from './key-store.ts';
import { type ErrorSink, handleError } from './reconcile/handle-error.ts';
import { externalTimeoutOf, type Reconciler, type ReconcilerContext } from './reconcile/reconciler.ts';
import { GoneError } from './reconcile/store-status.ts';
import {
  createWorkingCopy,
  type OnWritten,
  type WithStatus,
  type WorkingCopy,
} from './reconcile/working-copy.ts';
import { createWriteGuard } from './reconcile/write-guard.ts';
import { gone, type Reconcile, type ReconcileResult, requeue } from './reconcile-result.ts';
import { createShardGuards } from './sharding/shard-guards.ts';
import type { WatchTriggers } from './sources/watch-triggers.ts';

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
  readonly beforeReconcile?: (key: string, found: T | undefined, signal: AbortSignal) => Promise<void>;
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
