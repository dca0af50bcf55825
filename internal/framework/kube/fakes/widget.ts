import type { Condition } from '../object/condition.ts';
import type { KubeObject } from '../object/object.ts';
import { apiVersionOf, type ResourceType } from '../object/resource-type.ts';

/** Objects are cluster-scoped or namespaced; shared behaviour is tested on both. */
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

/** Has the fields of a managed resource, so that tests of every layer can use it. */
export interface Widget extends KubeObject {
  spec: {
    managementPolicies?: string[];
    deletionPolicy?: 'Delete' | 'Orphan';
    providerConfigRef?: { kind?: string; name: string };
    writeConnectionSecretToRef?: { name: string; namespace?: string };
    forProvider: { size?: number };
  };
  status?: {
    conditions?: Condition[];
    observedGeneration?: number;
    lastHandledReconcileAt?: string;
    atProvider?: { size?: number };
  };
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
