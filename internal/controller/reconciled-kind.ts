/** A kind with a custom reconciler, as in controller-runtime, for objects that are no managed resources. */

import type { Fence } from '../base/concurrency/fence.ts';
import type { Reserve } from '../base/concurrency/limit-key.ts';
import { createDeps, type Deps } from '../base/deps.ts';
import { findCause, ProviderError, type WatchedObject } from '../base/errors/errors.ts';
import { jsonEqual } from '../base/json/json-equal.ts';
import type { Logger } from '../base/telemetry/logger.ts';
import { type BackoffOptions, createBackoff } from '../base/time/backoff.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Informer } from '../kube/cache/informer.ts';
import type { Informers } from '../kube/cache/informers.ts';
import { inNamespaces } from '../kube/cache/merged-informer.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { EventRecorder } from '../kube/events/event-recorder.ts';
import type { KubeObject } from '../kube/object/object.ts';
import type { ResourceType } from '../kube/object/resource-type.ts';
import { type Controller, createController } from './controller.ts';
import { createDepartures } from './departures.ts';
import type { GatedKind, RunCondition } from './gate/gated-kind.ts';
import { createKeyStore } from './key-store.ts';
import { createOwnObjects } from './own-objects.ts';
import { externalTimeoutOf, ownershipDelayOf } from './reconcile/timeouts.ts';
import { createWorkingCopy, type WithStatus, type WorkingCopy } from './reconcile/working-copy.ts';
import { createWriteGuard, type WriteGuard } from './reconcile/write-guard.ts';
import { gone, type ReconcileResult } from './reconcile-result.ts';
import { createShardOwnership } from './sharding/shard-ownership.ts';
import type { Predicate, Source } from './source.ts';
import { createWatchTriggers } from './watch-triggers.ts';

/**
 * Dependencies of a reconciler.
 *
 * @typeParam M what the reconciler keeps for an object
 */
export interface ReconcilerContext<M = unknown> {
  readonly client: KubeClient;
  /** Informers that `sources` requested can be read here. */
  readonly informers: Informers;
  readonly clock: Clock;
  /** Log lines have the request. */
  readonly log: Logger;
  readonly recorder: EventRecorder;
  /** Aborted at the deadline of the reconcile. */
  readonly signal: AbortSignal;
  /** Called before external writes. Only for a kind with `finalizer`. */
  readonly guard: WriteGuard;
  /** Reserves slots of limit keys, e.g. of a host. */
  readonly reserve: Reserve;
  readonly memory: ReconcilerMemory<M>;
}

/** A value for an object, kept between its reconciles until the object is gone or the process ends. */
export interface ReconcilerMemory<M> {
  get(): M | undefined;
  set(value: M): void;
}

/** Time of a reconcile beyond its external calls, for the status and events, in ms. */
const REPORT_MS = 30_000;

/**
 * Reconciles the object. Level-based: called at any time, more or less often than the object changed, and never twice
 * at a time for one object. Not called for a deleted object; add a finalizer if cleanup is needed.
 *
 * @throws to retry with backoff; a `terminal` error is not retried. A change of a `target` of the error requeues the object
 */
export type Reconciler<T extends WithStatus, M = unknown> = (
  copy: WorkingCopy<T>,
  context: ReconcilerContext<M>,
) => Promise<ReconcileResult>;

export interface ReconciledKind<T extends WithStatus, M = unknown> {
  readonly type: ResourceType<T>;
  readonly reconcile: Reconciler<T, M>;
  /** Objects with this finalizer may have external resources. Required to write externally. */
  readonly finalizer?: string;
  /** Deadline of all external calls of one reconcile together, in ms; default 60000. */
  readonly externalTimeoutMs?: number;
  /** Delays after failures; default 1 s doubled up to 60 s. */
  readonly backoff?: Pick<BackoffOptions, 'baseMs' | 'maxMs'>;
  /** It runs while these are served; default: its type. */
  readonly needs?: readonly ResourceType[];
  /** The objects; default: those with the labels of the shard. */
  readonly cache?: (informers: Informers) => Informer<T>;
  /** Filters updates of the object; default: `changedByUsers`. */
  readonly predicate?: Predicate<T>;
  /** Further sources. Informers requested here run while the controller of the kind runs. Default: none. */
  readonly sources?: (informers: Informers) => readonly Source[];
  /** Objects reconciled at the same time; default 1. */
  readonly workers?: number;
  /** Deadline of one reconcile in ms; default 30 s more than that of its external calls. */
  readonly timeoutMs?: number;
  /** Only objects in these namespaces, also of `sources` without a namespace; default: all. Not empty. */
  readonly namespaces?: readonly string[];
  /** The kind runs only while all of these hold, besides that its CRD is served; default: none. */
  readonly conditions?: readonly RunCondition[];
}

