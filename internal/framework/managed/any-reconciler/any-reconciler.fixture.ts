/**
 * The two reconcilers that stand on one controller: that of managed resources and an own one, with the same external
 * system behind them. What the framework promises holds for both.
 */
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import type { Clock } from '../../base/time/clock.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createKeyStore } from '../../controller/key-store.ts';
import {
  createObjectController,
  createObjectReconcile,
  type ObjectReconcileOptions,
  type OneControllerOptions,
  type ReconciledKind,
} from '../../controller/object-controller.ts';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { createInformer } from '../../kube/cache/informer.ts';
import { createFakeRecorder } from '../../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { clusterWidgets, type Widget, type WidgetParts, widget } from '../../kube/fakes/widget.ts';
import { keyOf } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { createLogger } from '../../process/telemetry/json-logger.ts';
import type { Observation } from '../kind/external-client.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import { type ManagedKindOptions, reconciledManagedKind } from '../reconciled-kind.ts';
import { available, getCondition, setConditions } from '../resource/conditions.ts';
import type { ManagedMemory } from '../steps/reconciliation.ts';
import { type ExternalSystem, type Found, PENDING_MS } from './external-system.fixture.ts';
import { ownFinalizer, ownReconciler } from './own-reconciler.fixture.ts';

export type WidgetKind = ReconciledKind<Widget, ManagedMemory>;

export interface WidgetKindOptions extends ManagedKindOptions<Widget> {
  /** Default: cluster-scoped widgets. */
  readonly type?: ResourceType<Widget>;
}

export interface TestedReconciler {
  /** For titles. */
  readonly reconciler: string;
  readonly finalizer: string;
  kindOf(external: ExternalSystem, options: WidgetKindOptions): WidgetKind;
  isSettled(widget: Widget | undefined): boolean;
}

const managed: TestedReconciler = {
  reconciler: 'managed',
  finalizer: managedFinalizer,
  kindOf: (external, options) => reconciledManagedKind(managedKindOf(external, options.type), options),
  isSettled: (object) =>
    object !== undefined &&
    ['Synced', 'Ready'].every((type) => getCondition(object, type)?.status === 'True'),
};

/** Managed resources whose create records its outcome, with retries on the newest version. */
export const managedWithOutcome: TestedReconciler = {
  ...managed,
  reconciler: 'managed, with the outcome of a create',
  kindOf: (external, options) => {
    const { deterministicExternalName: _, ...kind } = managedKindOf(external, options.type);
    return reconciledManagedKind(kind, options);
  },
};

const own: TestedReconciler = {
  reconciler: 'own',
  finalizer: ownFinalizer,
  kindOf: (external, { type = clusterWidgets, externalTimeoutMs = 60_000, pollIntervalMs = 60_000 }) => ({
    type,
    finalizer: ownFinalizer,
    externalTimeoutMs,
    reconcile: ownReconciler(external, pollIntervalMs),
  }),
  isSettled: (object) => object !== undefined && getCondition(object, 'Succeeded')?.status === 'True',
};

export const reconcilers: readonly TestedReconciler[] = [managed, own];

export function managedKindOf(external: ExternalSystem, type = clusterWidgets): ManagedKind<Widget> {
  return {
    type,
    deterministicExternalName: true,
    observeAfterCreate: true,
    creationGracePeriodMs: 0,
    initializers: [],
    connector: {
      connect: async () => ({
        observe: async (resource, ctx) =>
          observationOf(await external.observe(resource, ctx), resource, ctx.clock),
        create: async (resource, ctx) => {
          await external.create(resource, ctx);
          return {};
        },
        update: async () => ({}),
        delete: async (resource, ctx) => {
          await external.delete(resource, ctx);
          return {};
        },
      }),
    },
  };
}

function observationOf({ state, name: externalName }: Found, resource: Widget, clock: Clock): Observation {
  if (state === 'absent') return { state, externalName };
  if (state === 'pending') return { state, operation: 'copying', checkAfterMs: PENDING_MS };
  if (state !== 'renamed') setConditions(resource, clock, available());
  if (state === 'settled') return { state: 'present', upToDate: true, externalName };
  const replace = state === 'drifted' ? 'drift' : 'identity';
  return { state: 'present', upToDate: false, replace, externalName };
}

export interface ProcessOptions
  extends Pick<ObjectReconcileOptions<Widget>, 'client' | 'clock' | 'read' | 'labelSelector'>,
    Pick<WidgetKindOptions, 'type' | 'externalTimeoutMs'> {}

/** The reconcile of one process, without a controller. */
export function reconcileOf(tested: TestedReconciler, external: ExternalSystem, options: ProcessOptions) {
  const common = { ...options, random: () => 0.5, log: nopLogger };
  const kind = tested.kindOf(external, common);
  return createObjectReconcile(kind, { ...common, recorder: createFakeRecorder(), keys: createKeyStore() });
}

export interface RunningOptions
  extends Partial<
      Omit<OneControllerOptions<Widget>, 'client' | 'clock' | 'log' | 'metrics' | 'cache' | 'sources'>
    >,
    Pick<WidgetKindOptions, 'type' | 'pollIntervalMs' | 'externalTimeoutMs'> {
  /** Changes the kind. Default: as it is. */
  readonly override?: Partial<WidgetKind>;
}

/** A running controller with its informer on an API server in memory, with one object unless it is `undefined`. */
export async function runController(
  tested: TestedReconciler,
  external: ExternalSystem,
  object: WidgetParts | undefined,
  { override, type = clusterWidgets, ...options }: RunningOptions = {},
) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const metrics = createFakeMetrics();
  const recorder = createFakeRecorder();
  const keys = options.keys ?? createKeyStore();
  const errors: Record<string, unknown>[] = [];
  const write = (line: string) => {
    const { level, time: _, ...fields } = JSON.parse(line);
    if (level === 'error') errors.push(fields);
  };
  const log = createLogger({ debug: false, destination: { write } });
  const { labelSelector = '' } = options;
  const selection = labelSelector === '' ? {} : { labelSelector };
  const common = { client, clock, log, metrics, random: () => 0.5, recorderFor: () => recorder };
  const cache = createInformer({ ...common, type, selection });
  const kind = { ...tested.kindOf(external, { ...common, ...options, type }), ...override, name: 'widgets' };
  const controller = createObjectController(kind, { ...common, ...options, keys, cache, sources: [] });
  const key = keyOf(widget(type));
  const seed = (parts: WidgetParts) => client.seed(type, widget(type, parts));
  if (object !== undefined) seed(object);
  const stopCache = cache.start();
  controller.watch();
  controller.work();
  await clock.advance(1);
  return {
    ...{ clock, client, controller, errors, keys, seed },
    stored: () => client.peek(type, key),
    patch: (patch: unknown) => client.mergePatch(type, key, patch),
    delete: () => client.delete(type, key),
    /** Reconciles that the controller counted as failed. */
    failures: () => metrics.value('controller_runtime_reconcile_errors_total', { controller: 'widgets' }),
    events: () => recorder.lines(),
    reads: () => client.requests.filter(({ verb }) => verb === 'get').length,
    /** The watch ends with 410, and the informer lists again: what it has missed is one event. */
    listAgain: async () => {
      client.expireWatches();
      await clock.advance(2000);
    },
    stop: async () => {
      stopCache();
      await controller.stop();
    },
  };
}
