import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';
import type { ManagedKind } from '../managed/kind/managed-kind.ts';
import type { ManagedReconcilerOptions } from '../managed/reconciliations.ts';
import type { Managed } from '../resource/managed.ts';
import { createFakeExternal, type FakeExternal, type FakeExternalBehaviour } from './fake-external.ts';
import { createKindHarness, type KindHarness } from './kind-harness.ts';

/** Managed resources are cluster-scoped or namespaced; shared behaviour is tested on both. */
export const clusterWidgets: ResourceType<Widget> = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: false,
};
export const namespacedWidgets: ResourceType<Widget> = {
  ...clusterWidgets,
  group: 'm.example.org',
  namespaced: true,
};

export interface Widget extends Managed {
  spec: Managed['spec'] & { forProvider: { size?: number } };
  status?: Managed['status'] & { atProvider?: { size?: number } };
}

/** A stored widget: generation 42, all policies, nothing recorded yet. */
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
  readonly type: ResourceType<Widget>;
  /** Default: a widget with nothing recorded. */
  readonly resource?: WidgetParts;
  readonly external?: FakeExternalBehaviour<Widget>;
  readonly kind?: Partial<ManagedKind<Widget>>;
  readonly options?: Partial<ManagedReconcilerOptions<Widget>>;
}

export interface Harness extends KindHarness<Widget> {
  readonly external: FakeExternal<Widget>;
  /** `update`, `update status`, `create secrets`, …: what was written, in order. */
  writes(): string[];
}

/** A managed reconciler for widgets on an API server in memory, with a fake external API. */
export function createHarness({
  type,
  resource,
  external: behaviour,
  kind,
  options,
}: HarnessOptions): Harness {
  const external = createFakeExternal<Widget>(behaviour);
  const harness = createKindHarness<Widget>({
    kind: { type, connector: external.connector, initializers: [], ...kind },
    resource: widget(type, resource),
    ...(options ? { options } : {}),
  });
  return {
    ...harness,
    external,
    writes: () =>
      harness.client.requests
        .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
        .map(({ verb, type: { plural }, subresource }) =>
          [verb, plural === type.plural ? '' : plural, subresource ?? ''].filter(Boolean).join(' '),
        ),
  };
}
