import type { Controller } from '../controller/controller.ts';
import { createKeyStore, type KeyStore } from '../controller/key-store.ts';
import {
  createObjectController,
  createObjectReconcile,
  noInformers,
  type ObjectReconcileOptions,
  type OneControllerOptions,
} from '../controller/object-controller.ts';
import type { Reconcile } from '../controller/reconcile-result.ts';
import type { EventRecorder } from '../kube/events/event-broadcaster.ts';
import type { ManagedKind } from './kind/managed-kind.ts';
import { type ManagedKindOptions, reconciledManagedKind } from './reconciled-kind.ts';
import type { Managed } from './resource/managed.ts';

export interface ManagedControllerOptions<R extends Managed>
  extends ManagedKindOptions<R>,
    Omit<OneControllerOptions<R>, 'sources' | 'recorderFor' | keyof ManagedKindOptions<R>> {
  readonly kind: ManagedKind<R>;
  readonly metrics: OneControllerOptions<R>['metrics'];
  readonly recorder: EventRecorder;
}

/** The controller of a kind of managed resources, with caches that the caller runs. `createProvider` runs them itself. */
export function createManagedController<R extends Managed>(options: ManagedControllerOptions<R>): Controller {
  const kind = reconciledManagedKind(options.kind, options);
  const { cache, recorder } = options;
  const sources = kind.sources?.(noInformers, cache, () => noInformers) ?? [];
  return createObjectController(kind, { ...options, sources, recorderFor: () => recorder });
}

export interface ManagedReconcilerOptions<R extends Managed>
  extends ManagedKindOptions<R>,
    Omit<ObjectReconcileOptions<R>, keyof ManagedKindOptions<R> | 'keys'> {
  readonly kind: ManagedKind<R>;
  /** State kept for each request; default: a store of its own. */
  readonly keys?: KeyStore;
}

/** The reconcile function of a kind without a controller: for tests, and for dry runs. */
export function createManagedReconciler<R extends Managed>(options: ManagedReconcilerOptions<R>): Reconcile {
  const { keys = createKeyStore(), kind } = options;
  return createObjectReconcile(reconciledManagedKind(kind, options), { ...options, keys });
}