export interface ReconciledKindOptions extends Pick<Deps, 'clock' | 'log' | 'metrics' | 'tracer'> {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly recorderFor: (controller: string) => EventRecorder;
  /** Only objects with these labels are reconciled; default: all. */
  readonly labelSelector?: string;
  /** Called before each external write; default: this process may write. */
  readonly fence?: Fence;
}

/** The name of the controller, as in controller-runtime: kind and group. */
const nameOf = ({ kind, group }: ResourceType): string =>
  (group === '' ? kind : `${kind}.${group}`).toLowerCase();

/** Runs a kind while its CRD is served. */
export function reconciledKind<T extends WithStatus, M>(
  kind: ReconciledKind<T, M>,
  options: ReconciledKindOptions,
): GatedKind {
  const name = nameOf(kind.type);
  return {
    name,
    needs: kind.needs ?? [kind.type],
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
      const selection = labelSelector === '' ? {} : { selection: { labelSelector } };
      const notedInformers: Informers = {
        of: (type, more) => noted(informers.of(type, more)),
        metadataOf: (type, more) => noted(informers.metadataOf(type, more)),
      };
      const cache = kind.cache?.(notedInformers) ?? notedInformers.of(kind.type, selection);
      const sources = kind.sources?.(notedInformers);
      return {
        controller: createKindController(name, kind, cache, sources ?? [], { ...options, informers }),
        start: () => {
          const stops = [...used].map((informer) => informer.start());
          return () => {
            for (const stop of stops) stop();
          };
        },
        forget: () => {
          for (const informer of used) informer.forget();
        },
      };
    },
  };
}

function createKindController<T extends WithStatus, M>(
  name: string,
  kind: ReconciledKind<T, M>,
  cache: Informer<T>,
  sources: readonly Source[],
  options: ReconciledKindOptions,
): Controller {
  const { client, informers, clock, log, recorderFor, labelSelector: shard = '' } = options;
  const { type, predicate = changedByUsers, finalizer = '', workers, backoff, conditions = [] } = kind;
  const fences = [options, ...conditions].flatMap(({ fence }) => fence ?? []);
  const fence = () => {
    for (const assert of fences) assert();
  };
  const externalTimeoutMs = externalTimeoutOf(kind);
  const keys = createKeyStore();
  const objects = createOwnObjects<T>({ cache, keys, predicate });
  const departures = createDepartures(cache, keys);
  const memories = keys.values<M>('memory of the reconciler');
  const delayMs = ownershipDelayOf(kind);
  const ownership = createShardOwnership({ clock, shard, delayMs, finalizer, keys });
  const recorder = recorderFor(name);
  const triggers = createWatchTriggers({
    clock,
    log,
    keys,
    trigger: (key, afterMs) => controller.enqueue(key, { delayMs: afterMs }),
  });
  const controller: Controller = createController({
    ...createDeps(options),
    name,
    keys,
    sources: [objects.source, departures.source, ...sources],
    reconcile: (key, signal, { reserve }) =>
      objects.reconciling(key, async () => {
        if (departures.take(key)) ownership.forget(key);
        const object = objects.newest(key);
        if (object === undefined) return gone;
        const onWritten = (stored: T) => objects.wrote(stored, true);
        const copy = createWorkingCopy({ client, type, object, onWritten });
        const own = log.child({ controller: name, request: key });
        const guard = createWriteGuard({
          key,
          copy,
          clock,
          signal,
          timeoutMs: externalTimeoutMs,
          finalizer,
          ownership,
          fence,
        });
        const memory = { get: () => memories.get(key), set: (value: M) => memories.set(key, value) };
        const context = { client, informers, clock, recorder, signal, log: own, guard, reserve, memory };
        let targets: readonly WatchedObject[] = [];
        try {
          return await kind.reconcile(copy, context);
        } catch (error) {
          targets = findCause(error, ProviderError)?.targets ?? [];
          throw error;
        } finally {
          triggers.watch(key, targets);
        }
      }),
    timeoutMs: kind.timeoutMs ?? externalTimeoutMs + REPORT_MS,
    ...(workers === undefined ? {} : { workers }),
    ...(backoff === undefined
      ? {}
      : { backoff: createBackoff({ ...backoff, counts: keys.values('failures') }) }),
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
