/** A kind with a custom reconciler, as in controller-runtime, for objects that are no managed resources. */

import { createDeps, type Deps } from '../base/deps.ts';
import { jsonEqual } from '../base/json/json-equal.ts';
import type { Logger } from '../base/telemetry/logger.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Informer } from '../kube/cache/informer.ts';
import type { Informers } from '../kube/cache/informers.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { EventRecorder } from '../kube/events/event-recorder.ts';
import type { KubeObject } from '../kube/object/object.ts';
import type { ResourceType } from '../kube/object/resource-type.ts';
import { type Controller, createController } from './controller/controller.ts';
import { createKeyStore } from './controller/key-store.ts';
import { createOwnObjects } from './controller/own-objects.ts';
import { gone, type ReconcileResult } from './controller/reconcile-result.ts';
import type { Predicate, Source } from './controller/source.ts';
import type { GatedKind } from './gate/gated-kind.ts';
import { createWorkingCopy, type WithStatus, type WorkingCopy } from './steps/working-copy.ts';

/** Dependencies of a reconciler. */
export interface ReconcilerContext {
  readonly client: KubeClient;
  /** Informers that `sources` requested can be read here. */
  readonly informers: Informers;
  readonly clock: Clock;
  /** Log lines have the request. */
  readonly log: Logger;
  readonly recorder: EventRecorder;
  /** Aborted at the deadline of the reconcile. */
  readonly signal: AbortSignal;
}

/**
 * Reconciles the object. Level-based: called at any time, more or less often than the object changed, and never twice
 * at a time for one object. Not called for a deleted object; add a finalizer if cleanup is needed.
 *
 * @throws to retry with backoff; a `terminal` error is not retried
 */
export type Reconciler<T extends WithStatus> = (
  copy: WorkingCopy<T>,
  context: ReconcilerContext,
) => Promise<ReconcileResult>;

export interface ReconciledKind<T extends WithStatus> {
  readonly type: ResourceType<T>;
  readonly reconcile: Reconciler<T>;
  /** Filters updates of the object; default: `changedByUsers`. */
  readonly predicate?: Predicate<T>;
  /** Further sources. Informers requested here run while the controller of the kind runs. Default: none. */
  readonly sources?: (informers: Informers) => readonly Source[];
  /** Objects reconciled at the same time; default 1. */
  readonly workers?: number;
  /** Deadline of one reconcile in ms; default 90000. */
  readonly timeoutMs?: number;
}

export interface ReconciledKindOptions extends Pick<Deps, 'clock' | 'log' | 'metrics' | 'tracer'> {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly recorderFor: (controller: string) => EventRecorder;
  /** Only objects with these labels are reconciled; default: all. */
  readonly labelSelector?: string;
}

/** The name of the controller, as in controller-runtime: kind and group. */
const nameOf = ({ kind, group }: ResourceType): string => `${kind}.${group}`.toLowerCase();

/** Runs a kind while its CRD is served. */
export function reconciledKind<T extends WithStatus>(
  kind: ReconciledKind<T>,
  options: ReconciledKindOptions,
): GatedKind {
  const name = nameOf(kind.type);
  return {
    name,
    needs: [kind.type],
    build: () => {
      const { informers, labelSelector = '' } = options;
      const used = new Set<Pick<Informer<KubeObject>, 'start' | 'forget'>>();
      const noted = <I extends Pick<Informer<KubeObject>, 'start' | 'forget'>>(informer: I): I => {
        used.add(informer);
        return informer;
      };
      const cache = noted(
        informers.of(kind.type, labelSelector === '' ? {} : { selection: { labelSelector } }),
      );
      const sources = kind.sources?.({
        of: (type, more) => noted(informers.of(type, more)),
        metadataOf: (type, more) => noted(informers.metadataOf(type, more)),
      });
      return {
        controller: createKindController(name, kind, cache, sources ?? [], options),
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

function createKindController<T extends WithStatus>(
  name: string,
  kind: ReconciledKind<T>,
  cache: Informer<T>,
  sources: readonly Source[],
  options: ReconciledKindOptions,
): Controller {
  const { client, informers, clock, log, recorderFor } = options;
  const { type, predicate = changedByUsers, workers, timeoutMs } = kind;
  const keys = createKeyStore();
  const objects = createOwnObjects<T>({ cache, keys, predicate });
  const recorder = recorderFor(name);
  return createController({
    ...createDeps(options),
    name,
    keys,
    sources: [objects.source, ...sources],
    reconcile: (key, signal) =>
      objects.reconciling(key, async () => {
        const object = objects.newest(key);
        if (object === undefined) return gone;
        const onWritten = (stored: T) => objects.wrote(stored, true);
        const copy = createWorkingCopy({ client, type, object, onWritten });
        const own = log.child({ controller: name, request: key });
        return await kind.reconcile(copy, { client, informers, clock, recorder, signal, log: own });
      }),
    ...(workers === undefined ? {} : { workers }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
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
