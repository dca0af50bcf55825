import { clusterProviderConfigs } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/clusterproviderconfig.gen.ts';
import { providerConfigs as namespacedProviderConfigs } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages as namespacedProviderConfigUsages } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import { providerConfigs } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import type { ConfigKinds } from '../../runtime/index.ts';

/**
 * What the provider's resources refer to: cluster-scoped ones by the legacy kinds, namespaced ones by the modern. It
 * holds SQL credentials, which mappings do not need; they count as users all the same.
 */
export const hanaConfigKinds = {
  legacy: { generation: 'legacy', config: providerConfigs, usage: providerConfigUsages },
  modern: {
    generation: 'modern',
    config: namespacedProviderConfigs,
    clusterConfig: clusterProviderConfigs,
    usage: namespacedProviderConfigUsages,
  },
} as const satisfies Record<ConfigKinds['generation'], ConfigKinds>;
