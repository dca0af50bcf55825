import { createFakeClock, type FakeClock } from '../../base/fake-clock.ts';
import { nopLogger } from '../../base/logger.ts';
import { createMemoryClient, type MemoryClient } from '../../kube/fakes/memory-client.ts';
import { keyOf, keyString } from '../../kube/object.ts';
import { apiVersionOf, type ResourceType } from '../../kube/resource-type.ts';
import type { ManagedKind } from '../managed/managed-kind.ts';
import type { ManagedReconcilerOptions } from '../managed/passes.ts';
import { createManagedReconciler } from '../managed/reconciler.ts';
import type { Managed } from '../managed/resource.ts';
import type { ReconcileResult } from '../reconcile-result.ts';
import { createFakeExternal, type FakeExternal, type FakeExternalBehaviour } from './fake-external.ts';
import { createFakeRecorder, type FakeRecorder } from './fake-recorder.ts';

/** One generation of managed resources is cluster-scoped, the other namespaced; what holds for both is tested on both. */
export const clusterWidgets: ResourceType = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: false,
};
export const namespacedWidgets: ResourceType = {
  ...clusterWidgets,
  group: 'm.example.org',
  namespaced: true,
};

export interface Widget extends Managed {
  spec: Managed['spec'] & { forProvider: { size?: number } };
  status?: Managed['status'] & { atProvider?: { size?: number } };
}

/** A widget as it is stored: generation 42, all policies, nothing recorded yet. */
export function widget(type: ResourceType, more: WidgetParts = {}): Widget {
  const { metadata, spec, status } = more;
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: 'w',
      ...(type.namespaced ? { namespace: 'shop' } : {}),
      uid: 'uid-w',
      generation: 42,
      ...metadata,
    },
    spec: {
      managementPolicies: ['*'],
      ...(type.namespaced ? {} : { deletionPolicy: 'Delete' as const }),
      forProvider: {},
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}
export interface WidgetParts {
  readonly metadata?: Partial<Widget['metadata']>;
  readonly spec?: Partial<Widget['spec']>;
  readonly status?: Widget['status'];
}

export interface HarnessOptions {
  readonly type: ResourceType;
  /** Default: a widget with nothing recorded. */
  readonly resource?: WidgetParts;
  readonly external?: FakeExternalBehaviour<Widget>;
  readonly kind?: Partial<ManagedKind<Widget>>;
  readonly options?: Partial<ManagedReconcilerOptions<Widget>>;
}

export interface Harness {
  readonly client: MemoryClient;
  readonly clock: FakeClock;
  readonly recorder: FakeRecorder;
  readonly external: FakeExternal<Widget>;
  /** Runs one reconcile of the widget. Time goes on for 100 ms meanwhile, enough for retries in quick succession. */
  reconcile(signal?: AbortSignal): Promise<ReconcileResult>;
  /** The widget as it is stored. */
  stored(): Widget | undefined;
  /** `update`, `update status`, `create secrets`, …: what was written, in order. */
  writes(): string[];
}

/** A managed reconciler for widgets on an API server in memory, with another side that answers as told. */
export function createHarness({
  type,
  resource,
  external: behaviour,
  kind,
  options,
}: HarnessOptions): Harness {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const recorder = createFakeRecorder();
  const external = createFakeExternal<Widget>(behaviour);
  const object = client.seed(type, widget(type, resource));
  const key = keyOf(object);
  const stored = () => client.peek<Widget>(type, key);
  const reconcile = createManagedReconciler<Widget>({
    kind: { type, connector: external.connector, initializers: [], ...kind },
    client,
    read: stored,
    recorder,
    clock,
    random: () => 0.5,
    log: nopLogger,
    ...options,
  });
  return {
    client,
    clock,
    recorder,
    external,
    stored,
    reconcile: async (signal = new AbortController().signal) => {
      let ended = false;
      const outcome = reconcile(keyString(key), signal).finally(() => {
        ended = true;
      });
      outcome.catch(() => undefined);
      for (let ms = 0; ms < 100 && !ended; ms += 10) await clock.advance(10);
      return outcome;
    },
    writes: () =>
      client.requests
        .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
        .map(({ verb, type: { plural }, subresource }) =>
          [verb, plural === type.plural ? '' : plural, subresource ?? ''].filter(Boolean).join(' '),
        ),
  };
}
