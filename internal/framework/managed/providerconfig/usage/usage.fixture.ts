import type { ObjectMeta } from '../../../kube/object/object.ts';
import { apiVersionOf } from '../../../kube/object/resource-type.ts';
import { clusterWidgets, namespacedWidgets, type WidgetParts, widget } from '../../fakes/managed-harness.ts';
import type {
  ConfigKinds,
  ConfigRef,
  ProviderConfig,
  ProviderConfigUsage,
} from '../model/provider-config.ts';
import { newUsage } from './usage.ts';

const clusterGroup = { group: 'example.org', version: 'v1', namespaced: false };
const namespacedGroup = { group: 'm.example.org', version: 'v1', namespaced: true };

export const clusterKinds: ConfigKinds = {
  scope: 'Cluster',
  config: { ...clusterGroup, kind: 'ProviderConfig', plural: 'providerconfigs' },
  usage: { ...clusterGroup, kind: 'ProviderConfigUsage', plural: 'providerconfigusages' },
};
export const namespacedKinds = {
  scope: 'Namespaced',
  config: { ...namespacedGroup, kind: 'ProviderConfig', plural: 'providerconfigs' },
  clusterConfig: {
    ...namespacedGroup,
    kind: 'ClusterProviderConfig',
    plural: 'clusterproviderconfigs',
    namespaced: false,
  },
  usage: { ...namespacedGroup, kind: 'ProviderConfigUsage', plural: 'providerconfigusages' },
} as const satisfies ConfigKinds;

export const scopes = {
  Cluster: { kinds: clusterKinds, widgets: clusterWidgets, ref: { name: 'prod' } },
  Namespaced: {
    kinds: namespacedKinds,
    widgets: namespacedWidgets,
    ref: { kind: 'ClusterProviderConfig', name: 'prod' },
  },
} as const;
export type Scope = keyof typeof scopes;

function config(type: ConfigKinds['config'], namespace?: string): ProviderConfig {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name: 'prod',
      uid: 'uid-config',
      generation: 1,
      ...(namespace === undefined ? {} : { namespace }),
    },
    spec: { credentials: { source: 'None' } },
  };
}
export const configOfCluster = config(clusterKinds.config);
export const configOfNamespace = config(namespacedKinds.config, 'shop');
export const clusterConfig = config(namespacedKinds.clusterConfig);

/** A widget that uses `ref`. */
export function user(scope: Scope, ref: ConfigRef | undefined, more: WidgetParts = {}) {
  const spec = ref === undefined ? {} : { providerConfigRef: ref };
  return widget(scopes[scope].widgets, { ...more, spec: { ...more.spec, ...spec } });
}

/** The usage of such a widget, as it is stored. */
export function usageOf(
  scope: Scope,
  ref: ConfigRef,
  metadata: Partial<ObjectMeta> = {},
): ProviderConfigUsage {
  const usage = newUsage(user(scope, ref), scopes[scope].kinds.usage, ref, false);
  return { ...usage, metadata: { ...usage.metadata, ...metadata } };
}
