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

const legacyGroup = { group: 'example.org', version: 'v1', namespaced: false };
const modernGroup = { group: 'm.example.org', version: 'v1', namespaced: true };

export const legacyKinds: ConfigKinds = {
  generation: 'legacy',
  config: { ...legacyGroup, kind: 'ProviderConfig', plural: 'providerconfigs' },
  usage: { ...legacyGroup, kind: 'ProviderConfigUsage', plural: 'providerconfigusages' },
};
export const modernKinds = {
  generation: 'modern',
  config: { ...modernGroup, kind: 'ProviderConfig', plural: 'providerconfigs' },
  clusterConfig: {
    ...modernGroup,
    kind: 'ClusterProviderConfig',
    plural: 'clusterproviderconfigs',
    namespaced: false,
  },
  usage: { ...modernGroup, kind: 'ProviderConfigUsage', plural: 'providerconfigusages' },
} as const satisfies ConfigKinds;

export const generations = {
  legacy: { kinds: legacyKinds, widgets: clusterWidgets, ref: { name: 'prod' } },
  modern: {
    kinds: modernKinds,
    widgets: namespacedWidgets,
    ref: { kind: 'ClusterProviderConfig', name: 'prod' },
  },
} as const;
export type Generation = keyof typeof generations;

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
export const legacyConfig = config(legacyKinds.config);
export const modernConfig = config(modernKinds.config, 'shop');
export const clusterConfig = config(modernKinds.clusterConfig);

/** A widget that uses `ref`. */
export function user(generation: Generation, ref: ConfigRef | undefined, more: WidgetParts = {}) {
  const spec = ref === undefined ? {} : { providerConfigRef: ref };
  return widget(generations[generation].widgets, { ...more, spec: { ...more.spec, ...spec } });
}

/** The usage of such a widget, as it is stored. */
export function usageOf(
  generation: Generation,
  ref: ConfigRef,
  metadata: Partial<ObjectMeta> = {},
): ProviderConfigUsage {
  const usage = newUsage(user(generation, ref), generations[generation].kinds.usage, ref, false);
  return { ...usage, metadata: { ...usage.metadata, ...metadata } };
}
